import type { PlanContext } from "../context.js";
import { planIdentityScope, readIdentityInput } from "./identity-scope.js";
import { readInteger } from "../members.js";
import type { Plan } from "../plan.js";

export const LIMIT_MAX = 50;
export const LIMIT_DEFAULT = 10;

/** Plans an `identityReferrers` query. @throws what `planIdentityScope` throws, unknown_parameter */
export function planIdentityReferrers(input: unknown, context: PlanContext): Plan<"identityReferrers"> {
  const members = readIdentityInput(input, ["limit"]);
  const scope = planIdentityScope(members, context);
  return { report: "identityReferrers", ...scope, limit: readInteger(members, "limit", 1, LIMIT_MAX) ?? LIMIT_DEFAULT };
}
