import type { AggregateItem, FilterGroupInput, PerDayItem } from "daybook";
import { byCount, type Canonical, inWindow, msOf, type Question } from "./question.js";

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
const perDay = (value: string, where: string) => `SELECT ${day}, ${value} FROM events WHERE ${where} GROUP BY 1 ORDER BY 1`;

const number = (answer: unknown): Canonical => answer as number;
const days = (answer: unknown): Canonical =>
  (answer as readonly PerDayItem[]).map((item) => [Date.parse(item.day) / 86_400_000, item.count]);
const properties = (answer: unknown): Canonical =>
  (answer as readonly AggregateItem[]).map(({ property, count }) => [property, count]);
const records = (answer: unknown): Canonical =>
  (answer as { events: readonly { id: string; createdAt: string }[] }).events.map(({ id, createdAt }) => [id, Date.parse(createdAt)]);

const asked: readonly Omit<Question, "barMs">[] = [
  {
    name: "count, 30 days",
    ask: (daybook, window) => daybook.countEvents(window),
    canonical: number,
    sql: `SELECT ${count} FROM events WHERE ${inWindow}`,
  },
  {
    name: "count, 30 days to the minute",
    ask: (daybook, { startDate, endDate }) =>
      daybook.countEvents({ startDate: `${startDate}T11:30:00Z`, endDate: `${endDate}T11:29:59.999Z` }),
    canonical: number,
    sql: `SELECT ${count} FROM events WHERE created_at >= :from + INTERVAL '690 minutes' AND created_at < :to - INTERVAL '750 minutes'`,
  },
  {
    name: "count, three filters",
    ask: (daybook, window) => daybook.countEvents({ ...window, filterGroups: three }),
    canonical: number,
    sql: `SELECT ${count} FROM events WHERE ${inWindow} AND ${threeSql}`,
  },
  {
    name: "count, OR of two AND groups",
    ask: (daybook, window) => daybook.countEvents({ ...window, filterGroups: either }),
    canonical: number,
    sql: `SELECT ${count} FROM events WHERE ${inWindow} AND ${eitherSql}`,
  },
  {
    name: "per day, browser filter, 90 days",
    ask: (daybook) => daybook.countEventsPerDay({ filterGroups: chrome }),
    canonical: days,
    sql: perDay(count, "browser = 'Chrome'"),
  },
  {
    name: "running total per day, 90 days",
    ask: (daybook) => daybook.countEventsRunningTotalPerDay(),
    canonical: days,
    sql: `SELECT d, CAST(sum(n) OVER (ORDER BY d) AS INTEGER) FROM (SELECT ${day} AS d, count(*) AS n FROM events GROUP BY 1) ORDER BY d`,
  },
  {
    name: "unique users",
    ask: (daybook, window) => daybook.countUniqueUsers(window),
    canonical: number,
    sql: `SELECT ${users} FROM events WHERE ${inWindow}`,
  },
  {
    name: "unique users, OR of two AND groups",
    ask: (daybook, window) => daybook.countUniqueUsers({ ...window, filterGroups: either }),
    canonical: number,
    sql: `SELECT ${users} FROM events WHERE ${inWindow} AND ${eitherSql}`,
  },
  {
    name: "unique users, url contains",
    ask: (daybook, window) => daybook.countUniqueUsers({ ...window, filterGroups: urlContains }),
    canonical: number,
    sql: `SELECT ${users} FROM events WHERE ${inWindow} AND contains(url, 'checkout')`,
  },
  {
    name: "unique users per day, 90 days",
    ask: (daybook) => daybook.countUniqueUsersPerDay(),
    canonical: days,
    sql: perDay(users, "true"),
  },
  {
    name: "unique users per day, filter, 90 days",
    ask: (daybook) => daybook.countUniqueUsersPerDay({ filterGroups: chrome }),
    canonical: days,
    sql: perDay(users, "browser = 'Chrome'"),
  },
  {
    name: "aggregate country",
    ask: (daybook, window) => daybook.aggregate({ ...window, field: "location_country" }),
    canonical: properties,
    sql: byCount("location_country", inWindow),
  },
  {
    name: "aggregate country, OR of two AND groups",
    ask: (daybook, window) => daybook.aggregate({ ...window, field: "location_country", filterGroups: either }),
    canonical: properties,
    sql: byCount("location_country", `${inWindow} AND ${eitherSql}`),
  },
  {
    name: "aggregate url",
    ask: (daybook, window) => daybook.aggregate({ ...window, field: "url" }),
    canonical: properties,
    sql: byCount("url", inWindow),
  },
  {
    name: "aggregate url, filter",
    ask: (daybook, window) => daybook.aggregate({ ...window, field: "url", filterGroups: chrome }),
    canonical: properties,
    sql: byCount("url", `${inWindow} AND browser = 'Chrome'`),
  },
  {
    name: "aggregate metadata plan",
    ask: (daybook, window) => daybook.aggregate({ ...window, metadataField: "plan" }),
    canonical: properties,
    sql: byCount("plan", inWindow),
  },
  {
    name: "aggregate user_id, top 100",
    ask: (daybook, window) => daybook.aggregate({ ...window, field: "user_id", limit: 100 }),
    canonical: properties,
    sql: byCount("user_id", inWindow, "LIMIT 100"),
  },
  {
    name: "aggregate user_id, all",
    ask: (daybook, window) => daybook.aggregate({ ...window, field: "user_id" }),
    canonical: properties,
    sql: byCount("user_id", inWindow),
  },
  {
    name: "search, page 1, two filters",
    ask: (daybook, window) => daybook.searchEvents({ ...window, filterGroups: two }),
    canonical: records,
    sql: `SELECT CAST(id AS VARCHAR), ${msOf("created_at")}, CAST(COLUMNS(* EXCLUDE (id, created_at, referrer_host, company_id, currency, external_id, value)) AS VARCHAR) FROM events WHERE ${inWindow} AND browser = 'Safari' AND name = 'click' ORDER BY created_at DESC, id DESC LIMIT 100`,
    comparedColumnCount: 2,
  },
];

/** The questions that filters, groups and days make. */
export const eventQuestions: readonly Question[] = asked.map((question) => ({ ...question, barMs: 50 }));
