import { planAggregate } from "./reports/aggregate.js";
import type { PlanContext } from "./context.js";
import { planCountEvents } from "./reports/count-events.js";
import { planCountEventsPerDay } from "./reports/count-events-per-day.js";
import { planCountEventsRunningTotalPerDay } from "./reports/count-events-running-total-per-day.js";
import { planCountUniqueUsers } from "./reports/count-unique-users.js";
import { planCountUniqueUsersPerDay } from "./reports/count-unique-users-per-day.js";
import { planIdentitySessions } from "./reports/identity-sessions.js";
import { planIdentityProfile } from "./reports/identity-profile.js";
import { planIdentityReferrers } from "./reports/identity-referrers.js";
import { planIdentityDeviceGeo } from "./reports/identity-device-geo.js";
import { planRevenueByAttribution } from "./reports/revenue-by-attribution.js";
import { planLtvCohorts } from "./reports/ltv-cohorts.js";
import { planTopCompanies } from "./reports/top-companies.js";
import { planCompanyTopUsers } from "./reports/company-top-users.js";
import { planFunnel } from "./insights/funnel.js";
import { planLifecycle } from "./insights/lifecycle.js";
import { planPaths } from "./insights/paths.js";
import { planRetention } from "./insights/retention.js";
import { planSessionsOverview } from "./insights/sessions-overview.js";
import { planStickiness } from "./insights/stickiness.js";
import { planTrend } from "./insights/trend.js";
import { planWebOverview } from "./insights/web-overview.js";
import type { Plan, ReportName } from "./plan.js";
import { planSearchEvents } from "./reports/search-events.js";

export type Planners = { readonly [K in ReportName]: (input: unknown, context: PlanContext) => Plan<K> };

/** The planner of every report. Only planners interpret the input of queries; they read no stored data. */
export const planners: Planners = {
  countEvents: planCountEvents,
  countEventsPerDay: planCountEventsPerDay,
  countEventsRunningTotalPerDay: planCountEventsRunningTotalPerDay,
  countUniqueUsers: planCountUniqueUsers,
  countUniqueUsersPerDay: planCountUniqueUsersPerDay,
  aggregate: planAggregate,
  searchEvents: planSearchEvents,
  identitySessions: planIdentitySessions,
  identityProfile: planIdentityProfile,
  identityReferrers: planIdentityReferrers,
  identityDeviceGeo: planIdentityDeviceGeo,
  revenueByAttribution: planRevenueByAttribution,
  ltvCohorts: planLtvCohorts,
  topCompanies: planTopCompanies,
  companyTopUsers: planCompanyTopUsers,
  trend: planTrend,
  funnel: planFunnel,
  retention: planRetention,
  lifecycle: planLifecycle,
  stickiness: planStickiness,
  paths: planPaths,
  sessionsOverview: planSessionsOverview,
  webOverview: planWebOverview,
};
