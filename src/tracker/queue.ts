import { guarded } from "./guard.js";
import { namesWith, store } from "./store.js";
import { isOut } from "./visitor.js";

/** A waiting event. All members but `at` are those of the wire. */
export interface TrackedEvent {
  readonly id: string;
  /** When it happened, epoch ms. */
  readonly at: number;
  readonly [member: string]: unknown;
}

const BODY_BYTES = 65_536;
const KEPT_EVENTS = 50;
/** The server rejects older events. */
const KEPT_MS = 3_600_000;
/**
 * Opens a queue that sends events. An event that fails temporarily is stored under its own name, so that tabs with the same storage never overwrite
 * each other's. It stays there until a later try is answered; tries are made one at a time, after the server has answered another event.
 */
export function openQueue(url: URL, key: string): (event: TrackedEvent) => void {
  const prefix = `daybook.${key}.`;

  const send = guarded(async (event: TrackedEvent) => {
    const age = Date.now() - event.at;
    const body = JSON.stringify({ key, events: [{ ...event, at: undefined, age_ms: age }] });
    const name = prefix + event.id;
    if (
      age > KEPT_MS ||
      new Blob([body]).size > BODY_BYTES ||
      // A page that is being hidden may not receive an answer, so stored events stay stored.
      (document.hidden
        ? !(name in store) && navigator.sendBeacon(url, body)
        : await fetch(url, { method: "POST", body, keepalive: true, credentials: "omit" }).then(
            ({ status }) => status !== 429 && status < 500,
            () => false,
          )) ||
      isOut()
    ) {
      delete store[name];
      const [next] = namesWith(prefix);
      if (next) send(JSON.parse(store[next] as string) as TrackedEvent);
    } else if (namesWith(prefix).length < KEPT_EVENTS) store[name] = JSON.stringify(event);
  });
  return send;
}
