import { UserMerges } from "../../identity/links.js";
import type { Connection } from "../connection/connection.js";
import { NO_ID, sql, text, texts, uuids, type Sql } from "../sql/sql.js";
import type { TableNames } from "../tables/layout.js";

/** Users that aliases merged into others; few. */
interface Survivors {
  readonly from: readonly string[];
  readonly to: readonly string[];
}

/** The merges and unlinks in the snapshot of a query, and the connection that its statements run on. */
export interface IdentityContext {
  readonly connection: Connection;
  readonly tables: TableNames;
  readonly survivors: Survivors;
  /** The records that were taken back; null: too many to name, so each statement finds them. */
  readonly unlinked: readonly string[] | null;
}

export interface ActorIds {
  readonly users: readonly string[];
  readonly anonymous: readonly string[];
}

type AliasPair = [from: string, to: string];

/** Above this number, statements find records that were taken back themselves. */
const NAMED_COUNT = 1_000;

/** Which records were taken back, and which users merged, settled as in the embedded engine. Cost: reads all unlinks and aliases: few. */
export async function readIdentityContext(connection: Connection, tables: TableNames): Promise<IdentityContext> {
  const rows = await connection.rows<[kind: string, id: string, ...alias: AliasPair]>(sql`SELECT kind, id, fromUserId, userId FROM ${tables.all("records")}
    WHERE kind = 'unlink' OR (kind = 'alias' AND fromUserId != userId) ORDER BY ms, toUInt128(id)`);
  const unlinked = new Set(rows.filter(([kind]) => kind === "unlink").map(([, id]) => id));
  const aliases = rows.filter(([kind, id]) => kind === "alias" && !unlinked.has(id)).map(([, , ...alias]): AliasPair => alias);
  const ids = [...new Set(aliases.flat())];
  const codes = new Map(ids.map((id, code) => [id, code]));
  const codeOf = (id: string) => codes.get(id) ?? 0;
  const pairs = aliases.map(([from, to]) => ({ from: codeOf(from), to: codeOf(to) }));
  // The pairs are in order, so that a row number is its rank.
  const merges = new UserMerges((row) => pairs[row] ?? { from: 0, to: 0 }, (a, b) => a - b);
  pairs.forEach((_, row) => merges.add(row));
  const merged: AliasPair[] = [];
  merges.resolveChanged((user, survivor) => {
    if (user !== survivor) merged.push([ids[user] as string, ids[survivor] as string]);
  });
  const survivors = { from: merged.map(([from]) => from), to: merged.map(([, to]) => to) };
  return { connection, tables, survivors, unlinked: unlinked.size <= NAMED_COUNT ? [...unlinked] : null };
}

/** The user that a user was merged into, or itself. */
export function survivingId(id: string, { from, to }: Survivors): string {
  return to[from.indexOf(id)] ?? id;
}

/** The identity of a row: `u` and the surviving user id, else `a` and the anonymous id; `""` for none. Needs the join of `ownerJoin`. */
export function identityKeyOf({ survivors: { from, to } }: IdentityContext): Sql {
  const user = sql`if(userId != '', toString(userId), owner)`;
  const survivor = from.length === 0 ? user : sql`transform(${user}, ${texts(from)}, ${texts(to)}, ${user})`;
  return sql`multiIf(${user} != '', concat('u', ${survivor}), anonymousId != '', concat('a', anonymousId), '')`;
}

/** The id that answers show for an identity key; `""` for none. */
export function identityIdOfKey(identityKey: Sql): Sql {
  const hash = sql`lower(hex(substring(SHA256(concat(if(startsWith(${identityKey}, 'u'), 'user', 'anonymous'), char(0), substring(${identityKey}, 2))), 1, 16)))`;
  return sql`if(${identityKey} = '', '', concat('idn_', ${hash}))`;
}

/** Rows of these ids; an event with both belongs to its user. */
export function ofActors({ users, anonymous }: ActorIds): Sql {
  return sql`(userId IN ${texts(users)} AND userId != '') OR (userId = '' AND anonymousId IN ${texts(anonymous)} AND anonymousId != '')`;
}

/** The owner of each anonymous id: the user of its earliest link in force; of several at one ms, the one with the smallest id. */
export function ownersOf(links: Sql, context: IdentityContext, condition = sql`true`): Sql {
  return sql`SELECT anonymousId AS linked, argMin(userId, (firstMs, userId)) AS owner FROM ${links}
    WHERE (record = ${NO_ID} OR ${isInForce(sql`record`, context)}) AND ${condition} GROUP BY anonymousId`;
}

/** The join of rows with the `owner` of their anonymous id. @param links of all shards, or those beside the rows */
export function ownerJoin(links: Sql, context: IdentityContext): Sql {
  return sql`ANY LEFT JOIN (${ownersOf(links, context)}) AS owners ON owners.linked = anonymousId`;
}

/** The records of a kind in force with their owners, to follow FROM. @param condition of these records */
export function recordsInForce(kind: "identify" | "group", condition: Sql, context: IdentityContext): Sql {
  const { tables } = context;
  return sql`${tables.all("records")} AS records GLOBAL ${ownerJoin(tables.all("links"), context)}
    WHERE kind = ${text(kind)} AND ${isInForce(sql`id`, context)} AND (${condition})`;
}

/** Whether a record, given by its id, was not taken back. */
export function isInForce(id: Sql, { tables, unlinked }: IdentityContext): Sql {
  if (unlinked === null) return sql`${id} GLOBAL NOT IN (SELECT id FROM ${tables.all("records")} WHERE kind = 'unlink')`;
  return unlinked.length === 0 ? sql`true` : sql`${id} NOT IN ${uuids(unlinked)}`;
}
