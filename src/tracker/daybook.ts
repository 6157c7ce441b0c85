import { watchClicks } from "./clicks.js";
import { guarded } from "./guard.js";
import { watchPageViews } from "./page-views.js";
import { openQueue } from "./queue.js";
import { openRecorder } from "./recorder.js";
import type { Settings } from "./settings.js";
import { openStore } from "./store.js";
import { setOut } from "./visitor.js";

/** Value of an event in money. */
export interface EventMoney {
  readonly value?: number | undefined;
  /** Three-letter code of ISO 4217. */
  readonly currency?: string | undefined;
}

/** The tracker of a page. Its methods never throw, and return at once. */
export interface Tracker {
  /** Sends an event. @param metadata anything that JSON can represent */
  track(name: string, metadata?: Readonly<Record<string, unknown>>, money?: EventMoney): void;
  /** Sends another view of this page; automatic views do not need it. */
  page(): void;
  /** Sets the user id of the visitor until the page is left. */
  identify(userId: string): void;
  /** Stops sending from this browser, and deletes waiting events; `false` starts sending again. */
  optOut(out?: boolean): void;
}

/** A method's name and its arguments. */
export type QueuedCall = readonly [name: keyof Tracker, ...args: unknown[]];

/**
 * Starts the tracker on this page.
 * @param url endpoint for the events
 * @param early calls made before the start; they run before the first view, because one of them may opt out
 */
export function startTracker(settings: Settings, url: URL, early: readonly QueuedCall[] = []): Tracker {
  openStore();
  const record = openRecorder(settings, openQueue(url, settings.key));
  watchClicks(settings, record);
  const daybook: Tracker = {
    track: guarded((name, metadata, money) => record({ ...money, name, metadata })),
    page: watchPageViews(settings, record),
    identify: guarded((userId) => record({ name: "$identify", userId })),
    optOut: guarded(setOut),
  };
  for (const [name, ...args] of early) guarded(daybook[name] as (...args: unknown[]) => void)(...args);
  return daybook;
}
