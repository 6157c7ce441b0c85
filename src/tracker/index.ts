import { startTracker } from "./daybook.js";
import type { Tracker } from "./daybook.js";

export type { Tracker as Daybook, EventMoney as Money } from "./daybook.js";

/** Options of `startDaybook`. */
export interface TrackerOptions {
  /** The public key, `pk_…`. */
  readonly key: string;
  /** Address of the server, such as `https://stats.example`; events go to `/v1/collect` below it. */
  readonly server: string;
  /** Whether addresses that differ by their hash are different pages. Default: false. */
  readonly hash?: boolean | undefined;
  /** `storage`: the browser stores a random visitor id, for sites that have consent. Default: nothing is stored about visitors. */
  readonly id?: "storage" | undefined;
  /** Paths that are not tracked, such as `/admin/*`. */
  readonly exclude?: readonly string[] | undefined;
  /** Whether clicks on links to other hosts are sent. Default: false. */
  readonly outbound?: boolean | undefined;
  /** File endings, such as `pdf`: clicks on links to such files are sent. Default: none. */
  readonly downloads?: readonly string[] | undefined;
}

const nowhere: Tracker = { track: () => {}, page: () => {}, identify: () => {}, optOut: () => {} };

/** Shared by all copies of this module on a page. */
const STARTED = Symbol.for("daybook.tracker");

/**
 * Tracks this page: its views, and the events that its elements name. Called again with the same key and server, it returns the same tracker.
 * Without a window, as on a server, it does nothing.
 */
export function startDaybook({ key, server, hash, id, exclude, outbound, downloads }: TrackerOptions): Tracker {
  if (typeof window === "undefined" || typeof document === "undefined") return nowhere;
  const page = window as { [STARTED]?: Record<string, Tracker> };
  const started = (page[STARTED] ??= {});
  const settings = {
    key,
    hash: switched(hash),
    id,
    exclude: exclude?.join(),
    outbound: switched(outbound),
    downloads: downloads?.join(),
  };
  return (started[`${key} ${server}`] ??= startTracker(settings, new URL("v1/collect", server.replace(/\/?$/, "/"))));
}

function switched(on = false): string | undefined {
  return on ? "" : undefined;
}
