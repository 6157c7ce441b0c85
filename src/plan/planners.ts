import { planAggregate } from "./aggregate.js";
import type { PlanContext } from "./context.js";
import { planCountEvents } from "./count-events.js";
import { planCountEventsPerDay } from "./count-events-per-day.js";
import { planCountEventsRunningTotalPerDay } from "./count-events-running-total-per-day.js";
import { planCountUniqueUsers } from "./count-unique-users.js";
import { planCountUniqueUsersPerDay } from "./count-unique-users-per-day.js";
import { planIdentitySessions } from "./identity-sessions.js";
import { planIdentityProfile } from "./identity-profile.js";
import { planIdentityReferrers } from "./identity-referrers.js";
import { planIdentityDeviceGeo } from "./identity-device-geo.js";
import { planRevenueByAttribution } from "./revenue-by-attribution.js";
import { planLtvCohorts } from "./ltv-cohorts.js";
import { planTopCompanies } from "./top-companies.js";
import { planCompanyTopUsers } from "./company-top-users.js";
import { planFunnel } from "./insights/funnel.js";
import { planLifecycle } from "./insights/lifecycle.js";
import { planPaths } from "./insights/paths.js";
import { planRetention } from "./insights/retention.js";
import { planSessionsOverview } from "./insights/sessions-overview.js";
import { planStickiness } from "./insights/stickiness.js";
import { planTrend } from "./insights/trend.js";
import { planWebOverview } from "./insights/web-overview.js";
import type { Plan, ReportName } from "./plan.js";
import { planSearchEvents } from "./search-events.js";

export type Planners = { readonly [K in ReportName]: (input: unknown, context: PlanContext) => Plan<K> };

/** Input to plan, for every report: the one place where a question's meaning is settled. Sees no stored byte. */
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
