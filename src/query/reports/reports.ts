import type { InsightPlans } from "../plan/insights/plan.js";
import type { ReportName } from "../plan/plan.js";
import { aggregate } from "./aggregate/aggregate.js";
import { countEvents, countEventsPerDay, countEventsRunningTotalPerDay, countUniqueUsers, countUniqueUsersPerDay } from "./events/counts.js";
import { identitySessions } from "./people/identity-sessions.js";
import { identityProfile, identityReferrers, identityDeviceGeo } from "./people/identity-profile.js";
import { revenueByAttribution, ltvCohorts } from "./revenue/revenue.js";
import { topCompanies, companyTopUsers } from "./companies/top-companies.js";
import type { Report } from "./form/report.js";
import { searchEvents } from "./events/search-events.js";

/** All reports except insights, by name. The compiler reports each missing one; state types are private to each report. */
export const reports: { readonly [K in Exclude<ReportName, keyof InsightPlans>]: Report<K> } = {
  countEvents,
  countEventsPerDay,
  countEventsRunningTotalPerDay,
  countUniqueUsers,
  countUniqueUsersPerDay,
  aggregate,
  searchEvents,
  identitySessions,
  identityProfile,
  identityReferrers,
  identityDeviceGeo,
  revenueByAttribution,
  ltvCohorts,
  topCompanies,
  companyTopUsers,
};
