import type { ChoicesOf, MEASURES } from "../../state/choices.js";
import { isAnyEvent, type EventChoice } from "../../state/event-choice.js";
import type { ViewScope } from "../../state/view-state.js";
import type {
  FunnelAnswer, LifecycleAnswer, PathsAnswer, RetentionAnswer, StickinessAnswer, TrendAnswer, AttributionAnswer, CohortsAnswer,
} from "../answers.js";
import { get, type PageQuery } from "../page-query.js";
import { insight, selector, instants } from "./scoped.js";

const DAY_SEC = 86_400;
const ROW_COUNT = 10;
const PATH_ROWS = 60;

/** The configured funnel; null if it has fewer than two steps, or one that any event matches. */
export function funnelQuery(scope: ViewScope, { step, order, level, window, by }: ChoicesOf<"funnels">): PageQuery<FunnelAnswer> | null {
  if (step.length < 2 || step.some(isAnyEvent)) return null;
  return insight("funnel", scope, {
    steps: step.map(selector),
    order,
    level,
    conversion_window_sec: window * DAY_SEC,
    breakdown: by === "" ? null : { fields: [by], limit: ROW_COUNT },
  });
}

/** How many members of each cohort return. */
export function retentionQuery(
  scope: ViewScope,
  { cohort, back, members, returned, unit, periods }: ChoicesOf<"retention">,
): PageQuery<RetentionAnswer> {
  return insight("retention", scope, {
    cohort_event: isAnyEvent(cohort) ? null : selector(cohort),
    return_event: isAnyEvent(back) ? null : selector(back),
    cohort: members,
    returned,
    interval: unit,
    periods,
  });
}

/** New, returning, resurrecting and dormant people by unit of time. */
export function lifecycleQuery(scope: ViewScope, { cohort, unit }: Pick<ChoicesOf<"retention">, "cohort" | "unit">): PageQuery<LifecycleAnswer> {
  return insight("lifecycle", withChoice(scope, cohort), { event_name: cohort.event === "" ? null : cohort.event, interval: unit });
}

/** In how many units of the range each person was active. */
export function stickinessQuery(scope: ViewScope, { cohort, unit }: Pick<ChoicesOf<"retention">, "cohort" | "unit">): PageQuery<StickinessAnswer> {
  return insight("stickiness", withChoice(scope, cohort), { event_name: cohort.event === "" ? null : cohort.event, interval: "total", unit });
}

/** The scope with the additional filters of an event choice. */
function withChoice(scope: ViewScope, { filters }: EventChoice): ViewScope {
  return { ...scope, filters: [...scope.filters, ...filters] };
}

/** Paths through visits. */
export function pathsQuery(scope: ViewScope, { node, start, end, depth }: ChoicesOf<"paths">): PageQuery<PathsAnswer> {
  return insight("paths", scope, {
    node: node === "" ? "path" : node,
    start_at: start === "" ? null : start,
    end_at: end === "" || end === start ? null : end,
    max_depth: depth,
    limit: PATH_ROWS,
  });
}

/** Maximum number of series in one plot. */
export const SERIES_COUNT = 8;
const NAME_COUNT = 200;
const VALUE_COUNT = 50;

const MEASURES_WITHOUT_FIELD: readonly string[] = ["events", "unique_users", "sessions", "revenue"];

/** Whether a measure needs a field. */
export function takesField(measure: (typeof MEASURES)[number]): boolean {
  return !MEASURES_WITHOUT_FIELD.includes(measure);
}

/** The configured trend; null if its measure lacks a field. */
export function trendQuery(scope: ViewScope, { event, measure, field, by, cumulative }: ChoicesOf<"trends">): PageQuery<TrendAnswer> | null {
  if (takesField(measure) && field === "") return null;
  return insight("trend", scope, {
    event_name: event === "" ? null : event,
    measure: takesField(measure) ? { type: measure, field } : { type: measure },
    interval: scope.unit,
    breakdown: by === "" ? null : { fields: [by], limit: SERIES_COUNT, rest: true },
    compare: scope.compare,
    cumulative: cumulative || null,
  });
}

/** Names of events in the range, most frequent first. */
export function eventNamesQuery(scope: ViewScope): PageQuery<TrendAnswer> {
  return insight("trend", { ...scope, filters: [] }, { interval: "total", breakdown: { fields: ["name"], limit: NAME_COUNT } });
}

/** Values of a field in the range, most frequent first. */
export function fieldValuesQuery(scope: ViewScope, field: string): PageQuery<TrendAnswer> {
  return insight("trend", { ...scope, filters: [] }, { interval: "total", breakdown: { fields: [field], limit: VALUE_COUNT } });
}

const ATTRIBUTION_ROWS = 50;
const COHORT_MONTHS = 36;

/** Revenue by attribution. */
export function attributionQuery(scope: ViewScope, { model, level, dimension }: ChoicesOf<"revenue">): PageQuery<AttributionAnswer> {
  const { start_date, end_date } = instants(scope);
  const path = `/v1/projects/${encodeURIComponent(scope.project)}/revenue/by-attribution`;
  const dates = { start_date: start_date ?? "1970-01-01", end_date: end_date ?? "9999-12-31" };
  return get(path, { model, level, dimension, ...dates, limit: ATTRIBUTION_ROWS });
}

/** Revenue of each month's new customers, of all time. */
export function cohortsQuery(scope: ViewScope, { level }: Pick<ChoicesOf<"revenue">, "level">): PageQuery<CohortsAnswer> {
  return get(`/v1/projects/${encodeURIComponent(scope.project)}/revenue/ltv-cohorts`, { level, limit: COHORT_MONTHS });
}
