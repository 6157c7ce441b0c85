import { fieldOf } from "../filters/field-operand.js";
import { memberError, pathOfMember, readFlag, readInteger, readList, readMembers, type InputMembers } from "../members.js";
import type { BreakdownPlan } from "./plan.js";

export const FIELD_COUNT_MAX = 2;
export const LIMIT = { min: 1, max: 1_000, default: 25 } as const;

/** The members of `breakdown`, including `extraNames`; null when absent. @throws invalid_parameter, unknown_parameter */
export function readBreakdown(members: InputMembers, extraNames: readonly string[] = []): InputMembers | null {
  const value = members.values.get("breakdown");
  return value === undefined ? null : readMembers(value, pathOfMember(members, "breakdown"), ["fields", "limit", "rest", ...extraNames]);
}

/** Plans a breakdown from its members. @throws invalid_parameter */
export function planBreakdown(breakdown: InputMembers): BreakdownPlan {
  const path = pathOfMember(breakdown, "fields");
  const fields = readList(breakdown, "fields", 1, FIELD_COUNT_MAX).map((field, at) => fieldOf(field, `${path}[${at}]`));
  // Two names may mean the same field.
  if (new Set(fields.map((field) => JSON.stringify(field))).size < fields.length) throw memberError(breakdown, "fields", "expected different fields, got the same field twice");
  return { fields, limit: readInteger(breakdown, "limit", LIMIT.min, LIMIT.max) ?? LIMIT.default, rest: readFlag(breakdown, "rest") };
}

/** Plans a breakdown without extra members; null when absent. @throws invalid_parameter, unknown_parameter */
export function readPlainBreakdown(members: InputMembers): BreakdownPlan | null {
  const breakdown = readBreakdown(members);
  return breakdown === null ? null : planBreakdown(breakdown);
}
