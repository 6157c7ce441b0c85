import type { InsightInput } from "../../src/query/plan/input.js";
import type { Random } from "daybook/testing";
import { randomQuery } from "./random-query.js";
import { literal } from "./sql-store.js";

/** What an insight and SQL are asked about: one half of it as members of a query, the other as pieces of SQL. */
export interface InsightQuery {
  readonly input: Pick<InsightInput, "project" | "eventName" | "filterGroups" | "timeZone" | "weekStart">;
  readonly dates: { readonly startDate: string; readonly endDate: string };
  /** A condition on rows of `resolved`. */
  readonly matches: string;
  /** The project's half of it. */
  readonly ofProject: string;
  /** Whether an instant, in ms, lies between the dates. */
  readonly isBetween: (ms: string) => string;
  /** What is shown on clocks of the zone at an instant, as a timestamp. */
  readonly local: (ms: string) => string;
  /** The date on which the unit begins that a local timestamp lies in. */
  readonly unit: (local: string) => string;
  readonly interval: "day" | "week" | "month";
}

/** Dates of the history, clocks that change within it, and days that begin at odd times. */
const zones = ["UTC", "Europe/Berlin", "America/New_York", "Asia/Kathmandu", "Australia/Lord_Howe", "America/St_Johns"];

export function insightQuery(random: Random, intervals: readonly InsightQuery["interval"][]): InsightQuery {
  let query = randomQuery(random, false);
  // Dates of insights are other ones.
  while (query.input.startDate !== undefined || query.input.endDate !== undefined) query = randomQuery(random, false);
  const { project, eventName, filterGroups } = query.input;
  const timeZone = random.pick(zones);
  const weekStart = random.pick(["monday", "sunday", "wednesday"] as const);
  const interval = random.pick(intervals);
  const shift = { monday: 0, sunday: 1, wednesday: 5 }[weekStart];
  const day = () => Date.UTC(2026, 1, random.between(26, 75), random.pick([0, 0, 5, 23]), 0, 0, random.pick([0, 999]));
  const [fromMs = 0, toMs = 0] = [day(), day()].sort((a, b) => a - b);
  return {
    input: { project, eventName, filterGroups, timeZone, weekStart },
    dates: { startDate: new Date(fromMs).toISOString(), endDate: new Date(toMs).toISOString() },
    matches: query.sql,
    ofProject: project === undefined || project === null ? "true" : `project = ${literal(project)}`,
    isBetween: (ms) => `${ms} between ${fromMs} and ${toMs}`,
    local: (ms) => `(epoch_ms(${ms}) at time zone 'UTC' at time zone ${literal(timeZone)})`,
    unit: (local) =>
      interval === "week"
        ? `strftime(date_trunc('week', ${local} + interval ${shift} day) - interval ${shift} day, '%Y-%m-%d')`
        : `strftime(date_trunc('${interval}', ${local}), ${interval === "month" ? "'%Y-%m'" : "'%Y-%m-%d'"})`,
    interval,
  };
}

/** Sessions of all people: events of one person and project without a pause of more than half an hour. None is longer than a day. */
export const SESSIONS = `
  marked as (
    select *, case when ms - lag(ms) over who > 1800000 or lag(ms) over who is null then 1 else 0 end as begins
    from resolved where identity is not null window who as (partition by identity, project order by ms, id)),
  numbered as (select *, sum(begins) over (partition by identity, project order by ms, id) as number from marked)`;
