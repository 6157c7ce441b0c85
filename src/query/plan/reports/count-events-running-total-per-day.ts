import type { PlanContext } from "../context.js";
import { readFlag } from "../members.js";
import type { Plan } from "../plan.js";
import { planScope, readInput } from "../scope.js";

/** Plans a `countEventsRunningTotalPerDay` query. @throws what `planScope` throws */
export function planCountEventsRunningTotalPerDay(input: unknown, context: PlanContext): Plan<"countEventsRunningTotalPerDay"> {
  const members = readInput(input, ["userId", "fill"]);
  return { report: "countEventsRunningTotalPerDay", ...planScope(members, context), fill: readFlag(members, "fill") };
}
