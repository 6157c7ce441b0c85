import type { Funnel } from "daybook";
import { type Dialect, type Sql } from "../dialect.js";
import type { Cell, BenchQuery } from "../bench-query.js";

const names = ["pageview", "signup", "purchase"] as const;
const steps = names.map((eventName) => ({ eventName }));
/** As long as a chain may take, by default. */
const windowDays = 14;

const [first, second, third] = names.map((name) => `name = '${name}'`);
const isNear = (end: string) => `${end} <= created_at + INTERVAL ${windowDays} DAY`;

/**
 * Each first step with the next second one behind it, and the next third one behind that: of what comes after, the earliest
 * goes furthest.
 */
const entries = ({ events, key, from, to }: Dialect, columns: readonly string[]) => `
  placed AS (
    SELECT ${[`${key("user_id")} AS who`, "created_at", "name", ...columns].join(", ")},
      min(CASE WHEN ${third} THEN created_at END) OVER later AS third_at
    FROM ${events} WHERE name IN ('${names.join("', '")}') AND created_at >= ${from} AND created_at < ${to} + INTERVAL ${windowDays} DAY
    WINDOW later AS (PARTITION BY ${key("user_id")} ORDER BY created_at ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING)),
  chained AS (
    SELECT *, min(CASE WHEN ${second} THEN created_at END) OVER later AS second_at, min(CASE WHEN ${second} THEN third_at END) OVER later AS end_at
    FROM placed WINDOW later AS (PARTITION BY who ORDER BY created_at ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING)),
  entries AS (
    SELECT ${["who", "created_at", ...columns].join(", ")},
      CASE WHEN ${isNear("end_at")} THEN 3 WHEN ${isNear("second_at")} THEN 2 ELSE 1 END AS depth
    FROM chained WHERE ${first} AND created_at < ${to})`;

const count = (depth: number) => `CAST(count(*) FILTER (WHERE depth >= ${depth}) AS INTEGER)`;
const counts = [1, 2, 3].map(count).join(", ");

const funnelSql: Sql = {
  duckdb: (dialect) => `
  WITH ${entries(dialect, [])},
  people AS (SELECT who, max(depth) AS depth FROM entries GROUP BY 1)
  SELECT ${counts} FROM people`,
  clickhouse: ({ events, from, to }) => `
  WITH people AS (
    SELECT user_id, windowFunnel(${windowDays * 86_400_000})(toUInt64(toUnixTimestamp64Milli(created_at)),
      ${first} AND created_at < ${to}, ${second}, ${third}) AS depth
    FROM ${events} WHERE name IN ('${names.join("', '")}') AND created_at >= ${from} AND created_at < ${to} + INTERVAL ${windowDays} DAY GROUP BY 1)
  SELECT ${counts} FROM people`,
};

const byBrowserSql = (firstBrowser: string): Sql["duckdb"] => (dialect) => `
  WITH ${entries(dialect, ["browser"])},
  deepest AS (SELECT who, max(depth) AS depth, ${firstBrowser} AS browser FROM entries GROUP BY 1)
  SELECT ${dialect.text("browser")}, ${counts} FROM deepest GROUP BY browser ORDER BY 2 DESC, 1`;

const entitiesOf = (shown: Funnel["steps"]) => shown.map(({ entities }) => entities);
const funnelCells = (answer: unknown): Cell[][] => [entitiesOf((answer as Funnel).steps)];
const rowCells = (answer: unknown): Cell[][] => ((answer as Funnel).rows ?? []).map((row) => [...row.values, ...entitiesOf(row.steps)]);

/** How far people go. */
export const funnelQueries: readonly BenchQuery[] = [
  {
    name: "funnel of three steps, 30 days",
    run: (daybook, window) => daybook.funnel({ ...window, steps }),
    canonical: funnelCells,
    sql: funnelSql,
  },
  {
    name: "funnel of three steps by browser, 30 days",
    run: (daybook, window) => daybook.funnel({ ...window, steps, breakdown: { fields: ["browser"] } }),
    canonical: rowCells,
    sql: {
      duckdb: byBrowserSql("arg_min(browser, (-depth, created_at))"),
      clickhouse: byBrowserSql("argMin(browser, (-depth, created_at))"),
    },
  },
];
