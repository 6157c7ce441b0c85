import { startTracker, type Tracker } from "./tracker.js";

export type { Tracker as Daybook, EventMoney as Money } from "./tracker.js";

/** Options of `startDaybook`. */
export interface TrackerOptions {
  /** The public key, `pk_…`. */
  readonly key: string;
  /** URL of the server, such as `https://stats.example`; events go to `/v1/collect` below it. */
  readonly server: string;
  /** Whether URLs that differ only in their hash are different pages. Default: false. */
  readonly hash?: boolean | undefined;
  /** `storage`: the browser stores a random visitor id, for sites that have consent. Default: nothing is stored about visitors. */
  readonly id?: "storage" | undefined;
  /** Paths to exclude from tracking, such as `/admin/*`. */
  readonly exclude?: readonly string[] | undefined;
  /** Whether clicks on links to other hosts are sent. Default: false. */
  readonly outbound?: boolean | undefined;
  /** File endings, such as `pdf`: clicks on links to such files are sent. Default: none. */
  readonly downloads?: readonly string[] | undefined;
}

const noopTracker: Tracker = { track: () => {}, page: () => {}, identify: () => {}, optOut: () => {} };

/** Key of the trackers of a page, which all copies of this module share. */
const STARTED = Symbol.for("daybook.tracker");

/**
 * Tracks this page: its views, and the events that its elements name. A second call with the same key and server returns the same tracker.
 * Outside a browser it does nothing.
 */
export function startDaybook({ key, server, hash, id, exclude, outbound, downloads }: TrackerOptions): Tracker {
  if (typeof window === "undefined" || typeof document === "undefined") return noopTracker;
  const page = window as { [STARTED]?: Record<string, Tracker> };
  const started = (page[STARTED] ??= {});
  const settings = {
    key,
    hash: attributeOf(hash),
    id,
    exclude: exclude?.join(),
    outbound: attributeOf(outbound),
    downloads: downloads?.join(),
  };
  return (started[`${key} ${server}`] ??= startTracker(settings, new URL("v1/collect", server.replace(/\/?$/, "/"))));
}

function attributeOf(on = false): string | undefined {
  return on ? "" : undefined;
}
