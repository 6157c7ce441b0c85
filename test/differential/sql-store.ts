import { DuckDBInstance, type DuckDBConnection } from "@duckdb/node-api";
import type { ScalarEvent } from "./scalar-history.js";

/** Opens DuckDB in memory with a table `events`, one row an event, and a view `resolved` that adds the identity. */
export async function openSqlStore(events: readonly ScalarEvent[]): Promise<DuckDBConnection> {
  const connection = await (await DuckDBInstance.create(":memory:")).connect();
  await connection.run(`create table events (
    id varchar, name varchar, project varchar, ms bigint, user_id varchar, anonymous_id varchar, browser varchar,
    url varchar, location_lat varchar, plan varchar, amount double, flag boolean)`);
  for (let at = 0; at < events.length; at += 500) {
    const rows = events.slice(at, at + 500).map((event) => `(${rowOf(event).join(",")})`);
    await connection.run(`insert into events values ${rows.join(",")}`);
  }
  await connection.run(`create view resolved as
    with links as (
      select anonymous_id, arg_min(user_id, (ms, user_id)) as owner from events
      where user_id is not null and anonymous_id is not null group by anonymous_id)
    select events.*, coalesce('u' || user_id, 'u' || owner, 'a' || events.anonymous_id) as identity
    from events left join links on links.anonymous_id = events.anonymous_id`);
  return connection;
}

/** A text as an SQL literal; null and "" are null: both mean not set. */
export function literal(text: string | null): string {
  return text === null || text === "" ? "null" : `'${text.replaceAll("'", "''")}'`;
}

function rowOf({ id, name, project, createdAt, userId, anonymousId, browser, url, locationLat, metadata }: ScalarEvent): string[] {
  const { plan, amount, flag } = metadata;
  return [
    ...[id, name, project].map(literal), `${createdAt}`, ...[userId, anonymousId, browser, url, locationLat, plan].map(literal),
    `${amount}`, `${flag}`,
  ];
}
