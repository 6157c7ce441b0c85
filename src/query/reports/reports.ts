import {
  planAggregate, planCountEvents, planCountEventsPerDay, planCountEventsRunningTotalPerDay, planCountUniqueUsers, planCountUniqueUsersPerDay,
  planSearchEvents,
} from "../plan/reports/events.js";
import { planIdentitySessions, planIdentityProfile, planIdentityReferrers, planIdentityDeviceGeo } from "../plan/reports/identity.js";
import { planRevenueByAttribution, planLtvCohorts } from "../plan/reports/revenue.js";
import { planTopCompanies, planCompanyTopUsers } from "../plan/reports/companies.js";
import { planFunnel } from "../plan/insights/funnel.js";
import { planLifecycle, planRetention, planStickiness } from "../plan/insights/returns.js";
import { planPaths, planSessionsOverview, planWebOverview } from "../plan/insights/visits.js";
import { planTrend } from "../plan/insights/trend.js";
import { aggregate } from "./aggregate/aggregate.js";
import { countEvents, countEventsPerDay, countEventsRunningTotalPerDay, countUniqueUsers, countUniqueUsersPerDay } from "./events/counts.js";
import { identitySessions } from "./people/identity-sessions.js";
import { identityProfile, identityReferrers, identityDeviceGeo } from "./people/identity-profile.js";
import { revenueByAttribution, ltvCohorts } from "./revenue/revenue.js";
import { topCompanies, companyTopUsers } from "./companies/top-companies.js";
import type { Report } from "./form/report.js";
import { searchEvents } from "./events/search-events.js";
import type { AnyPlan, PlanContext } from "../plan/plan.js";

type Planner<P extends AnyPlan> = (input: unknown, context: PlanContext) => P;

/** What executes one query; null: its report is in `insight-reports.ts`. */
interface ReportRow<P extends AnyPlan, R> {
  /** Settles the input without reading data. */
  readonly plan: Planner<P>;
  readonly report: R;
}

/** Hides the types of states, which are private to a report. */
function row<P extends AnyPlan, A>(plan: Planner<P>, report: Report<P, A>): ReportRow<P, Report<P, A>> {
  return { plan, report };
}

function lazyRow<P extends AnyPlan>(plan: Planner<P>): ReportRow<P, null> {
  return { plan, report: null };
}

/** What executes each query. The reports of lazy rows are loaded together when the first of them is requested. */
export const reports = {
  countEvents: row(planCountEvents, countEvents),
  countEventsPerDay: row(planCountEventsPerDay, countEventsPerDay),
  countEventsRunningTotalPerDay: row(planCountEventsRunningTotalPerDay, countEventsRunningTotalPerDay),
  countUniqueUsers: row(planCountUniqueUsers, countUniqueUsers),
  countUniqueUsersPerDay: row(planCountUniqueUsersPerDay, countUniqueUsersPerDay),
  aggregate: row(planAggregate, aggregate),
  searchEvents: row(planSearchEvents, searchEvents),
  identitySessions: row(planIdentitySessions, identitySessions),
  identityProfile: row(planIdentityProfile, identityProfile),
  identityReferrers: row(planIdentityReferrers, identityReferrers),
  identityDeviceGeo: row(planIdentityDeviceGeo, identityDeviceGeo),
  revenueByAttribution: row(planRevenueByAttribution, revenueByAttribution),
  ltvCohorts: row(planLtvCohorts, ltvCohorts),
  topCompanies: row(planTopCompanies, topCompanies),
  companyTopUsers: row(planCompanyTopUsers, companyTopUsers),
  trend: lazyRow(planTrend),
  funnel: lazyRow(planFunnel),
  retention: lazyRow(planRetention),
  lifecycle: lazyRow(planLifecycle),
  stickiness: lazyRow(planStickiness),
  paths: lazyRow(planPaths),
  sessionsOverview: lazyRow(planSessionsOverview),
  webOverview: lazyRow(planWebOverview),
};
