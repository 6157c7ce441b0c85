import * as breakdown from "../src/query/plan/insights/breakdown.js";
import * as funnel from "../src/query/plan/insights/funnel.js";
import * as listLimit from "../src/query/plan/insights/list-limit.js";
import * as paths from "../src/query/plan/insights/paths.js";
import * as retention from "../src/query/plan/insights/retention.js";
import * as segments from "../src/query/plan/insights/segments.js";
import * as shortText from "../src/query/plan/insights/short-text.js";
import * as companyTopUsers from "../src/query/plan/reports/company-top-users.js";
import * as identityReferrers from "../src/query/plan/reports/identity-referrers.js";
import * as identitySessions from "../src/query/plan/reports/identity-sessions.js";
import * as ltvCohorts from "../src/query/plan/reports/ltv-cohorts.js";
import * as rangeDays from "../src/query/plan/reports/range-days.js";
import * as revenueByAttribution from "../src/query/plan/reports/revenue-by-attribution.js";
import * as topCompanies from "../src/query/plan/reports/top-companies.js";

/** What a parameter may be. */
export interface Range {
  readonly min?: number;
  readonly max: number;
  readonly default?: number;
}

/** Parameters of questions, each with its range, by the names of the library. */
export const PARAMETERS: readonly (readonly [name: string, range: Range])[] = [
  ["`segments` of a query", { min: 0, max: segments.SEGMENT_COUNT_MAX }],
  ["`groups` of a segment", { max: segments.GROUP_COUNT_MAX }],
  ["`conditions` of one of these", { max: segments.CONDITION_COUNT_MAX }],
  ["`atLeast` of a condition", { max: segments.EVENT_COUNT_MAX }],
  ["`lastDays` of a condition", { max: segments.LAST_DAYS_MAX }],
  ["`fields` of a `breakdown`", { max: breakdown.FIELD_COUNT_MAX }],
  ["`limit` of a `breakdown`", breakdown.LIMIT],
  ["`steps` of a funnel", funnel.STEP_COUNT],
  ["`exclusions` of a funnel", { min: 0, max: funnel.EXCLUSION_COUNT_MAX }],
  ["`conversionWindowSec` of a funnel", funnel.WINDOW_SEC],
  ["`periods` of retention", retention.PERIOD_COUNT],
  ["`rules` of paths", { min: 0, max: paths.RULE_COUNT_MAX }],
  ["`maxDepth` of paths", paths.DEPTH],
  ["characters of `name` of a step, `pattern` and `label` of a rule", { max: shortText.CHAR_COUNT_MAX }],
  ["`limit` of paths, sessions and web overview", { max: listLimit.LIMIT_MAX }],
  ["`limit` of the sessions of a person", { max: identitySessions.LIMIT_MAX, default: identitySessions.LIMIT_DEFAULT }],
  ["`limit` of the referrers of a person", { max: identityReferrers.LIMIT_MAX, default: identityReferrers.LIMIT_DEFAULT }],
  ["`limit` of revenue by attribution", revenueByAttribution.LIMIT],
  ["`limit` of cohorts, in months", ltvCohorts.LIMIT],
  ["`limit` of the top companies", { max: topCompanies.LIMIT_MAX, default: topCompanies.LIMIT_DEFAULT }],
  ["`limit` of the users of a company", { max: companyTopUsers.LIMIT_MAX, default: companyTopUsers.LIMIT_DEFAULT }],
  ["`rangeDays` of both", { max: rangeDays.DAY_COUNT_MAX, default: rangeDays.DAY_COUNT_DEFAULT }],
];
