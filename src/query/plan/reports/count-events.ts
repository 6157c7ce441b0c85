import type { PlanContext } from "../context.js";
import type { Plan } from "../plan.js";
import { planScope, readInput } from "../scope.js";

/** Plans a `countEvents` query. @throws what `planScope` throws */
export function planCountEvents(input: unknown, context: PlanContext): Plan<"countEvents"> {
  return { report: "countEvents", ...planScope(readInput(input, ["userId"]), context) };
}
