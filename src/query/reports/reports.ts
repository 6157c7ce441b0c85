import type { InsightPlans } from "../plan/insights/plan.js";
import type { ReportName } from "../plan/plan.js";
import { aggregate } from "./aggregate/aggregate.js";
import { countEvents, countEventsPerDay, countEventsRunningTotalPerDay, countUniqueUsers, countUniqueUsersPerDay } from "./events/counts.js";
import { identitySessions } from "./people/identity-sessions.js";
import { identityProfile, identityReferrers } from "./people/identity-profile.js";
import { identityDeviceGeo } from "./people/identity-device-geo.js";
import { revenueByAttribution } from "./revenue/revenue-by-attribution.js";
import { ltvCohorts } from "./revenue/ltv-cohorts.js";
import { topCompanies } from "./companies/top-companies.js";
import { companyTopUsers } from "./companies/company-top-users.js";
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
