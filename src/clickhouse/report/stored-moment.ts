import { sql, whole, type Sql } from "../sql/sql.js";

/** Cursors have 32 bits for a moment: it is known as long as they are younger than these ms, which are 49 days. */
const SPAN_MS = 2 ** 32;
/** The clocks of two servers differ by less. */
const SKEW_MS = 3_600_000;

/** Epoch ms by the clock that rows are stored under. */
export const SERVER_NOW = sql`toUnixTimestamp64Milli(now64(3))`;

/** What a cursor says of the moment until which rows count. */
export function sequenceOf(serverNowMs: number): number {
  return serverNowMs % SPAN_MS;
}

/** Whether a row was there at the moment that a cursor says: of all that it may mean the newest. */
export function isStoredUntil(sequence: number): Sql {
  const latest = sql`(${SERVER_NOW} + ${whole(SKEW_MS)})`;
  return sql`storedMs <= ${latest} - (${latest} - ${whole(sequence)}) % ${whole(SPAN_MS)}`;
}
