import type { InsightPlans } from "../plan/insights/plan.js";
import type { ReportName } from "../plan/plan.js";
import { aggregate } from "./aggregate/aggregate.js";
import { countEvents } from "./events/count-events.js";
import { countEventsPerDay } from "./events/count-events-per-day.js";
import { countEventsRunningTotalPerDay } from "./events/count-events-running-total-per-day.js";
import { countUniqueUsers } from "./events/count-unique-users.js";
import { countUniqueUsersPerDay } from "./events/count-unique-users-per-day.js";
import { identitySessions } from "./people/identity-sessions.js";
import { identityProfile } from "./people/identity-profile.js";
import { identityReferrers } from "./people/identity-referrers.js";
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
