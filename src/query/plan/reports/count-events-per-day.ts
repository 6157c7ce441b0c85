import type { PlanContext } from "../context.js";
import { readFlag } from "../members.js";
import type { Plan } from "../plan.js";
import { planScope, readInput } from "../scope.js";

/** Plans a `countEventsPerDay` query. @throws what `planScope` throws */
export function planCountEventsPerDay(input: unknown, context: PlanContext): Plan<"countEventsPerDay"> {
  const members = readInput(input, ["userId", "fill"]);
  return { report: "countEventsPerDay", ...planScope(members, context), fill: readFlag(members, "fill") };
}
