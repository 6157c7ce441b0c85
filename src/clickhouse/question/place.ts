import { sql, type Sql } from "../sql/sql.js";

/** What events are in order of: their ms, and of one ms their ids. One number, which a server compares faster than two. */
export function placeOf(ms: Sql, num: Sql): Sql {
  return sql`bitShiftLeft(toUInt256(${ms}), 128) + ${num}`;
}

/** That of a row of events. */
export const PLACE = placeOf(sql`ms`, sql`toUInt128(id)`);
