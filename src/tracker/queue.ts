import { guarded, listen } from "./guard.js";
import type { Settings } from "./settings.js";
import { put, store } from "./store.js";
import { isOut } from "./visitor.js";

/** An event as it waits. Its members but `at` are those of the wire. */
export interface TrackedEvent {
  readonly id: string;
  /** When it happened, epoch ms. */
  readonly at: number;
  readonly [member: string]: unknown;
}

export interface Queue {
  /** Sends an event, and with it what could not be sent before. */
  readonly push: (event: TrackedEvent) => void;
  /** Forgets what could not be sent. */
  readonly clear: () => void;
}

const BODY_BYTES = 65_536;
const KEPT_EVENTS = 50;
/** The server takes no event that is older. */
const KEPT_MS = 3_600_000;

/**
 * Events on their way to a server. What it did not take, for a reason that may pass, is kept under a name of its own: tabs that share the storage
 * never write over each other's. It stays there until a later try is answered.
 */
export function openQueue({ server, key }: Settings): Queue {
  const url = `${server.replace(/\/$/, "")}/v1/collect`;
  const prefix = `daybook.${key}.`;
  const flying = new Set<string>();
  let isLeaving = false;
  listen("pagehide pageshow", ({ type }) => (isLeaving = type === "pagehide"));

  const names = () => Object.keys(store).filter((name) => name.startsWith(prefix));
  const kept = () => names().flatMap((name) => {
    try {
      const event = JSON.parse(store[name] as string) as TrackedEvent;
      if (Date.now() - event.at < KEPT_MS) return flying.has(event.id) ? [] : [event];
    } catch {
      // Not written by us.
    }
    delete store[name];
    return [];
  });

  /** Answers the status, 0 where there is none. A beacon has no answer: that of a page that goes would not be heard. */
  const post = async (body: string): Promise<number> => {
    let answer: Promise<Response> | undefined;
    try {
      if (!isLeaving) answer = fetch(url, { method: "POST", body, keepalive: true, credentials: "omit" });
    } catch {
      // Not there, or not what it should be.
    }
    try {
      return answer ? (await answer).status : navigator.sendBeacon(url, body) ? 204 : 0;
    } catch {
      return 0;
    }
  };

  const send = guarded(async (events: TrackedEvent[]) => {
    const body = bodyOf(key, events);
    if (new Blob([body]).size > BODY_BYTES) {
      // Of one event: no server would take it.
      const half = events.length >> 1;
      if (half) [events.slice(0, half), events.slice(half)].forEach(send);
      return;
    }
    for (const { id } of events) flying.add(id);
    const status = await post(body);
    const mayPass = !status || status === 429 || status > 499;
    for (const event of events) {
      const name = prefix + event.id;
      flying.delete(event.id);
      if (!mayPass || isOut()) delete store[name];
      else if (names().length < KEPT_EVENTS) put(name, JSON.stringify(event));
    }
  });

  return {
    push: (event) => {
      const earlier = kept();
      send([event]);
      if (earlier.length) send(earlier);
    },
    clear: () => names().forEach((name) => delete store[name]),
  };
}

function bodyOf(key: string, events: readonly TrackedEvent[]): string {
  const now = Date.now();
  return JSON.stringify({ key, events: events.map(({ at, ...event }) => ({ ...event, age_ms: Math.max(0, now - at) })) });
}
