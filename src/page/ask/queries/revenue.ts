import type { ChoicesOf } from "../../state/choices.js";
import type { ViewScope } from "../../state/scope.js";
import type { AttributionAnswer, CohortsAnswer } from "../answers.js";
import { get, type PageQuery } from "../page-query.js";
import { instants } from "./scoped.js";

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
