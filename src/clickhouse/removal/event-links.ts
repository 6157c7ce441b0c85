import { sql, text, type Sql } from "../sql/sql.js";
import { change, type Servers } from "../tables/change.js";

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
