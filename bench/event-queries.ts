import { TRAFFIC_DAYS } from "./traffic.js";
import type { AggregateItem, FilterGroupInput, PerDayItem } from "daybook";
import { byCount, type Dialect, inWindow, shared } from "./dialect.js";
import type { Canonical, BenchQuery } from "./bench-query.js";

/** What comes in while queries are asked is later. */
const endDate = TRAFFIC_DAYS.last;
const filters = (...items: readonly (readonly [string, string, string])[]): FilterGroupInput => ({
  filters: items.map(([fieldName, operator, value]) => ({ fieldName, operator, value })),
});

const three = [filters(["browser", "=", "Chrome"], ["location_country", "=", "DE"], ["device", "=", "desktop"])];
const either = [
  filters(["browser", "=", "Firefox"], ["location_country", "in", "US,GB,FR"]),
  filters(["name", "=", "purchase"], ["device", "=", "mobile"]),
];
const two = [filters(["browser", "=", "Safari"], ["name", "=", "click"])];
const chrome = [filters(["browser", "=", "Chrome"])];
const urlContains = [filters(["url", "contains", "checkout"])];

const threeSql = "browser = 'Chrome' AND location_country = 'DE' AND device = 'desktop'";
const eitherSql =
  "((browser = 'Firefox' AND location_country IN ('US', 'GB', 'FR')) OR (name = 'purchase' AND device = 'mobile'))";
const day = "CAST(CAST(created_at AS DATE) - DATE '1970-01-01' AS INTEGER)";
const count = "CAST(count(*) AS INTEGER)";
const users = "CAST(count(DISTINCT user_id) AS INTEGER)";
const perDay = (value: string, where: string) =>
  shared(({ events }) => `SELECT ${day}, ${value} FROM ${events} WHERE ${where} GROUP BY 1 ORDER BY 1`);
/** One number about the window's rows that pass. */
const ofWindow = (value: string, where = "true") =>
  shared((dialect) => `SELECT ${value} FROM ${dialect.events} WHERE ${inWindow(dialect)} AND ${where}`);
const ranked = (column: string, where = "true", limit = "") =>
  shared((dialect) => byCount(dialect, column, `${inWindow(dialect)} AND ${where}`, limit));

/** The last hundred rows as Daybook shows them. */
const page = (shown: string, idOrder: string) => (dialect: Dialect) =>
  `SELECT CAST(id AS VARCHAR), ${dialect.ms("created_at")}, ${shown} FROM ${dialect.events}
  WHERE ${inWindow(dialect)} AND browser = 'Safari' AND name = 'click' ORDER BY created_at DESC, ${idOrder} DESC LIMIT 100`;
const notShown = "(id, created_at, referrer_host, company_id, currency, external_id, value)";

const number = (answer: unknown): Canonical => answer as number;
const days = (answer: unknown): Canonical =>
  (answer as readonly PerDayItem[]).map((item) => [Date.parse(item.day) / 86_400_000, item.count]);
const properties = (answer: unknown): Canonical =>
  (answer as readonly AggregateItem[]).map(({ property, count }) => [property, count]);
const records = (answer: unknown): Canonical =>
  (answer as { events: readonly { id: string; createdAt: string }[] }).events.map(({ id, createdAt }) => [id, Date.parse(createdAt)]);

