import type { Outcome } from "./load.js";

/** Callers of a server under load: more than one, since what one may have under way is bounded. */
export const TOKENS: readonly string[] = Array.from({ length: 4 }, (_, at) => `sk_overload_0123456789abcd${at}`);
export const EVENTS_PER_REQUEST = 1_000;

/** A whole request as it goes over the wire. */
export function requestOf(method: string, target: string, token: string, body: string): Buffer {
  const head = `${method} ${target} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\n`;
  return Buffer.from(`${head}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
}

const events = Array.from({ length: EVENTS_PER_REQUEST }, (_, at) => ({
  name: "pageview",
  userId: `user-${at % 97}`,
  createdAt: Date.UTC(2026, 2, 1 + (at % 5)) + at,
  url: `/page/${at % 211}`,
  browser: "Firefox",
  metadata: { plan: "pro", number: at % 31 },
}));
// Events without ids: the same bytes again are new events.
const batchBody = JSON.stringify(events);
const batches = TOKENS.map((token) => requestOf("POST", "/v1/events", token, batchBody));

/** A thousand events, 141 kB, of one caller after the other. */
export const batch = (at: number): Buffer => batches[at % batches.length] ?? Buffer.alloc(0);

/** Events that a server said it took. */
export function acceptedCount({ answers }: Outcome): number {
  return answers.reduce((sum, { status, body }) => sum + (status === 200 ? (JSON.parse(body) as { accepted: number }).accepted : 0), 0);
}

export const acceptedPerSecond = (outcome: Outcome): number => (acceptedCount(outcome) / outcome.elapsedMs) * 1_000;
