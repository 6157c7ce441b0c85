import type { Plan } from "./plan.js";
import { operandsOf } from "./scopes-of.js";

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
