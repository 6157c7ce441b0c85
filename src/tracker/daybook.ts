import { watchClicks } from "./clicks.js";
import { guarded } from "./guard.js";
import { watchPageViews } from "./page-views.js";
import { openQueue } from "./queue.js";
import { openRecorder } from "./recorder.js";
import type { Settings } from "./settings.js";
import { openStore } from "./store.js";
import { setOptedOut } from "./visitor.js";

/** The monetary value of an event. */
export interface EventMoney {
  readonly value?: number | undefined;
  /** ISO 4217 code. */
  readonly currency?: string | undefined;
}

/** The tracker of a page. Its methods never throw, and return immediately. */
export interface Tracker {
  /** Sends an event. @param metadata anything that JSON can represent */
  track(name: string, metadata?: Readonly<Record<string, unknown>>, money?: EventMoney): void;
  /** Sends another view of this page, in addition to the automatic one. */
  page(): void;
  /** Sets the user id of the visitor until the page unloads. */
  identify(userId: string): void;
  /** Stops sending from this browser, and deletes queued events; `false` resumes sending. */
  optOut(out?: boolean): void;
}

/** A call made before the script has loaded: a method and its arguments. */
export type QueuedCall = readonly [name: keyof Tracker, ...args: unknown[]];

/**
 * Starts the tracker on this page.
 * @param url endpoint that events are sent to
 * @param queued calls made before the start; they run before the first view, because one of them may opt out
 */
export function startTracker(settings: Settings, url: URL, queued: readonly QueuedCall[] = []): Tracker {
  openStore();
  const record = openRecorder(settings, openQueue(url, settings.key));
  watchClicks(settings, record);
  const daybook: Tracker = {
    track: guarded((name, metadata, money) => record({ ...money, name, metadata })),
    page: watchPageViews(settings, record),
    identify: guarded((userId) => record({ name: "$identify", userId })),
    optOut: guarded(setOptedOut),
  };
  for (const [name, ...args] of queued) guarded(daybook[name] as (...args: unknown[]) => void)(...args);
  return daybook;
}
