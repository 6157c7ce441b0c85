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
import type { Report } from "./form/report.js";
import type * as lazyReports from "./lazy-reports.js";
import { searchEvents } from "./events/search-events.js";
import type { AnyPlan, PlanContext } from "../plan/plan.js";

type Planner<P extends AnyPlan> = (input: unknown, context: PlanContext) => P;

/** What executes one query. `P`: its plan; `A`: its answer. */
export interface ReportRow<P extends AnyPlan, A> {
  /** Settles the input without reading data. */
  readonly plan: Planner<P>;
  /** Whether its code is loaded on first use. */
  readonly isLazy: boolean;
  readonly load: () => Report<P, A> | Promise<Report<P, A>>;
}

function row<P extends AnyPlan, A>(plan: Planner<P>, report: Report<P, A>): ReportRow<P, A> {
  return { plan, isLazy: false, load: () => report };
}

/** Loaded on first use: all but counts, aggregates and search, which many programs never run. */
function lazyRow<P extends AnyPlan, A>(plan: Planner<P>, reportIn: (loaded: typeof lazyReports) => Report<P, A>): ReportRow<P, A> {
  let report: Report<P, A> | null = null;
  return { plan, isLazy: true, load: () => report ?? import("./lazy-reports.js").then((loaded) => (report = reportIn(loaded))) };
}

/** What executes each query. */
export const reports = {
  countEvents: row(planCountEvents, countEvents),
  countEventsPerDay: row(planCountEventsPerDay, countEventsPerDay),
  countEventsRunningTotalPerDay: row(planCountEventsRunningTotalPerDay, countEventsRunningTotalPerDay),
  countUniqueUsers: row(planCountUniqueUsers, countUniqueUsers),
  countUniqueUsersPerDay: row(planCountUniqueUsersPerDay, countUniqueUsersPerDay),
  aggregate: row(planAggregate, aggregate),
  searchEvents: row(planSearchEvents, searchEvents),
  identitySessions: lazyRow(planIdentitySessions, ({ identitySessions }) => identitySessions),
  identityProfile: lazyRow(planIdentityProfile, ({ identityProfile }) => identityProfile),
  identityReferrers: lazyRow(planIdentityReferrers, ({ identityReferrers }) => identityReferrers),
  identityDeviceGeo: lazyRow(planIdentityDeviceGeo, ({ identityDeviceGeo }) => identityDeviceGeo),
  revenueByAttribution: lazyRow(planRevenueByAttribution, ({ revenueByAttribution }) => revenueByAttribution),
  ltvCohorts: lazyRow(planLtvCohorts, ({ ltvCohorts }) => ltvCohorts),
  topCompanies: lazyRow(planTopCompanies, ({ topCompanies }) => topCompanies),
  companyTopUsers: lazyRow(planCompanyTopUsers, ({ companyTopUsers }) => companyTopUsers),
  trend: lazyRow(planTrend, ({ trend }) => trend),
  funnel: lazyRow(planFunnel, ({ funnel }) => funnel),
  retention: lazyRow(planRetention, ({ retention }) => retention),
  lifecycle: lazyRow(planLifecycle, ({ lifecycle }) => lifecycle),
  stickiness: lazyRow(planStickiness, ({ stickiness }) => stickiness),
  paths: lazyRow(planPaths, ({ paths }) => paths),
  sessionsOverview: lazyRow(planSessionsOverview, ({ sessionsOverview }) => sessionsOverview),
  webOverview: lazyRow(planWebOverview, ({ webOverview }) => webOverview),
};
