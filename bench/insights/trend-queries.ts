import type { Trend } from "daybook";
import { TRAFFIC_DAYS } from "../traffic.js";
import { type Dialect, inWindow, shared } from "../dialect.js";
import { paid } from "../money-queries.js";
import type { Cell, BenchQuery } from "../bench-query.js";
import { dayOf } from "./days.js";

/** All days of the traffic: what comes in while queries are asked is later. */
const allDays = { startDate: TRAFFIC_DAYS.first, endDate: TRAFFIC_DAYS.last };
const seriesCount = 25;

const weekAndCountrySql = shared(
  ({ events, text }) => `
  WITH cells AS (
    SELECT location_country, CAST(date_trunc('week', created_at) AS DATE) AS week, CAST(count(*) AS INTEGER) AS n FROM ${events} GROUP BY 1, 2),
  ranked AS (
    SELECT location_country AS country, CAST(sum(n) AS INTEGER) AS total FROM cells GROUP BY 1 ORDER BY total DESC, country LIMIT ${seriesCount})
  SELECT ${text("location_country")}, CAST(week - DATE '1970-01-01' AS INTEGER), n, total
  FROM cells JOIN ranked ON country = location_country ORDER BY total DESC, location_country, week`,
);

// New York is five hours behind UTC, four from 8 March on. In DuckDB this is faster than its own time zones.
const behind = (instant: string) => `CASE WHEN ${instant} < TIMESTAMP '2026-03-08 07:00:00' THEN INTERVAL 5 HOUR ELSE INTERVAL 4 HOUR END`;
const newYorkDay = (instant: string) => dayOf(`${instant} - ${behind(instant)}`);
const newYorkSql = shared(
  ({ events, from, to }) => `
  SELECT ${newYorkDay("created_at")}, CAST(count(DISTINCT user_id) AS INTEGER) FROM ${events}
  WHERE created_at >= ${from} + ${behind(from)} AND created_at < ${to} + ${behind(to)}
  GROUP BY 1 ORDER BY 1`,
);

const revenueSql = shared(
  (dialect) => `
  WITH ${paid(dialect, "value IS NOT NULL")}
  SELECT left(CAST(date_trunc('month', created_at) AS VARCHAR), 7), CAST(sum(value) AS DOUBLE) FROM paid GROUP BY 1 ORDER BY 1`,
);

const buyersSql = shared(
  (dialect: Dialect) => `
  WITH buyers AS (SELECT user_id FROM ${dialect.events} WHERE name = 'purchase' GROUP BY 1 HAVING count(*) >= 3)
  SELECT CAST(count(DISTINCT user_id) AS INTEGER) FROM ${dialect.events} WHERE ${inWindow(dialect)} AND user_id IN (SELECT user_id FROM buyers)`,
);

/** Figures that are not 0, by series and day. */
function cellsByDay(answer: unknown): Cell[][] {
  const { buckets, series } = answer as Trend;
  return series.flatMap(({ values, data, total }) =>
    data.flatMap((figure, at): Cell[][] => {
      const day = Date.parse(buckets[at]?.local ?? "") / 86_400_000;
      return figure === null || figure === 0 ? [] : [[...values, day, figure, ...(values.length === 0 ? [] : [total ?? 0])]];
    }),
  );
}

const cellsByMonth = (answer: unknown): Cell[][] => {
  const { buckets, series } = answer as Trend;
  return (series[0]?.data ?? []).map((figure, at) => [buckets[at]?.local ?? "", figure ?? 0]);
};

const filterGroups = [{ filters: [{ fieldName: "identity_id", operator: "in_segment", value: "buyers" }] }];
const segments = { buyers: { groups: [{ conditions: [{ type: "did", eventName: "purchase", atLeast: 3 } as const] }] } };

/** Figures over time, and of the people of a segment. */
export const trendQueries: readonly BenchQuery[] = [
  {
    name: "trend by week and country, 90 days",
    run: (daybook) => daybook.trend({ ...allDays, interval: "week", breakdown: { fields: ["location_country"], limit: seriesCount } }),
    canonical: cellsByDay,
    sql: weekAndCountrySql,
  },
  {
    name: "trend, unique users per day of New York, 30 days",
    run: (daybook, window) => daybook.trend({ ...window, measure: { type: "unique_users" }, timeZone: "America/New_York" }),
    canonical: cellsByDay,
    sql: newYorkSql,
  },
  {
    name: "trend, revenue by month, 90 days",
    run: (daybook) => daybook.trend({ ...allDays, measure: { type: "revenue" }, interval: "month" }),
    canonical: cellsByMonth,
    sql: revenueSql,
  },
  {
    name: "unique users in a segment, 30 days",
    run: (daybook, window) => daybook.countUniqueUsers({ ...window, filterGroups, segments }),
    canonical: (answer) => answer as number,
    sql: buyersSql,
  },
];
