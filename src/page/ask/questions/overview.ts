import type { ViewScope } from "../../state/scope.js";
import type { SessionsAnswer, TrendAnswer, WebAnswer } from "../answers.js";
import type { PageQuery } from "../question.js";
import { insight } from "./scoped.js";

/** Rows of a list before anybody asks for more. */
export const LIST_ROWS = 9;
/** Rows of a list that is opened. */
export const LONG_LIST_ROWS = 500;

/** Figures, plot and most lists of the overview. */
export function webQuestion(scope: ViewScope, limit = LIST_ROWS): PageQuery<WebAnswer> {
  return insight("web", scope, { interval: scope.unit, compare: scope.compare, limit });
}

/** The same lists, longer. */
export function longListsQuestion(scope: ViewScope): PageQuery<WebAnswer> {
  return insight("web", scope, { limit: LONG_LIST_ROWS });
}

/** Visits by the values that their first events have in fields. */
export function visitsByQuestion(scope: ViewScope, fields: readonly string[], limit = LIST_ROWS): PageQuery<SessionsAnswer> {
  return insight("sessions", scope, { breakdown: { fields, limit }, limit: 1 });
}

const EARLIER = { visitors: "unique_users", visits: "sessions" } as const;

/** The course of a figure with that of the time before, which the overview's own answer has not; null: there is none to be had. */
export function earlierQuestion(scope: ViewScope, figure: "visitors" | "visits" | "views"): PageQuery<TrendAnswer> | null {
  if (scope.compare === null || figure === "views") return null;
  return insight("trend", scope, { measure: { type: EARLIER[figure] }, interval: scope.unit, compare: scope.compare });
}

/** Money over time. */
export function revenueTrendQuestion(scope: ViewScope): PageQuery<TrendAnswer> {
  return insight("trend", scope, { measure: { type: "revenue" }, interval: scope.unit, compare: scope.compare });
}

/** From when to when the project has events, by day of the zone: the days that count something. */
export function extentQuestion(project: string, zone: string): PageQuery<TrendAnswer> {
  const everything: ViewScope = { project, zone, from: null, to: null, today: "", unit: "day", compare: null, filters: [] };
  return insight("trend", everything, { interval: "month", fill: false });
}
