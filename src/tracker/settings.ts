/** Settings, as the `data-` attributes of the script: a setting that is present is on, whatever its value. */
export interface Settings {
  readonly key: string;
  /** Base URL of `v1/collect`; default: the URL of the script. */
  readonly server?: string | undefined;
  /** URLs that differ only in their hash are different pages. */
  readonly hash?: string | undefined;
  /** `storage`: visitors get a stored id. */
  readonly id?: string | undefined;
  /** Paths that are not tracked, separated by commas; `*` matches anything. */
  readonly exclude?: string | undefined;
  /** Clicks on links to other hosts are events. */
  readonly outbound?: string | undefined;
  /** File endings, separated by commas: clicks on links to such files are events. */
  readonly downloads?: string | undefined;
}

/** The URL of the page, without its hash unless the setting `hash` is on. */
export function currentUrl({ hash }: Settings): string {
  return location.href.replace(hash === undefined ? /#.*/ : "", "");
}

/** Whether a text matches an entry of a list, separated by commas or spaces; `*` matches anything. */
export function isListed(text: string, list = ""): boolean {
  const parts = list.replace(/[.+]/g, "\\$&").replace(/\*/g, ".*").replace(/[, ]+/g, "|");
  return new RegExp(`^(${parts})$`, "i").test(text);
}
