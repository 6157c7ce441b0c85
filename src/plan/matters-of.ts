import type { Plan } from "./plan.js";
import { operandsOf } from "./scopes-of.js";

/** What not everybody may ask about. */
export type Matter = "revenue" | "identities" | "companies";

/**
 * What a question that may be asked by everybody tells of besides, by its measure, fields, filters and segments: it needs the rights of the
 * endpoints about these. The questions about identities, money and companies themselves have none.
 */
export function mattersOf(plan: Plan): ReadonlySet<Matter> {
  const matters = new Set<Matter>();
  if (plan.report === "trend" && plan.measure.type === "revenue") matters.add("revenue");
  for (const { operand, use } of operandsOf(plan)) {
    if (operand.kind === "person" || operand.kind === "paymentTouch") matters.add("identities");
    if (operand.kind === "company" || (operand.kind === "companyId" && use === "condition")) matters.add("companies");
  }
  return matters;
}
