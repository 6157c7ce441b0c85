import type { Dialect } from "../dialect.js";

const pauseMinutes = 30;
const maxHours = 24;

/**
 * `visits`: the events of all sessions that begin in the window, with `who` and `started_at`. A session ends before a pause of
 * more than half an hour and before an event more than 24 hours after its first. Only for the few that go on for longer the
 * events are walked from day to day.
 */
export function visits({ events, from, to, key }: Dialect, columns: readonly string[]): string {
  const shown = columns.join(", ");
  return `
  placed AS (
    SELECT ${key("user_id")} AS who, created_at, ${shown}, lag(created_at) OVER (PARTITION BY ${key("user_id")} ORDER BY created_at) AS before
    FROM ${events} WHERE created_at < ${to} + INTERVAL ${maxHours} HOUR),
  joined AS (
    SELECT who, created_at, ${shown}, max(CASE WHEN before IS NULL OR created_at > before + INTERVAL ${pauseMinutes} MINUTE THEN created_at END)
      OVER (PARTITION BY who ORDER BY created_at ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS began_at
    FROM placed),
  long AS (SELECT DISTINCT who, began_at FROM joined WHERE created_at > began_at + INTERVAL ${maxHours} HOUR),
  long_events AS (SELECT who, began_at, created_at, ${shown} FROM joined WHERE (who, began_at) IN (SELECT who, began_at FROM long)),
  cuts AS (
    SELECT who, began_at, began_at AS started_at FROM long
    UNION ALL
    SELECT cuts.who, cuts.began_at, min(created_at) FROM cuts JOIN long_events ON long_events.who = cuts.who AND long_events.began_at = cuts.began_at
    WHERE created_at > started_at + INTERVAL ${maxHours} HOUR AND created_at <= started_at + INTERVAL ${maxHours * 60 + pauseMinutes} MINUTE
    GROUP BY cuts.who, cuts.began_at, cuts.started_at),
  visits AS (
    SELECT who, began_at AS started_at, created_at, ${shown} FROM joined
    WHERE began_at >= ${from} AND began_at < ${to} AND (who, began_at) NOT IN (SELECT who, began_at FROM long)
    UNION ALL
    SELECT long_events.who, started_at, created_at, ${shown}
    FROM long_events ASOF JOIN cuts ON long_events.who = cuts.who AND long_events.began_at = cuts.began_at AND created_at >= started_at
    WHERE started_at >= ${from} AND started_at < ${to})`;
}

const ofFirst = (column: string) => `any_value(CASE WHEN created_at = started_at THEN ${column} END)`;

/** `sessions`: the same, one row each, with the values of their first events and the pages that they began and ended with. */
export const sessions = (dialect: Dialect, columns: readonly string[]) => `
  ${visits(dialect, ["name", "url", ...columns])},
  sessions AS (
    SELECT who, started_at, ${dialect.ms("max(created_at)")} - ${dialect.ms("started_at")} AS ms, count(*) AS n,
      count(*) FILTER (WHERE name = 'pageview') AS views, argMax(url, created_at) AS exit_page,
      ${[`${ofFirst("url")} AS entry_page`, ...columns.map((column) => `${ofFirst(column)} AS ${column}`)].join(", ")}
    FROM visits GROUP BY who, started_at)`;
