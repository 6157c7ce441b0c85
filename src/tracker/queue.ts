import { guarded } from "./guard.js";
import { keysWith, store } from "./store.js";
import { isOptedOut } from "./visitor.js";

/** A queued event. All members except `at` are named as on the wire. */
export interface TrackedEvent {
  readonly id: string;
  /** When it happened, epoch ms. */
  readonly at: number;
  readonly [member: string]: unknown;
}

const MAX_BODY_BYTES = 65_536;
const MAX_STORED_EVENTS = 50;
/** The server rejects older events. */
const MAX_AGE_MS = 3_600_000;

/**
 * Creates a queue that sends events. An event that fails temporarily is stored under its own key, so that tabs never overwrite each other's events.
 * Stored events are retried one at a time, each after the server has answered another event.
 */
export function openQueue(url: URL, key: string): (event: TrackedEvent) => void {
  const prefix = `daybook.${key}.`;

  const send = guarded(async (event: TrackedEvent) => {
    const age = Date.now() - event.at;
    const body = JSON.stringify({ key, events: [{ ...event, at: undefined, age_ms: age }] });
    const name = prefix + event.id;
    if (
      age > MAX_AGE_MS ||
      new Blob([body]).size > MAX_BODY_BYTES ||
      // A page that is being hidden may not receive an answer, so stored events stay stored.
      (document.hidden
        ? !(name in store) && navigator.sendBeacon(url, body)
        : await fetch(url, { method: "POST", body, keepalive: true, credentials: "omit" }).then(
            ({ status }) => status !== 429 && status < 500,
            () => false,
          )) ||
      isOptedOut()
    ) {
      delete store[name];
      const [next] = keysWith(prefix);
      if (next) send(JSON.parse(store[next] as string) as TrackedEvent);
    } else if (keysWith(prefix).length < MAX_STORED_EVENTS) store[name] = JSON.stringify(event);
  });
  return send;
}
