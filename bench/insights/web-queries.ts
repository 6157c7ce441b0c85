import type { WebOverview } from "daybook";
import { type Dialect, inWindow, shared } from "../dialect.js";
import type { Cell, BenchQuery } from "../bench-query.js";
import { cell, integer, rate, seconds } from "./cells.js";
import { sessions } from "./sessions.js";

const listCount = 10;
/** Of a visit's own touch. */
const touchColumns = ["utm_source", "utm_medium", "utm_campaign", "referrer_host"];
const traits = ["location_country", "device", "browser", "os"];
const inTheirOrder = "ORDER BY visitors DESC, visits DESC, label";
const noFigures = "0.0 AS views_per_visit, 0.0 AS bounce_rate, 0.0 AS mean";

function listsSql({ text }: Dialect): string {
  const ofTouch = (column: string, ofReferrer: string) => `coalesce(${text(column)},
    CASE WHEN utm_source IS NOT NULL THEN '(not set)' WHEN referrer_host IS NOT NULL THEN '${ofReferrer}' ELSE '(none)' END)`;
  const values = [
    ...["entry_page", "exit_page"].map(text),
    `coalesce(${text("utm_source")}, ${text("referrer_host")}, '(direct)')`,
    ofTouch("utm_medium", "referral"),
    ofTouch("utm_campaign", "(not set)"),
    ...traits.map(text),
  ];
  const list = (value: string, at: number) => `
  SELECT * FROM (
    SELECT ${at + 2} AS part, ${value} AS label, ${integer("count(DISTINCT who)")} AS visitors, ${integer("count(*)")} AS visits, ${noFigures}
    FROM sessions GROUP BY label ${inTheirOrder} LIMIT ${listCount})`;
  return values.map(list).join(" UNION ALL ");
}

const webSql = shared(
  (dialect) => `
  WITH RECURSIVE ${sessions(dialect, [...touchColumns, ...traits])},
  viewed AS (
    SELECT ${integer("count(DISTINCT user_id)")} AS visitors, ${integer("count(*) FILTER (WHERE name = 'pageview')")} AS views
    FROM ${dialect.events} WHERE ${inWindow(dialect)}),
  pages AS (
    SELECT 1 AS part, ${dialect.text("url")} AS label, ${integer("count(DISTINCT user_id)")} AS visitors, ${integer("count(*)")} AS visits,
      ${noFigures}
    FROM ${dialect.events} WHERE ${inWindow(dialect)} AND name = 'pageview' GROUP BY url ${inTheirOrder} LIMIT ${listCount}),
  visited AS (
    SELECT count(*) AS visits, ${rate("sum(views)", "count(*)")} AS views_per_visit,
      ${rate("count(*) FILTER (WHERE n = 1)", "count(*)")} AS bounce_rate, ${seconds("avg(ms)")} AS mean
    FROM sessions),
  parts AS (
    SELECT 0 AS part, CAST(visits AS VARCHAR) AS label, visitors, views AS visits, views_per_visit, bounce_rate, mean FROM viewed, visited
    UNION ALL SELECT * FROM pages UNION ALL ${listsSql(dialect)})
  SELECT * FROM parts ORDER BY part, visitors DESC, visits DESC, label`,
);

function webCells(answer: unknown): Cell[][] {
  const { figures, pages, ...rest } = answer as WebOverview;
  const lists = [
    ...[rest.entryPages, rest.exitPages, rest.sources, rest.mediums, rest.campaigns],
    ...[rest.countries, rest.devices, rest.browsers, rest.systems],
  ];
  const { visits, visitors, views, viewsPerVisit, bounceRate, durationAvgSec } = figures;
  return [
    [0, String(visits), visitors, views, ...[viewsPerVisit, bounceRate, durationAvgSec].map(cell)],
    ...pages.map((page): Cell[] => [1, page.value, page.visitors, page.views, 0, 0, 0]),
    ...lists.flatMap((list, at) => list.map((item): Cell[] => [at + 2, item.value, item.visitors, item.visits, 0, 0, 0])),
  ];
}

/** What a web site's page of figures shows. */
export const webQueries: readonly BenchQuery[] = [
  {
    name: "web overview, 30 days",
    run: (daybook, window) => daybook.webOverview(window),
    canonical: webCells,
    sql: webSql,
  },
];
