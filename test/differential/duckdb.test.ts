import { fixedClock, memoryStorage, openDaybook, type AggregateInput, type Daybook, type PerDayItem } from "daybook";
import { seededRandom } from "daybook/testing";
import type { DuckDBConnection } from "@duckdb/node-api";
import { afterAll, beforeAll, expect, test } from "vitest";
import { allPages } from "../oracle/answers.js";
import { baseSeed, caseCount } from "../oracle/settings.js";
import { randomQuery, type Query } from "./random-query.js";
import { scalarHistory } from "./scalar-history.js";
import { openSqlStore } from "./sql-store.js";

let daybook: Daybook;
let duckdb: DuckDBConnection;
const random = seededRandom(baseSeed);

beforeAll(async () => {
  const events = scalarHistory(random, 3_000);
  duckdb = await openSqlStore(events);
  daybook = await openDaybook({ storage: memoryStorage(), clock: fixedClock(Date.UTC(2026, 2, 10)) });
  const half = events.length / 2;
  await daybook.ingest(random.shuffled(events.slice(0, half)));
  await daybook.seal();
  expect(await daybook.ingest(events.slice(half))).toEqual({ accepted: half, duplicates: 0, rejected: [], adjusted: [] });
});

afterAll(async () => {
  await daybook.close();
  duckdb.closeSync();
});

const planCount = caseCount(10, 50);
const day = "epoch_ms(ms - ms % 86400000)";
const dayText = `strftime(${day}, '%Y-%m-%dT00:00:00.000Z')`;
const groupings: readonly (readonly [AggregateInput, string])[] = [
  [{ field: "browser" }, "browser"], [{ field: "url" }, "url"], [{ field: "user_id" }, "user_id"], [{ metadataField: "plan" }, "plan"],
  [{ metadataField: "flag" }, "flag::varchar"], [{ field: "name" }, "name"], [{ field: "path" }, "split_part(url, '?', 1)"],
  [{ field: "anonymousId" }, "anonymous_id"], [{ field: "project" }, "project"], [{ field: "id", limit: 50 }, "id"],
  [{ field: "createdAt" }, "strftime(epoch_ms(ms), '%Y-%m-%dT%H:%M:%S.%gZ')"],
];
const limitOf = (at: number) => ("limit" in (groupings[at % groupings.length]?.[0] ?? {}) ? "limit 50" : "");

test("count-events agrees with DuckDB.", () =>
  agree(true, ({ input }) => daybook.countEvents(input), ({ sql }) => `select count(*)::int from resolved where ${sql}`));

test("count-events-per-day agrees with DuckDB.", () =>
  agree(true, async ({ input }) => rowsOf(await daybook.countEventsPerDay(input)),
    ({ sql }) => `select ${dayText} as day, count(*)::int from resolved where ${sql} group by 1 order by 1`));

test("The running total agrees with DuckDB.", () =>
  agree(true, async ({ input }) => rowsOf(await daybook.countEventsRunningTotalPerDay(input)),
    ({ sql }) => `select ${dayText} as day, (sum(count(*)) over (order by ${dayText}))::int
      from resolved where ${sql} group by 1 order by 1`));

test("count-unique-users agrees with DuckDB.", () =>
  agree(false, ({ input }) => daybook.countUniqueUsers(input),
    ({ sql }) => `select count(distinct identity)::int from resolved where ${sql}`));

test("count-unique-users-per-day agrees with DuckDB.", () =>
  agree(false, async ({ input }) => rowsOf(await daybook.countUniqueUsersPerDay(input)),
    ({ sql }) => `select ${dayText} as day, count(distinct identity)::int
      from resolved where ${sql} and identity is not null group by 1 order by 1`));

test("Aggregates agree with DuckDB, their order too.", () =>
  agree(false, async ({ input }, at) => {
    const rows = await daybook.aggregate({ ...input, ...groupings[at % groupings.length]?.[0] } as AggregateInput);
    return rows.map(({ property, count }) => [property, count]);
  }, ({ sql }, at) => `select coalesce(${groupings[at % groupings.length]?.[1]}, '') as property, count(*)::int as n
    from resolved where ${sql} group by 1 order by n desc, property ${limitOf(at)}`));

test("Aggregates of people agree with DuckDB, their order too.", () =>
  agree(false, async ({ input }, at) => {
    const rows = await daybook.aggregate({ ...input, ...groupings[at % groupings.length]?.[0], measure: "unique_users" } as AggregateInput);
    return rows.map(({ property, count }) => [property, count]);
  }, ({ sql }, at) => `select coalesce(${groupings[at % groupings.length]?.[1]}, '') as property, count(distinct identity)::int as n
    from resolved where ${sql} and identity is not null group by 1 order by n desc, property ${limitOf(at)}`));

test("Search agrees with DuckDB on which events, and in which order.", () =>
  agree(true, async ({ input }) => (await allPages(daybook, input, 700)).map(({ id }) => [id]),
    ({ sql }) => `select id from resolved where ${sql} order by ms desc, id desc`));

function rowsOf(items: readonly PerDayItem[]): [string, number][] {
  return items.map(({ day: text, count }) => [text, count]);
}

/** Asks both `planCount` random queries. */
async function agree(
  takesUser: boolean,
  ask: (query: Query, at: number) => Promise<unknown>,
  sqlOf: (query: Query, at: number) => string,
): Promise<void> {
  let answered = 0;
  for (let at = 0; at < planCount; at += 1) {
    const query = randomQuery(random, takesUser);
    const rows = (await duckdb.runAndReadAll(sqlOf(query, at))).getRows();
    const answer = await ask(query, at);
    const expected = Array.isArray(answer) ? rows : rows[0]?.[0];
    expect(answer, `seed ${baseSeed}: ${JSON.stringify(query.input)}`).toEqual(expected);
    answered += rows.length > 0 && expected !== 0 ? 1 : 0;
  }
  expect(answered).toBeGreaterThan(planCount / 3);
}
