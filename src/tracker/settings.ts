/** What a page's owner set, spelled as in the `data-` attributes of the script: what is there is on, whatever it holds. */
export interface Settings {
  readonly key: string;
  /** Address that `/v1/collect` stands below. */
  readonly server: string;
  /** Addresses differ by their hash too. */
  readonly hash?: string | undefined;
  /** `storage`: visitors get an id that is stored. */
  readonly id?: string | undefined;
  /** Paths that nothing is sent of, apart by commas; `*` stands for anything. */
  readonly exclude?: string | undefined;
  /** Clicks on links to other hosts are events. */
  readonly outbound?: string | undefined;
  /** Clicks on links to files are events; these endings, apart by commas, or if there are none the usual ones. */
  readonly downloads?: string | undefined;
}

/** The parts of a list that may be separated by commas and blanks, as one pattern: any of them. */
export function anyOf(list: string): string {
  return list.split(/[\s,]+/).map((part) => part.replace(/[^\w*]/g, "\\$&").replace(/\*/g, ".*")).join("|");
}
