import type { LtvCohorts, RevenueByAttribution } from "daybook";
import { type Dialect, shared, type Sql } from "./dialect.js";
import type { Cell, BenchQuery } from "./bench-query.js";

const project = "web";
const channelCount = 100;

type Level = "identity" | "account";

/** What tells the entities of a level apart: a user, or the user's company where there is one. */
const entityColumn: Record<Level, (dialect: Dialect, row?: string) => string> = {
  identity: ({ key }, row = "") => key(`${row}user_id`),
  account: ({ either }, row = "") => either(`${row}company_id`, `${row}user_id`),
};

/** Payments and refunds that count: of payments with one order key the earliest, and all refunds, which have no ids of their own here. */
export const paid = ({ events }: Dialect, where: string) => `
  paid AS (
    SELECT created_at, project, user_id, company_id, external_id, value FROM ${events} WHERE ${where}
    QUALIFY external_id IS NULL OR value < 0 OR row_number() OVER (PARTITION BY project, external_id, value < 0 ORDER BY created_at) = 1)`;

const isHere = `value IS NOT NULL AND project = '${project}'`;
const paidHere = (dialect: Dialect) => paid(dialect, isHere);
const orders = "CAST(count(*) FILTER (WHERE value > 0) AS INTEGER)";

const ltvSql = (level: Level) =>
  shared((dialect) => {
    const entity = entityColumn[level](dialect);
    return `
  WITH ${paidHere(dialect)},
  money AS (SELECT ${entity} AS who, sum(value) AS revenue, ${orders} AS orders FROM paid GROUP BY 1),
  entities AS (
    SELECT ${entity} AS who, min(created_at) AS first_at, ${dialect.any(`project = '${project}'`)} AS is_here FROM ${dialect.events} GROUP BY 1),
  months AS (
    SELECT date_trunc('month', first_at) AS month, CAST(count(*) AS INTEGER) AS n, coalesce(sum(revenue), 0) AS revenue,
      CAST(coalesce(sum(orders), 0) AS INTEGER) AS orders
    FROM entities LEFT JOIN money ON entities.who = money.who WHERE is_here GROUP BY 1)
  SELECT left(CAST(month AS VARCHAR), 7), n, CAST(revenue AS DOUBLE), orders, ${dialect.rounded("CAST(revenue * 100 AS DOUBLE) / n")} / 100
  FROM months ORDER BY 1 DESC LIMIT 24`;
  });

// A refund is told by the visits before the payment that it gives back.
const conversions = (dialect: Dialect, level: Level) => `
  conversions AS (
    SELECT ${entityColumn[level](dialect, "gone.")} AS who, gone.value AS value, coalesce(came.created_at, gone.created_at) AS paid_at
    FROM paid AS gone LEFT JOIN paid AS came ON gone.value < 0 AND came.value > 0 AND came.external_id = gone.external_id
    WHERE gone.created_at >= ${dialect.from} AND gone.created_at < ${dialect.to})`;

const isTouch = "(utm_source IS NOT NULL OR referrer_host IS NOT NULL)";

const sourceOf = ({ text }: Dialect, touch = "") => `coalesce(${text(`${touch}utm_source`)}, ${text(`${touch}referrer_host`)})`;

/** For ClickHouse, which otherwise gathers the touches of everybody; DuckDB is slower with it. */
const ofPayers = (dialect: Dialect, level: Level) => {
  const entity = entityColumn[level](dialect);
  return `AND ${entity} IN (SELECT ${entity} FROM ${dialect.events} WHERE ${isHere})`;
};

/** `touched`: per conversion its touch's time and source, null without a touch. */
const bySource = (touched: string, source: string) => `
  SELECT CASE WHEN touch_at IS NULL THEN '(direct)' ELSE ${source} END, CAST(sum(value) AS DOUBLE), ${orders}
  FROM ${touched} GROUP BY 1 ORDER BY 2 DESC, 3 DESC, 1 LIMIT ${channelCount}`;

const firstTouchSql = (level: Level): Sql => {
  const form = (dialect: Dialect, first: string, source: string, alsoWhere: string) => `
  WITH ${paidHere(dialect)}, ${conversions(dialect, level)},
  firsts AS (
    SELECT ${entityColumn[level](dialect)} AS toucher, min(created_at) AS touch_at, ${first} AS touch
    FROM ${dialect.events} WHERE ${isTouch} ${alsoWhere} GROUP BY 1)
  ${bySource("conversions LEFT JOIN firsts ON toucher = who AND touch_at <= paid_at", source)}`;
  const columnsOfFirst = "arg_min({'utm_source': utm_source, 'referrer_host': referrer_host}, created_at)";
  return {
    duckdb: (dialect) => form(dialect, columnsOfFirst, sourceOf(dialect, "touch."), ""),
    clickhouse: (dialect) => form(dialect, `argMin(${sourceOf(dialect)}, created_at)`, "touch", ofPayers(dialect, level)),
  };
};

const lastTouchSql = (level: Level): Sql => {
  const form = (dialect: Dialect, alsoWhere: string) => `
  WITH ${paidHere(dialect)}, ${conversions(dialect, level)},
  touches AS (
    SELECT ${entityColumn[level](dialect)} AS toucher, created_at AS touch_at, utm_source, referrer_host
    FROM ${dialect.events} WHERE ${isTouch} AND created_at < ${dialect.to} ${alsoWhere})
  ${bySource("conversions ASOF LEFT JOIN touches ON toucher = who AND touch_at <= paid_at", sourceOf(dialect))}`;
  return { duckdb: (dialect) => form(dialect, ""), clickhouse: (dialect) => form(dialect, ofPayers(dialect, level)) };
};

function channelCells(answer: unknown): Cell[][] {
  return (answer as RevenueByAttribution).rows.map(({ dimension, revenue, orders }) => [dimension, revenue, orders]);
}

function cohortCells(answer: unknown): Cell[][] {
  return (answer as LtvCohorts).cohorts.map(({ cohort, entities, revenue, orders, ltv }) => [cohort, entities, revenue, orders, ltv]);
}

const attribution = (model: "first_touch" | "last_touch", level: Level, sql: Sql): BenchQuery => ({
  name: `revenue by source, ${model === "first_touch" ? "first" : "last"} touch, ${level}`,
  run: (daybook, window) => daybook.revenueByAttribution({ ...window, project, model, level, dimension: "source", limit: channelCount }),
  canonical: channelCells,
  sql,
});

const ltv = (level: Level): BenchQuery => ({
  name: `LTV cohorts, ${level}, all time`,
  run: (daybook) => daybook.ltvCohorts({ project, level }),
  canonical: cohortCells,
  sql: ltvSql(level),
});

/** Who pays, since when, and who brought them. */
export const moneyQueries: readonly BenchQuery[] = [
  ltv("identity"),
  ltv("account"),
  attribution("first_touch", "identity", firstTouchSql("identity")),
  attribution("last_touch", "identity", lastTouchSql("identity")),
  attribution("first_touch", "account", firstTouchSql("account")),
];
