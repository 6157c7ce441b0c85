import { hash128, toHex } from "../../../core/base/hash.js";
import { canonicalText } from "../cursor.js";
import type { ReportRules, Plan } from "../plan.js";
import { operandsOf } from "../scopes-of.js";
import type { InsightPlans } from "./plan.js";

/** Incremented when the meaning of plans changes. */
const SEMANTICS = 1;

type InsightPlan = Plan<keyof InsightPlans>;

/**
 * The plan with its definition: equal plans have equal ones. It covers the option rules that the query uses, but not the current time, so that
 * the same query has the same definition tomorrow.
 */
export function defined<P extends InsightPlan>(plan: P, rules: ReportRules): P {
  const unnamed: Record<string, unknown> = { ...plan, semantics: SEMANTICS, options: rulesInUse(plan, rules) };
  for (const name of ["definition", "asOf", "session", "pageviewSlugs", "revenue", "touch"]) delete unnamed[name];
  return { ...plan, definition: `def_${toHex(hash128("definition", canonicalText(unnamed)))}` };
}

function rulesInUse(plan: InsightPlan, { session, pageviewSlugs, revenue, touch }: ReportRules): object {
  const { paymentSlugs, refundSlugs } = revenue;
  const kinds = new Set(operandsOf(plan).map(({ operand: { kind } }) => kind));
  const isOverview = plan.report === "sessionsOverview" || plan.report === "webOverview";
  const ofSessions = isOverview || plan.report === "paths" || (plan.report === "funnel" && plan.level === "session") || measures(plan, "sessions");
  return {
    // Payments from servers belong to no session.
    ...(ofSessions ? { session, revenue: { paymentSlugs, refundSlugs } } : {}),
    ...(isOverview ? { pageviewSlugs } : {}),
    // The touch that a refund counts for depends on which events are payments.
    ...(measures(plan, "revenue") || kinds.has("paymentTouch") ? { revenue } : {}),
    ...(plan.report === "webOverview" || kinds.has("touch") || kinds.has("paymentTouch") ? { touch } : {}),
  };
}

function measures(plan: InsightPlan, type: "sessions" | "revenue"): boolean {
  return plan.report === "trend" && plan.measure.type === type;
}
