import { planAggregate, planSearchEvents } from "./reports/events.js";
import type { PlanContext, Plan, ReportName } from "./plan.js";
import {
  planCountEvents, planCountEventsPerDay, planCountEventsRunningTotalPerDay, planCountUniqueUsers, planCountUniqueUsersPerDay,
} from "./reports/counts.js";
import { planIdentitySessions, planIdentityProfile, planIdentityReferrers, planIdentityDeviceGeo } from "./reports/identity.js";
import { planRevenueByAttribution, planLtvCohorts } from "./reports/revenue.js";
import { planTopCompanies, planCompanyTopUsers } from "./reports/companies.js";
import { planFunnel } from "./insights/funnel.js";
import { planLifecycle, planRetention, planStickiness } from "./insights/returns.js";
import { planPaths, planSessionsOverview, planWebOverview } from "./insights/visits.js";
import { planTrend } from "./insights/trend.js";
import { operandsOf } from "./scopes-of.js";

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

/** Data that not every token may query. */
export type ProtectedData = "revenue" | "identities" | "companies";

/**
 * The protected data that a query open to every token reveals by its measure, fields, filters or segments: it needs the rights of the endpoints
 * for that data. Empty for the queries about identities, money and companies themselves.
 */
export function protectedDataOf(plan: Plan): ReadonlySet<ProtectedData> {
  const matters = new Set<ProtectedData>();
  if (plan.report === "trend" && plan.measure.type === "revenue") matters.add("revenue");
  for (const { operand, use } of operandsOf(plan)) {
    if (operand.kind === "person" || operand.kind === "paymentTouch") matters.add("identities");
    if (operand.kind === "company" || (operand.kind === "companyId" && use === "condition")) matters.add("companies");
  }
  return matters;
}