/** The queries that filters, groups and days make. */
export const eventQueries: readonly BenchQuery[] = [
  {
    name: "count, 30 days",
    run: (daybook, window) => daybook.countEvents(window),
    canonical: number,
    sql: ofWindow(count),
  },
  {
    name: "count, 30 days to the minute",
    run: (daybook, { startDate, endDate }) =>
      daybook.countEvents({ startDate: `${startDate}T11:30:00Z`, endDate: `${endDate}T11:29:59.999Z` }),
    canonical: number,
    sql: shared(
      ({ events, from, to }) =>
        `SELECT ${count} FROM ${events} WHERE created_at >= ${from} + INTERVAL 690 MINUTE AND created_at < ${to} - INTERVAL 750 MINUTE`,
    ),
  },
  {
    name: "count, three filters",
    run: (daybook, window) => daybook.countEvents({ ...window, filterGroups: three }),
    canonical: number,
    sql: ofWindow(count, threeSql),
  },
  {
    name: "count, OR of two AND groups",
    run: (daybook, window) => daybook.countEvents({ ...window, filterGroups: either }),
    canonical: number,
    sql: ofWindow(count, eitherSql),
  },
  {
    name: "per day, browser filter, 90 days",
    run: (daybook) => daybook.countEventsPerDay({ endDate, filterGroups: chrome }),
    canonical: days,
    sql: perDay(count, "browser = 'Chrome'"),
  },
  {
    name: "running total per day, 90 days",
    run: (daybook) => daybook.countEventsRunningTotalPerDay({ endDate }),
    canonical: days,
    sql: shared(
      ({ events }) =>
        `WITH days AS (SELECT ${day} AS d, count(*) AS n FROM ${events} GROUP BY 1)
        SELECT d, CAST(sum(n) OVER (ORDER BY d) AS INTEGER) FROM days ORDER BY d`,
    ),
  },
  {
    name: "unique users",
    run: (daybook, window) => daybook.countUniqueUsers(window),
    canonical: number,
    sql: ofWindow(users),
  },
  {
    name: "unique users, OR of two AND groups",
    run: (daybook, window) => daybook.countUniqueUsers({ ...window, filterGroups: either }),
    canonical: number,
    sql: ofWindow(users, eitherSql),
  },
  {
    name: "unique users, url contains",
    run: (daybook, window) => daybook.countUniqueUsers({ ...window, filterGroups: urlContains }),
    canonical: number,
    sql: ofWindow(users, "url LIKE '%checkout%'"),
  },
  {
    name: "unique users per day, 90 days",
    run: (daybook) => daybook.countUniqueUsersPerDay({ endDate }),
    canonical: days,
    sql: perDay(users, "true"),
  },
  {
    name: "unique users per day, filter, 90 days",
    run: (daybook) => daybook.countUniqueUsersPerDay({ endDate, filterGroups: chrome }),
    canonical: days,
    sql: perDay(users, "browser = 'Chrome'"),
  },
  {
    name: "aggregate country",
    run: (daybook, window) => daybook.aggregate({ ...window, field: "location_country" }),
    canonical: properties,
    sql: ranked("location_country"),
  },
  {
    name: "aggregate country, OR of two AND groups",
    run: (daybook, window) => daybook.aggregate({ ...window, field: "location_country", filterGroups: either }),
    canonical: properties,
    sql: ranked("location_country", eitherSql),
  },
  {
    name: "aggregate url",
    run: (daybook, window) => daybook.aggregate({ ...window, field: "url" }),
    canonical: properties,
    sql: ranked("url"),
  },
  {
    name: "aggregate url, filter",
    run: (daybook, window) => daybook.aggregate({ ...window, field: "url", filterGroups: chrome }),
    canonical: properties,
    sql: ranked("url", "browser = 'Chrome'"),
  },
  {
    name: "aggregate metadata plan",
    run: (daybook, window) => daybook.aggregate({ ...window, metadataField: "plan" }),
    canonical: properties,
    sql: ranked("plan"),
  },
  {
    name: "aggregate user_id, top 100",
    run: (daybook, window) => daybook.aggregate({ ...window, field: "user_id", limit: 100 }),
    canonical: properties,
    sql: ranked("user_id", "true", "LIMIT 100"),
  },
  {
    name: "aggregate user_id, all",
    run: (daybook, window) => daybook.aggregate({ ...window, field: "user_id" }),
    canonical: properties,
    sql: ranked("user_id"),
  },
  {
    name: "search, page 1, two filters",
    run: (daybook, window) => daybook.searchEvents({ ...window, filterGroups: two }),
    canonical: records,
    sql: {
      duckdb: page(`CAST(COLUMNS(* EXCLUDE ${notShown}) AS VARCHAR)`, "id"),
      // ClickHouse orders UUIDs by their second half first.
      clickhouse: page(`* EXCEPT ${notShown}`, "CAST(id AS VARCHAR)"),
    },
    comparedColumnCount: 2,
  },
];
