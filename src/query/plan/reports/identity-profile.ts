import type { PlanContext } from "../context.js";
import { planIdentityScope, readIdentityInput } from "./identity-scope.js";
import type { Plan } from "../plan.js";

/** Plans an `identityProfile` query. @throws what `planIdentityScope` throws, unknown_parameter */
export function planIdentityProfile(input: unknown, context: PlanContext): Plan<"identityProfile"> {
  const scope = planIdentityScope(readIdentityInput(input, []), context);
  const { session, pageviewSlugs, revenue } = context.rules;
  return { report: "identityProfile", ...scope, session, pageviewSlugs, revenue };
}
