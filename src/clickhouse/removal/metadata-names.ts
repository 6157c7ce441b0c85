import { Sql, sql, texts, wholes } from "../sql/sql.js";
import { change, type Servers } from "../tables/change.js";
import { METADATA_TYPE, YEAR } from "../tables/layout.js";
import type { Note } from "./removal.js";

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
