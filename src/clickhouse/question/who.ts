import { sql, text, texts, uuids, type Sql } from "../sql/sql.js";
import type { TableNames } from "../tables/names.js";

/** Which users became which by aliases; few. */
export interface Survivors {
  readonly from: readonly string[];
  readonly to: readonly string[];
}

/** Where records are, and which of them were taken back; null: so many that a statement finds them. */
export interface Records {
  readonly tables: TableNames;
  readonly unlinked: readonly string[] | null;
}

/** The user who stands for a user. */
export function survivorOf(user: Sql, { from, to }: Survivors): Sql {
  return from.length === 0 ? user : sql`transform(${user}, ${texts(from)}, ${texts(to)}, ${user})`;
}

/** Whose a row is: `u` and the surviving user id, `a` and the anonymous id of somebody without one, `""` for nobody. Needs owners joined. */
export function whoOf(survivors: Survivors): Sql {
  const user = sql`if(userId != '', toString(userId), owner)`;
  return sql`multiIf(${user} != '', concat('u', ${survivorOf(user, survivors)}), anonymousId != '', concat('a', anonymousId), '')`;
}

/** The id that answers show of `who`; `""` for nobody. */
export function identityIdOfWho(who: Sql): Sql {
  const hash = sql`lower(hex(substring(SHA256(concat(if(startsWith(${who}, 'u'), 'user', 'anonymous'), char(0), substring(${who}, 2))), 1, 16)))`;
  return sql`if(${who} = '', '', concat('idn_', ${hash}))`;
}

/** Some events as one row for each two ids. @param columns what is told of the events of a row: aggregates */
export function rowsByIds(tables: TableNames, columns: Sql, where: Sql): { readonly rows: Sql; readonly isGathered: true } {
  return { rows: sql`(SELECT userId, anonymousId, ${columns} FROM ${tables.all("events")} WHERE ${where} GROUP BY userId, anonymousId)`, isGathered: true };
}

/** Who has each anonymous id: the user of its earliest link that is in force, of several at one ms the one with the smallest id. */
export function ownersOf(links: Sql, moment: Records, condition = sql`true`): Sql {
  return sql`SELECT anonymousId AS linked, argMin(userId, (firstMs, userId)) AS owner FROM ${links}
    WHERE (record = ${NO_RECORD} OR ${isInForce(sql`record`, moment)}) AND ${condition} GROUP BY anonymousId`;
}

/** The record of links that events make. */
const NO_RECORD = sql`toUUID(${text("00000000-0000-0000-0000-000000000000")})`;

/** Whether a record was not taken back, by its id. */
export function isInForce(id: Sql, { tables, unlinked }: Records): Sql {
  if (unlinked === null) return sql`${id} GLOBAL NOT IN (SELECT id FROM ${tables.all("records")} WHERE kind = 'unlink')`;
  return unlinked.length === 0 ? sql`true` : sql`${id} NOT IN ${uuids(unlinked)}`;
}
