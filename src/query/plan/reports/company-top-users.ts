import type { PlanContext } from "../context.js";
import { memberError, readInteger, readMembers, readText, type InputMembers } from "../members.js";
import type { Plan } from "../plan.js";
import { planRangeDays } from "./range-days.js";

export const LIMIT_MAX = 100;
export const LIMIT_DEFAULT = 20;

/** Plans a `companyTopUsers` query. A limit of Infinity means all. @throws invalid_parameter, unknown_parameter */
export function planCompanyTopUsers(input: unknown, context: PlanContext): Plan<"companyTopUsers"> {
  const members = readMembers(input ?? {}, "", ["companyId", "rangeDays", "limit"]);
  const companyId = readText(members, "companyId");
  if (companyId === null) throw memberError(members, "companyId", "expected the id of a company, got none");
  return { report: "companyTopUsers", companyId, ...planRangeDays(members, context.nowMs), limit: readLimit(members) };
}

function readLimit(members: InputMembers): number | null {
  if (members.values.get("limit") === Number.POSITIVE_INFINITY) return null;
  return readInteger(members, "limit", 1, LIMIT_MAX) ?? LIMIT_DEFAULT;
}
