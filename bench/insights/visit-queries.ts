import type { Paths, SessionsOverview } from "daybook";
import { type Dialect, shared } from "../dialect.js";
import type { Cell, BenchQuery } from "../bench-query.js";
import { cell, integer, seconds } from "./cells.js";
import { dayOf } from "./days.js";
import { sessions, visits } from "./sessions.js";

const pageCount = 10;
const depth = 5;
const listCount = 50;
const bounces = integer("count(*) FILTER (WHERE n = 1)");

const pagesSql = (dialect: Dialect, part: number, page: string) => `
  SELECT * FROM (
    SELECT ${part} AS part, ${dialect.text(page)} AS value, ${integer("count(*)")} AS sessions, 0 AS users, 0 AS events, 0 AS views,
      ${bounces} AS bounces, 0.0 AS mean, 0.0 AS middle, 0.0 AS most
    FROM sessions GROUP BY ${page} ORDER BY sessions DESC, value LIMIT ${pageCount})`;

const sessionsSql = shared(
  (dialect) => `
  WITH RECURSIVE ${sessions(dialect, [])},
  figures AS (
    SELECT CASE WHEN coalesce(day, 0) = 0 THEN 1 ELSE 0 END AS part, CASE WHEN coalesce(day, 0) = 0 THEN '' ELSE CAST(day AS VARCHAR) END AS value,
      ${integer("count(*)")} AS sessions,
      ${integer("count(DISTINCT who)")} AS users, ${integer("sum(n)")} AS events, ${integer("sum(views)")} AS views, ${bounces} AS bounces,
      ${seconds("avg(ms)")} AS mean, ${seconds(dialect.quantile("ms", 0.5))} AS middle, ${seconds(dialect.quantile("ms", 0.9))} AS most
    FROM (SELECT ${dayOf("started_at")} AS day, who, n, views, ms FROM sessions) AS days GROUP BY GROUPING SETS ((day), ())),
  parts AS (SELECT * FROM figures UNION ALL ${pagesSql(dialect, 2, "entry_page")} UNION ALL ${pagesSql(dialect, 3, "exit_page")})
  SELECT * FROM parts ORDER BY part, CASE WHEN part < 2 THEN 0 ELSE -sessions END, value`,
);

/** Nodes and edges; the most frequent whole ways are left out, in the peers' favour. */
const pathsSql = shared(
  (dialect) => `
  WITH RECURSIVE ${visits(dialect, ["url"])},
  turned AS (
    SELECT who, started_at, created_at, url, lag(url) OVER (PARTITION BY who, started_at ORDER BY created_at) AS before FROM visits),
  nodes AS (
    SELECT who, started_at, url, row_number() OVER (PARTITION BY who, started_at ORDER BY created_at) AS step
    FROM turned WHERE before IS NULL OR before <> url),
  edges AS (
    SELECT step, url, lead(url) OVER (PARTITION BY who, started_at ORDER BY step) AS next FROM nodes WHERE step <= ${depth + 1}),
  counted AS (
    SELECT 1 AS part, step, ${dialect.text("url")} AS value, '' AS next, ${integer("count(*)")} AS n,
      ${integer("count(*) FILTER (WHERE next IS NULL)")} AS drops FROM edges WHERE step <= ${depth} GROUP BY step, url
    UNION ALL
    SELECT 2, step, ${dialect.text("url")}, ${dialect.text("next")}, ${integer("count(*)")}, 0
    FROM edges WHERE step < ${depth} AND next IS NOT NULL GROUP BY step, url, next),
  ranked AS (SELECT *, row_number() OVER (PARTITION BY part, step ORDER BY n DESC, value, next) AS place FROM counted)
  SELECT part, ${integer("step")}, value, next, n, drops FROM ranked WHERE place <= ${listCount} ORDER BY part, step, place`,
);

function overviewCells(answer: unknown): Cell[][] {
  const { buckets, total, entryPages, exitPages } = answer as SessionsOverview;
  const figures = (of: SessionsOverview["total"]) => [
    ...[of.sessions, of.users, of.events, of.pageviews, of.bounces],
    ...[of.durationAvgSec, of.durationMedianSec, of.durationP90Sec].map(cell),
  ];
  const pages = (part: number, shown: SessionsOverview["entryPages"]) =>
    shown.map((page): Cell[] => [part, page.value, page.sessions, 0, 0, 0, page.bounces, 0, 0, 0]);
  return [
    ...buckets.map((bucket): Cell[] => [0, String(Date.parse(bucket.local ?? "") / 86_400_000), ...figures(bucket)]),
    [1, "", ...figures(total)],
    ...pages(2, entryPages),
    ...pages(3, exitPages),
  ];
}

function pathCells(answer: unknown): Cell[][] {
  const { nodes, edges } = answer as Paths;
  return [
    ...nodes.map((node): Cell[] => [1, node.step, node.value, "", node.sessions, node.dropOffs]),
    ...edges.map((edge): Cell[] => [2, edge.step, edge.from, edge.to, edge.sessions, 0]),
  ];
}

/** How people go through a site. */
export const visitQueries: readonly BenchQuery[] = [
  {
    name: "sessions overview by day, 30 days",
    run: (daybook, window) => daybook.sessionsOverview({ ...window, interval: "day" }),
    canonical: overviewCells,
    sql: sessionsSql,
  },
  {
    name: "paths through pages, 30 days",
    run: (daybook, window) => daybook.paths(window),
    canonical: pathCells,
    sql: pathsSql,
  },
];
