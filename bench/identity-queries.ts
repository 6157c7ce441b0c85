import type { DeviceGeo, IdentityDeviceGeo, IdentityProfile, IdentityReferrers, IdentitySessionsPage } from "daybook";
import { byCount, type Dialect, inWindow, shared } from "./dialect.js";
import { HEAVY_USER_ID } from "./heavy-user.js";
import type { Cell, BenchQuery } from "./bench-query.js";

const userId = HEAVY_USER_ID;
const ofUser = `user_id = '${userId}'`;
const cell = (value: Cell | null) => value ?? "";

const entryColumns = ["referrer", "utm_source", "utm_medium", "utm_campaign", "device", "os", "browser", "screen", "language"];
const placeColumns = ["location_country", "location_region", "location_city"];

// In the peer's favour: no session of this user comes near to 24 hours, so that its SQL need not end one there; and all
// events of an order key are one user's, so that it finds the copies of a payment without looking at the others.
const sessions = ({ events }: Dialect, columns: readonly string[]) => `
  placed AS (
    SELECT ${["project", "created_at", "name", "value", ...columns].join(", ")}, lag(created_at) OVER in_order AS before,
      value IS NOT NULL AND (external_id IS NULL OR value < 0 OR
        row_number() OVER (PARTITION BY project, external_id, value < 0 ORDER BY created_at) = 1) AS is_counted
    FROM ${events} WHERE ${ofUser}
    WINDOW in_order AS (PARTITION BY project ORDER BY created_at)),
  started AS (SELECT *, before IS NULL OR created_at > before + INTERVAL 30 MINUTE AS is_first FROM placed),
  numbered AS (SELECT *, count(*) FILTER (WHERE is_first) OVER (PARTITION BY project ORDER BY created_at) AS session FROM started)`;

const ofFirst = (column: string) => `any_value(${column}) FILTER (WHERE is_first) AS ${column}`;

const sessionsSql = shared(
  (dialect) => `
  WITH ${sessions(dialect, ["url", ...entryColumns, ...placeColumns])},
  shown AS (
    SELECT project, min(created_at) AS first_at, max(created_at) AS last_at, CAST(count(*) AS INTEGER) AS n,
      CAST(count(*) FILTER (WHERE name = 'pageview') AS INTEGER) AS pageviews, argMax(url, created_at) AS exit_url,
      ${["url", ...entryColumns, ...placeColumns].map(ofFirst).join(", ")},
      CAST(coalesce(sum(value) FILTER (WHERE is_counted), 0) AS DOUBLE) AS revenue
    FROM numbered GROUP BY project, session
    HAVING min(created_at) >= ${dialect.from} AND min(created_at) < ${dialect.to}
    ORDER BY first_at DESC LIMIT 50)
  SELECT ${dialect.text("project")}, ${dialect.ms("first_at")}, ${dialect.ms("last_at")},
    (${dialect.ms("last_at")} - ${dialect.ms("first_at")}) / 1000, n, pageviews,
    ${["url", "exit_url", ...entryColumns, ...placeColumns].map((column) => dialect.text(column)).join(", ")}, revenue
  FROM shown ORDER BY first_at DESC`,
);

const profileSql = shared(
  (dialect) => `
  WITH ${sessions(dialect, [])},
  lengths AS (
    SELECT ${dialect.ms("max(created_at)")} - ${dialect.ms("min(created_at)")} AS ms, count(*) AS n FROM numbered GROUP BY project, session
    HAVING min(created_at) >= ${dialect.from} AND min(created_at) < ${dialect.to}),
  of_sessions AS (
    SELECT CAST(count(*) AS INTEGER) AS sessions, floor(avg(ms) + 0.5) / 1000 AS mean,
      floor(${dialect.quantile("ms", 0.9)} + 0.5) / 1000 AS p90,
      floor(10000 * count(*) FILTER (WHERE n = 1) / count(*) + 0.5) / 10000 AS bounces FROM lengths),
  of_events AS (
    SELECT CAST(count(*) FILTER (WHERE ${inWindow(dialect)}) AS INTEGER) AS n,
      CAST(count(*) FILTER (WHERE ${inWindow(dialect)} AND name = 'pageview') AS INTEGER) AS pageviews,
      CAST(count(DISTINCT CAST(created_at AS DATE)) FILTER (WHERE ${inWindow(dialect)}) AS INTEGER) AS days,
      ${dialect.ms("min(created_at)")} AS first_ms, ${dialect.ms("max(created_at)")} AS last_ms,
      CAST(coalesce(sum(value) FILTER (WHERE is_counted AND ${inWindow(dialect)}), 0) AS DOUBLE) AS revenue FROM numbered)
  SELECT n, pageviews, sessions, mean, p90, bounces, days, first_ms, last_ms, revenue FROM of_events, of_sessions`,
);

