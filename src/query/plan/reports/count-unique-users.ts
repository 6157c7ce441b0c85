import type { PlanContext } from "../context.js";
import type { Plan } from "../plan.js";
import { planScope, readInput } from "../scope.js";

/** Plans a `countUniqueUsers` query. @throws what `planScope` throws */
export function planCountUniqueUsers(input: unknown, context: PlanContext): Plan<"countUniqueUsers"> {
  return { report: "countUniqueUsers", ...planScope(readInput(input, []), context) };
}
