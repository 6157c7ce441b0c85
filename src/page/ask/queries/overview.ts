import type { ViewScope } from "../../state/view-state.js";
import type { SessionsAnswer, TrendAnswer, WebAnswer } from "../answers.js";
import type { PageQuery } from "../page-query.js";
import { insight } from "./scoped.js";

/** Rows of a list in a panel. */
export const LIST_ROWS = 9;
/** Rows of a list in a dialog. */
export const LONG_LIST_ROWS = 500;

/** Figures, plot and most lists of the overview. */
export function webQuery(scope: ViewScope, limit = LIST_ROWS): PageQuery<WebAnswer> {
  return insight("web", scope, { interval: scope.unit, compare: scope.compare, limit });
}

/** The lists of `webQuery` in full. */
export function longListsQuery(scope: ViewScope): PageQuery<WebAnswer> {
  return insight("web", scope, { limit: LONG_LIST_ROWS });
}

/** Visits by field values of their first events. */
export function visitsByQuery(scope: ViewScope, fields: readonly string[], limit = LIST_ROWS): PageQuery<SessionsAnswer> {
  return insight("sessions", scope, { breakdown: { fields, limit }, limit: 1 });
}

const MEASURES = { visitors: "unique_users", visits: "sessions" } as const;

/** A figure over time for the comparison period, which the response to `webQuery` lacks; null: not available. */
export function earlierQuery(scope: ViewScope, figure: "visitors" | "visits" | "views"): PageQuery<TrendAnswer> | null {
  if (scope.compare === null || figure === "views") return null;
  return insight("trend", scope, { measure: { type: MEASURES[figure] }, interval: scope.unit, compare: scope.compare });
}

/** Revenue over time. */
export function revenueTrendQuery(scope: ViewScope): PageQuery<TrendAnswer> {
  return insight("trend", scope, { measure: { type: "revenue" }, interval: scope.unit, compare: scope.compare });
}

/** The months in which the project has events, in the zone. */
export function extentQuery(project: string, zone: string): PageQuery<TrendAnswer> {
  const everything: ViewScope = { project, zone, from: null, to: null, today: "", unit: "day", compare: null, filters: [] };
  return insight("trend", everything, { interval: "month", fill: false });
}
