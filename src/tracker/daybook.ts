import { watchClicks } from "./clicks.js";
import { guarded } from "./guard.js";
import { watchPageViews } from "./page-views.js";
import { openQueue } from "./queue.js";
import { openRecorder } from "./recorder.js";
import type { Settings } from "./settings.js";
import { openStore } from "./store.js";
import { setOut } from "./visitor.js";

/** What an event is worth. */
export interface EventMoney {
  readonly value?: number | undefined;
  /** Three letters of ISO 4217. */
  readonly currency?: string | undefined;
}

/** The tracker of a page. No method of it throws, and none waits. */
export interface Tracker {
  /** Sends an event. @param metadata anything that JSON holds */
  track(name: string, metadata?: Readonly<Record<string, unknown>>, money?: EventMoney): void;
  /** Sends a view of this page; those by itself are sent anyway. */
  page(): void;
  /** Says who the visitor is, from now on until the page is left. */
  identify(userId: string): void;
  /** Sends nothing any more from this browser, and forgets what waits; with `false` sends again. */
  optOut(out?: boolean): void;
}

/** A method's name and what it is called with. */
export type QueuedCall = readonly [name: keyof Tracker, ...args: unknown[]];

/**
 * Starts on this page.
 * @param url of what takes events
 * @param early calls made before, which are made now, ahead of the first view: one of them may forbid it
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
