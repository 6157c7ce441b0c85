import { sql, whole, type Sql } from "../sql/sql.js";

/** Cursors have 32 bits for a time in ms: it is unambiguous for 49 days. */
const SPAN_MS = 2 ** 32;
/** Upper bound in ms for the difference between the clocks of two servers. */
const SKEW_MS = 3_600_000;

/** Epoch ms by the clock of `storedMs`. */
export const SERVER_NOW = sql`toUnixTimestamp64Milli(now64(3))`;

/** The time of a snapshot as it goes into a cursor. */
export function sequenceOf(serverNowMs: number): number {
  return serverNowMs % SPAN_MS;
}

/** Whether a row was stored by the time in a cursor. An ambiguous time means the latest one possible. */
export function isStoredUntil(sequence: number): Sql {
  const latest = sql`(${SERVER_NOW} + ${whole(SKEW_MS)})`;
  return sql`storedMs <= ${latest} - (${latest} - ${whole(sequence)}) % ${whole(SPAN_MS)}`;
}
