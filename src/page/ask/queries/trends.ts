import type { MEASURES, ChoicesOf } from "../../state/choices.js";
import type { ViewScope } from "../../state/scope.js";
import type { TrendAnswer } from "../answers.js";
import type { PageQuery } from "../page-query.js";
import { insight } from "./scoped.js";

/** Maximum number of series in one plot. */
export const SERIES_COUNT = 8;
const NAME_COUNT = 200;
const VALUE_COUNT = 50;

const WITHOUT_FIELD: readonly string[] = ["events", "unique_users", "sessions", "revenue"];

/** Whether a measure needs a field. */
export function takesField(measure: (typeof MEASURES)[number]): boolean {
  return !WITHOUT_FIELD.includes(measure);
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
