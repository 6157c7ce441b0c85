import { guarded } from "./guard.js";
import type { Settings } from "./settings.js";
import { namesWith, put, store } from "./store.js";
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
export function openQueue({ server, key }: Settings): (event: TrackedEvent) => void {
  const prefix = `daybook.${key}.`;
  let isRetrying = false;

  /** Answers whether the server took a body, or never will. A page that is being hidden may not hear an answer any more. */
  const post = async (body: string): Promise<boolean> => {
    if (document.hidden || !window.fetch) return navigator.sendBeacon(server, body);
    const { status } = await fetch(server, { method: "POST", body, keepalive: true, credentials: "omit" });
    return status !== 429 && status < 500;
  };

  /** Answers whether an event is settled: never to be sent again. */
  const send = async (event: TrackedEvent): Promise<boolean> => {
    const age = Date.now() - event.at;
    const body = JSON.stringify({ key, events: [{ ...event, at: undefined, age_ms: age }] });
    const name = prefix + event.id;
    const isSettled = age > KEPT_MS || new Blob([body]).size > BODY_BYTES || (await post(body).catch(() => false));
    if (isSettled || isOut()) delete store[name];
    else if (namesWith(prefix).length < KEPT_EVENTS) put(name, JSON.stringify(event));
    return isSettled;
  };

  return guarded(async (event) => {
    if (!(await send(event)) || isRetrying) return;
    isRetrying = true;
    for (const text of namesWith(prefix).map((name) => store[name] as string)) if (!(await send(JSON.parse(text) as TrackedEvent))) break;
    isRetrying = false;
  });
}
