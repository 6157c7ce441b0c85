/** What a page's owner set, spelled as in the `data-` attributes of the script: what is there is on, whatever it holds. */
export interface Settings {
  readonly key: string;
  /** Address that `v1/collect` is seen from; beside the script if there is none. */
  readonly server?: string | undefined;
  /** Addresses differ by their hash too. */
  readonly hash?: string | undefined;
  /** `storage`: visitors get an id that is stored. */
  readonly id?: string | undefined;
  /** Paths that nothing is sent of, apart by commas; `*` stands for anything. */
  readonly exclude?: string | undefined;
  /** Clicks on links to other hosts are events. */
  readonly outbound?: string | undefined;
  /** Clicks on links to files are events; those with these endings, apart by commas. */
  readonly downloads?: string | undefined;
}

/** The page's address as it is now, with its hash where that counts. */
export function addressFor({ hash }: Settings): string {
  return location.href.replace(hash === undefined ? /#.*/ : "", "");
}

/** Whether a text is one of a list whose parts are apart by commas or blanks; `*` stands for anything. */
export function isListed(text: string, list = ""): boolean {
  const parts = list.replace(/[.+]/g, "\\$&").replace(/\*/g, ".*").replace(/[, ]+/g, "|");
  return new RegExp(`^(${parts})$`, "i").test(text);
}
