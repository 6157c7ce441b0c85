import { hash128, toHex } from "../../base/hash.js";
import { canonicalText } from "../canonical-text.js";
import type { ReportRules } from "../context.js";
import type { Plan } from "../plan.js";
import { operandsOf } from "../scopes-of.js";
import type { InsightPlans } from "./plan.js";

/** Raised when a meaning changes. */
const SEMANTICS = 1;

type InsightPlan = Plan<keyof InsightPlans>;

/**
 * The plan with its definition: equal plans have equal ones. Of the options it holds the rules that the question uses; of the moment nothing, so
 * that the same question has the same definition tomorrow.
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
    // Payments from servers are in no session.
    ...(ofSessions ? { session, revenue: { paymentSlugs, refundSlugs } } : {}),
    ...(isOverview ? { pageviewSlugs } : {}),
    // Whose touch a refund is owed to depends on what is a payment.
    ...(measures(plan, "revenue") || kinds.has("paymentTouch") ? { revenue } : {}),
    ...(plan.report === "webOverview" || kinds.has("touch") || kinds.has("paymentTouch") ? { touch } : {}),
  };
}

function measures(plan: InsightPlan, type: "sessions" | "revenue"): boolean {
  return plan.report === "trend" && plan.measure.type === type;
}
