import { sql, texts, wholes, text, Sql } from "../sql/sql.js";
import type { Removal, Note } from "./removal.js";
import { change, type Servers } from "../tables/change.js";
import { METADATA_TYPE, YEAR } from "../tables/layout.js";

/** The events to delete: for each project, those before an instant, epoch ms. */
export type Cutoffs = ReadonlyMap<string, number>;

/** Later than any stored event. */
export const END_OF_TIME_MS = 2 ** 53;

/** Whether an event is to be deleted. */
export function isPast(cutoffs: Cutoffs): Sql {
  const projects = texts([...cutoffs.keys()]);
  return sql`has(${projects}, toString(project)) AND ms < arrayElement(${wholes([...cutoffs.values()])}, indexOf(${projects}, toString(project)))`;
}

/** The same as noted, for events stored by then: later ones stay, however late an interrupted removal is finished. */
export function isNotedPast(removal: Removal): Sql {
  const cutoff = removal.valueOf("project", sql`toString(project)`, sql`'0'`);
  return sql`project IN ${removal.texts("project")} AND ms < toUInt64(${cutoff}) AND ${wasStored(removal)}`;
}

/** Whether a row was stored no later than the last row to remove, as noted. */
export function wasStored(removal: Removal): Sql {
  return sql`storedMs <= (SELECT toUInt64(max(text)) FROM ${removal.texts("stored")})`;
}

/** The record of links made by events. */
export const NO_RECORD = sql`toUUID(${text("00000000-0000-0000-0000-000000000000")})`;

function linksOf(events: Sql): Sql {
  return sql`SELECT anonymousId, userId, min(ms) AS firstMs FROM ${events} WHERE anonymousId != '' AND userId != '' GROUP BY anonymousId, userId`;
}

/** Matches the links made by events to the remaining events. Cost: all events with both ids, and all links. */
export async function settleEventLinks(servers: Servers): Promise<void> {
  const { connection, names } = servers;
  // Links lie on the shard of their events.
  const right = linksOf(names.ofShard("events"));
  await change(servers, "links", sql`DELETE WHERE record = ${NO_RECORD} AND (anonymousId, userId, firstMs) NOT IN (${right})`);
  const there = sql`SELECT anonymousId, userId, firstMs FROM ${names.all("links")} WHERE record = ${NO_RECORD}`;
  await connection.command(sql`INSERT INTO ${names.all("links")} (anonymousId, userId, record, firstMs)
    SELECT anonymousId, userId, ${NO_RECORD} AS record, firstMs FROM (${linksOf(names.all("events"))})
    WHERE (anonymousId, userId, firstMs) GLOBAL NOT IN (${there})`);
}

const year = new Sql([YEAR], []);

/**
 * Notes the years of rows to remove that have a metadata key, at any depth, which no remaining row has: the parts of these years keep its name.
 * Cost: the metadata of all events.
 */
export async function yearsToRename({ connection, names }: Pick<Servers, "connection" | "names">, isGone: Sql): Promise<Note[]> {
  const events = names.all("events");
  const paths = sql`SELECT DISTINCT arrayJoin(JSONAllPaths(metadata)) AS path FROM ${events}`;
  const own = sql`SELECT path FROM (${paths} WHERE ${isGone}) WHERE path GLOBAL NOT IN (${paths} WHERE NOT (${isGone}))`;
  const lonely = await connection.rows<[string]>(own);
  if (lonely.length === 0) return [];
  const has = sql`hasAny(JSONAllPaths(metadata), ${texts(lonely.map(([path]) => path))})`;
  const rows = await connection.rows<[number]>(sql`SELECT DISTINCT ${year} FROM ${events} WHERE (${isGone}) AND ${has}`);
  return rows.map(([each]) => ["year", String(each)]);
}

/** Rewrites the metadata of some years, to drop names that no row has any more. Cost: all events of these years. */
export async function rename(servers: Servers, years: readonly string[]): Promise<void> {
  if (years.length === 0) return;
  const anew = sql`CAST(toString(metadata), ${new Sql([`'${METADATA_TYPE}'`], [])})`;
  await change(servers, "events", sql`UPDATE metadata = ${anew} WHERE ${year} IN ${wholes(years.map(Number))}`);
}
