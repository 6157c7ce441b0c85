import type { ReportName } from "../plan/plan.js";
import { aggregate } from "./aggregate.js";
import { countEvents } from "./count-events.js";
import { countEventsPerDay } from "./count-events-per-day.js";
import { countEventsRunningTotalPerDay } from "./count-events-running-total-per-day.js";
import { countUniqueUsers } from "./count-unique-users.js";
import { countUniqueUsersPerDay } from "./count-unique-users-per-day.js";
import { identitySessions } from "./identity-sessions.js";
import { identityProfile } from "./identity-profile.js";
import { identityReferrers } from "./identity-referrers.js";
import { identityDeviceGeo } from "./identity-device-geo.js";
import { revenueByAttribution } from "./revenue-by-attribution.js";
import { ltvCohorts } from "./ltv-cohorts.js";
import { topCompanies } from "./top-companies.js";
import { companyTopUsers } from "./company-top-users.js";
import type { Report } from "./report.js";
import { searchEvents } from "./search-events.js";

/** Every report by its name. The compiler lists each one that is missing; states are each report's own affair. */
export const reports: { readonly [K in ReportName]: Report<K> } = {
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
