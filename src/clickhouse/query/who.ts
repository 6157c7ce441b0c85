import { sql, text, texts, uuids, type Sql } from "../sql/sql.js";
import type { TableNames } from "../tables/layout.js";

/** Users that aliases merged into others; few. */
export interface Survivors {
  readonly from: readonly string[];
  readonly to: readonly string[];
}

/** Records, and which of them were taken back; null: too many to name, so each statement finds them. */
export interface Records {
  readonly tables: TableNames;
  readonly unlinked: readonly string[] | null;
}

/** The user that a user was merged into, or itself. */
export function survivorOf(user: Sql, { from, to }: Survivors): Sql {
  return from.length === 0 ? user : sql`transform(${user}, ${texts(from)}, ${texts(to)}, ${user})`;
}

/** The identity of a row: `u` and the surviving user id, else `a` and the anonymous id; `""` for none. Needs the join with `ownersOf`. */
export function whoOf(survivors: Survivors): Sql {
  const user = sql`if(userId != '', toString(userId), owner)`;
  return sql`multiIf(${user} != '', concat('u', ${survivorOf(user, survivors)}), anonymousId != '', concat('a', anonymousId), '')`;
}

/** The id that answers show for `who`; `""` for none. */
export function identityIdOfWho(who: Sql): Sql {
  const hash = sql`lower(hex(substring(SHA256(concat(if(startsWith(${who}, 'u'), 'user', 'anonymous'), char(0), substring(${who}, 2))), 1, 16)))`;
  return sql`if(${who} = '', '', concat('idn_', ${hash}))`;
}

/** Groups events into one row per pair of ids. @param columns aggregates */
export function rowsByIds(tables: TableNames, columns: Sql, where: Sql): { readonly rows: Sql; readonly isGathered: true } {
  return { rows: sql`(SELECT userId, anonymousId, ${columns} FROM ${tables.all("events")} WHERE ${where} GROUP BY userId, anonymousId)`, isGathered: true };
}

/** The owner of each anonymous id: the user of its earliest link in force; of several at one ms, the one with the smallest id. */
export function ownersOf(links: Sql, moment: Records, condition = sql`true`): Sql {
  return sql`SELECT anonymousId AS linked, argMin(userId, (firstMs, userId)) AS owner FROM ${links}
    WHERE (record = ${NO_RECORD} OR ${isInForce(sql`record`, moment)}) AND ${condition} GROUP BY anonymousId`;
}

/** The record of links made by events. */
const NO_RECORD = sql`toUUID(${text("00000000-0000-0000-0000-000000000000")})`;

/** Whether a record, given by its id, was not taken back. */
export function isInForce(id: Sql, { tables, unlinked }: Records): Sql {
  if (unlinked === null) return sql`${id} GLOBAL NOT IN (SELECT id FROM ${tables.all("records")} WHERE kind = 'unlink')`;
  return unlinked.length === 0 ? sql`true` : sql`${id} NOT IN ${uuids(unlinked)}`;
}
