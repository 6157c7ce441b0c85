import { guarded } from "./guard.js";
import { namesWith, store } from "./store.js";
import { isOut } from "./visitor.js";

/** An event as it waits. Its members but `at` are those of the wire. */
export interface TrackedEvent {
  readonly id: string;
  /** When it happened, epoch ms. */
  readonly at: number;
  readonly [member: string]: unknown;
}

const BODY_BYTES = 65_536;
const KEPT_EVENTS = 50;
/** The server takes no event that is older. */
const KEPT_MS = 3_600_000;
/**
 * What sends events. What the server did not take, for a reason that may pass, is kept under a name of its own: tabs that share the storage never
 * write over each other's. It stays there until a later try is answered, one at a time, each after the server has taken another.
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
      // A page that is being hidden may not hear an answer any more: what is kept stays so then.
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
