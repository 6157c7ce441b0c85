import { startTracker } from "./daybook.js";
import type { Tracker } from "./daybook.js";

export type { Tracker as Daybook, EventMoney as Money } from "./daybook.js";

/** How `startDaybook` tracks. */
export interface TrackerOptions {
  /** The public key, `pk_…`. */
  readonly key: string;
  /** Address of the server, such as `https://stats.example`: events go to `/v1/collect` below it. */
  readonly server: string;
  /** Whether addresses that differ by their hash are different pages. Default: false. */
  readonly hash?: boolean | undefined;
  /** `storage`: visitors get a random id that their browser keeps, for sites that have consent. Default: nothing is stored about them. */
  readonly id?: "storage" | undefined;
  /** Paths that nothing is sent of, such as `/admin/*`. */
  readonly exclude?: readonly string[] | undefined;
  /** Whether clicks on links to other hosts are sent. Default: false. */
  readonly outbound?: boolean | undefined;
  /** Clicks on links to files with these endings, such as `pdf`, are sent. Default: none. */
  readonly downloads?: readonly string[] | undefined;
}

const nowhere: Tracker = { track: () => {}, page: () => {}, identify: () => {}, optOut: () => {} };

/** Shared by all copies of this module on a page. */
const STARTED = Symbol.for("daybook.tracker");

/**
 * Tracks this page: its views, and what its elements say. Called again with the same key and server, it answers the same tracker. Where there is no
 * window, as on a server, it does nothing.
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