const geoColumns = ["device", "os", "browser", "screen", "language", ...placeColumns];

const geoList = geoColumns.join(", ");

const deviceGeoSql = shared(
  (dialect) => `
  WITH seen AS (SELECT created_at, ${geoList} FROM ${dialect.events} WHERE ${ofUser} AND ${inWindow(dialect)}),
  current AS (SELECT * FROM seen ORDER BY created_at DESC LIMIT 1),
  history AS (
    SELECT ${geoList}, min(created_at) AS first_at, max(created_at) AS last_at, CAST(count(*) AS INTEGER) AS n
    FROM seen GROUP BY ALL),
  both_parts AS (
    SELECT 0 AS part, ${geoList}, 0 AS first_ms, ${dialect.ms("created_at")} AS last_ms, 1 AS n FROM current
    UNION ALL
    SELECT 1, ${geoList}, ${dialect.ms("first_at")}, ${dialect.ms("last_at")}, n FROM history)
  SELECT ${geoColumns.map((column) => dialect.text(column)).join(", ")}, first_ms, last_ms, n FROM both_parts
  ORDER BY part, last_ms DESC, ${geoColumns.map((column) => `${column} NULLS FIRST`).join(", ")} LIMIT 101`,
);

function sessionCells(answer: unknown): Cell[][] {
  return (answer as IdentitySessionsPage).sessions.map((item) => [
    item.project,
    Date.parse(item.startedAt),
    Date.parse(item.endedAt),
    item.durationSec,
    item.events,
    item.pageviews,
    ...[item.entryUrl, item.exitUrl, item.referrer, item.utmSource, item.utmMedium, item.utmCampaign].map(cell),
    ...[item.device, item.os, item.browser, item.screen, item.language].map(cell),
    ...[item.locationCountry, item.locationRegion, item.locationCity].map(cell),
    item.revenue,
  ]);
}

function profileCells(answer: unknown): Cell[][] {
  const { events, pageviews, sessions, durationAvgSec, durationP90Sec, bounceRate, activeDays, ...rest } = answer as IdentityProfile;
  const seenMs = [rest.firstSeen, rest.lastSeen].map((instant) => Date.parse(instant ?? ""));
  return [[events, pageviews, sessions, cell(durationAvgSec), cell(durationP90Sec), cell(bounceRate), activeDays, ...seenMs, rest.revenue]];
}

const referrerCells = (answer: unknown): Cell[][] => (answer as IdentityReferrers).referrers.map(({ referrer, count }) => [referrer, count]);

const geoCells = (geo: DeviceGeo): Cell[] =>
  [geo.device, geo.os, geo.browser, geo.screen, geo.language, geo.locationCountry, geo.locationRegion, geo.locationCity].map(cell);

function deviceGeoCells(answer: unknown): Cell[][] {
  const { current, history } = answer as IdentityDeviceGeo;
  const first = current === null ? [] : [[...geoCells(current), 0, Date.parse(current.seenAt), 1]];
  return [...first, ...history.map((item) => [...geoCells(item), Date.parse(item.firstSeen), Date.parse(item.lastSeen), item.events])];
}

/** What the pages about one person ask, for the user with thousands of events. */
export const identityQueries: readonly BenchQuery[] = [
  {
    name: "sessions of the heavy user, page 1",
    run: (daybook, window) => daybook.identitySessions({ ...window, userId }),
    canonical: sessionCells,
    sql: sessionsSql,
  },
  {
    name: "profile of the heavy user",
    run: (daybook, window) => daybook.identityProfile({ ...window, userId }),
    canonical: profileCells,
    sql: profileSql,
  },
  {
    name: "referrers of the heavy user",
    run: (daybook, window) => daybook.identityReferrers({ ...window, userId }),
    canonical: referrerCells,
    sql: shared((dialect) => byCount(dialect, "referrer", `${ofUser} AND ${inWindow(dialect)} AND referrer IS NOT NULL`, "LIMIT 10")),
  },
  {
    name: "devices and places of the heavy user",
    run: (daybook, window) => daybook.identityDeviceGeo({ ...window, userId }),
    canonical: deviceGeoCells,
    sql: deviceGeoSql,
  },
];
