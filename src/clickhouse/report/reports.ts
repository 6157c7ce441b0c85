import type { ReportName } from "../../query/plan/plan.js";
import { aggregate } from "./aggregate.js";
import { companyTopUsers } from "./company-top-users.js";
import { countEvents, countEventsPerDay, countEventsRunningTotalPerDay, countUniqueUsers, countUniqueUsersPerDay } from "./counts.js";
import { funnel } from "./funnel.js";
import { identityDeviceGeo, identityProfile, identityReferrers, identitySessions } from "./identity.js";
import { lifecycle } from "./lifecycle.js";
import { ltvCohorts } from "./ltv-cohorts.js";
import { paths } from "./paths.js";
import type { StatementReport } from "./report.js";
import { retention } from "./retention.js";
import { revenueByAttribution } from "./revenue-by-attribution.js";
import { searchEvents } from "./search-events.js";
import { sessionsOverview } from "./sessions-overview.js";
import { stickiness } from "./stickiness.js";
import { topCompanies } from "./top-companies.js";
import { trend } from "./trend.js";
import { webOverview } from "./web-overview.js";

/** Every report by its name. */
export const reports: { readonly [K in ReportName]: StatementReport<K> } = {
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
  trend,
  funnel,
  paths,
  sessionsOverview,
  webOverview,
  retention,
  lifecycle,
  stickiness,
};
