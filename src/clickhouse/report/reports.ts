import type { QUERIES, ReportName } from "../../query/queries.js";
import { aggregate, countEvents, countEventsPerDay, countEventsRunningTotalPerDay, countUniqueUsers, countUniqueUsersPerDay } from "./counts.js";
import { companyTopUsers, topCompanies } from "./companies.js";
import { funnel } from "./funnel.js";
import { identityDeviceGeo, identityProfile, identityReferrers, identitySessions } from "./identity.js";
import { lifecycle, retention, stickiness } from "./returns.js";
import { ltvCohorts, revenueByAttribution } from "./revenue.js";
import { paths, sessionsOverview } from "./visits.js";
import type { StatementReport } from "./report.js";
import { searchEvents } from "./search-events.js";
import { trend } from "./trend.js";
import { webOverview } from "./web-overview.js";

type OnClickHouse = { [K in ReportName]: (typeof QUERIES)[K] extends { readonly onClickHouse: false } ? never : K }[ReportName];

/** Every query that ClickHouse answers, by its name. */
export const reports: { readonly [K in OnClickHouse]: StatementReport<K> } = {
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
