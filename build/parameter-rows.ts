import * as funnel from "../src/query/plan/insights/funnel.js";
import * as insightScope from "../src/query/plan/insights/insight-scope.js";
import * as returns from "../src/query/plan/insights/returns.js";
import * as segments from "../src/query/plan/insights/segments.js";
import * as visits from "../src/query/plan/insights/visits.js";
import * as companies from "../src/query/plan/reports/companies.js";
import * as identity from "../src/query/plan/reports/identity.js";
import * as revenue from "../src/query/plan/reports/revenue.js";

/** What a parameter may be. */
export interface Range {
  readonly min?: number;
  readonly max: number;
  readonly default?: number;
}

/** Parameters of queries, each with its range, by the names of the library. */
export const PARAMETERS: readonly (readonly [name: string, range: Range])[] = [
  ["`segments` of a query", { min: 0, max: segments.SEGMENT_COUNT_MAX }],
  ["`groups` of a segment", { max: segments.GROUP_COUNT_MAX }],
  ["`conditions` of one of these", { max: segments.CONDITION_COUNT_MAX }],
  ["`atLeast` of a condition", { max: segments.EVENT_COUNT_MAX }],
  ["`lastDays` of a condition", { max: segments.LAST_DAYS_MAX }],
  ["`fields` of a `breakdown`", { max: insightScope.BREAKDOWN_FIELD_COUNT_MAX }],
  ["`limit` of a `breakdown`", insightScope.BREAKDOWN_LIMIT],
  ["`steps` of a funnel", funnel.STEP_COUNT],
  ["`exclusions` of a funnel", { min: 0, max: funnel.EXCLUSION_COUNT_MAX }],
  ["`conversionWindowSec` of a funnel", funnel.WINDOW_SEC],
  ["`periods` of retention", returns.PERIOD_COUNT],
  ["`rules` of paths", { min: 0, max: visits.PATH_RULE_COUNT_MAX }],
  ["`maxDepth` of paths", visits.PATH_DEPTH],
  ["characters of `name` of a step, `pattern` and `label` of a rule", { max: insightScope.SHORT_TEXT_CHAR_COUNT_MAX }],
  ["`limit` of paths, sessions and web overview", { max: insightScope.LIST_LIMIT_MAX }],
  ["`limit` of the sessions of a person", identity.SESSIONS_LIMIT],
  ["`limit` of the referrers of a person", identity.REFERRERS_LIMIT],
  ["`limit` of revenue by attribution", revenue.ATTRIBUTION_LIMIT],
  ["`limit` of cohorts, in months", revenue.COHORTS_LIMIT],
  ["`limit` of the top companies", companies.TOP_COMPANIES_LIMIT],
  ["`limit` of the users of a company", companies.TOP_USERS_LIMIT],
  ["`rangeDays` of both", companies.DAY_COUNT],
];
