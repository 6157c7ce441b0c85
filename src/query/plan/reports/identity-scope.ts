import type { PlanContext } from "../context.js";
import { readMembers, type InputMembers } from "../members.js";
import type { IdentityScope } from "../plan.js";
import { planSubject } from "../subject.js";
import { planWindow, windowed } from "../window.js";

const SCOPE_NAMES = ["email", "userId", "startDate", "endDate"];

/** Reads the members of an identity report's input. @throws invalid_parameter, unknown_parameter */
export function readIdentityInput(input: unknown, extraNames: readonly string[]): InputMembers {
  return readMembers(input ?? {}, "", [...SCOPE_NAMES, ...extraNames]);
}

/** Plans the part that all identity reports share. @throws exactly_one_required, invalid_parameter, invalid_date, invalid_date_range */
export function planIdentityScope(members: InputMembers, { nowMs }: PlanContext): IdentityScope {
  const subject = planSubject(members);
  return { ...windowed(planWindow(members, nowMs)), subject };
}
