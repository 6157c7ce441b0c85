import type { Lifecycle, Retention, Stickiness } from "daybook";
import { type Dialect, inWindow, shared, type Sql } from "../dialect.js";
import type { Cell, BenchQuery } from "../bench-query.js";
import { TRAFFIC_DAYS } from "../traffic.js";
import { dayOf, mondayOf } from "./days.js";

/** Whole weeks: what comes in while queries are asked begins in the week after. */
const weeks = { startDate: TRAFFIC_DAYS.first, endDate: "2026-03-29", interval: "week" } as const;
const lastMonday = Date.UTC(2026, 2, 23) / 86_400_000;
const periodCount = 13;

const periods = Array.from({ length: periodCount + 1 }, (_, period) => `${mondayOf("created_at")} = ${mondayOf("first_at")} + ${period * 7}`);

const activeWeeks = ({ events, key }: Dialect) => `
  active AS (SELECT ${key("user_id")} AS who, ${mondayOf("created_at")} AS week FROM ${events} GROUP BY 1, 2)`;

const retentionSql: Sql = {
  duckdb: (dialect) => `
  WITH ${activeWeeks(dialect)},
  firsts AS (SELECT who, min(week) AS first FROM active GROUP BY 1)
  SELECT first, CAST((week - first) / 7 AS INTEGER) AS period, CAST(count(*) AS INTEGER)
  FROM active JOIN firsts USING (who) WHERE first <= ${lastMonday} GROUP BY 1, 2 ORDER BY 1, 2`,
  clickhouse: ({ events }) => `
  WITH firsts AS (SELECT user_id AS who, min(created_at) AS first_at FROM ${events} GROUP BY 1),
  returns AS (
    SELECT ${mondayOf("any(first_at)")} AS first, retention(${periods.join(", ")}) AS periods
    FROM ${events} JOIN firsts ON user_id = who GROUP BY user_id)
  SELECT first, period - 1, CAST(n AS INTEGER)
  FROM (SELECT first, sumForEach(periods) AS counts FROM returns WHERE first <= ${lastMonday} GROUP BY 1)
  ARRAY JOIN counts AS n, arrayEnumerate(counts) AS period WHERE n > 0 ORDER BY 1, 2`,
};

// Of ClickHouse, what is behind the edge of a window is 0 and not NULL.
const lifecycleSql = shared(
  (dialect) => `
  WITH ${activeWeeks(dialect)},
  placed AS (
    SELECT week, coalesce(lag(week) OVER in_order, 0) AS before, coalesce(lead(week) OVER in_order, 0) AS after FROM active
    WINDOW in_order AS (PARTITION BY who ORDER BY week)),
  states AS (
    SELECT week, CASE WHEN before = 0 THEN 1 ELSE 0 END AS is_new, CASE WHEN before = week - 7 THEN 1 ELSE 0 END AS is_returning,
      0 AS is_dormant FROM placed
    UNION ALL SELECT week + 7, 0, 0, 1 FROM placed WHERE after = 0 OR after > week + 7)
  SELECT week, CAST(sum(is_new) AS INTEGER), CAST(sum(is_returning) AS INTEGER),
    CAST(sum(1 - is_new - is_returning - is_dormant) AS INTEGER), CAST(sum(is_dormant) AS INTEGER)
  FROM states WHERE week <= ${lastMonday} GROUP BY 1 ORDER BY 1`,
);

const stickinessSql = shared(
  (dialect) => `
  WITH active AS (
    SELECT ${dialect.key("user_id")} AS who, count(DISTINCT ${dayOf("created_at")}) AS days
    FROM ${dialect.events} WHERE ${inWindow(dialect)} GROUP BY 1)
  SELECT CAST(days AS INTEGER), CAST(count(*) AS INTEGER) FROM active GROUP BY 1 ORDER BY 1`,
);

const dayCount = (local: string | null) => Date.parse(local ?? "") / 86_400_000;

function retentionCells(answer: unknown): Cell[][] {
  return (answer as Retention).cohorts.flatMap(({ bucket, periods: shown }) =>
    shown.flatMap(({ entities }, period): Cell[][] =>
      entities === null || entities === 0 ? [] : [[dayCount(bucket.local), period, entities]]),
  );
}

const lifecycleCells = (answer: unknown): Cell[][] =>
  (answer as Lifecycle).buckets.map((bucket) =>
    [dayCount(bucket.local), bucket.new, bucket.returning, bucket.resurrecting, bucket.dormant]);

const stickinessCells = (answer: unknown): Cell[][] =>
  (answer as Stickiness).buckets.flatMap(({ units }) => units.map((item): Cell[] => [item.units, item.entities]));

/** Who comes again. */
export const returnQueries: readonly BenchQuery[] = [
  {
    name: "weekly retention, 90 days",
    run: (daybook) => daybook.retention({ ...weeks, periods: periodCount }),
    canonical: retentionCells,
    sql: retentionSql,
  },
  {
    name: "lifecycle by week, 90 days",
    run: (daybook) => daybook.lifecycle(weeks),
    canonical: lifecycleCells,
    sql: lifecycleSql,
  },
  {
    name: "stickiness by day, 30 days",
    run: (daybook, window) => daybook.stickiness(window),
    canonical: stickinessCells,
    sql: stickinessSql,
  },
];
