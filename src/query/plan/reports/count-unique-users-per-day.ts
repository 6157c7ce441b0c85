import type { PlanContext } from "../context.js";
import { readFlag } from "../members.js";
import type { Plan } from "../plan.js";
import { planScope, readInput } from "../scope.js";

/** Plans a `countUniqueUsersPerDay` query. @throws what `planScope` throws */
export function planCountUniqueUsersPerDay(input: unknown, context: PlanContext): Plan<"countUniqueUsersPerDay"> {
  const members = readInput(input, ["fill"]);
  return { report: "countUniqueUsersPerDay", ...planScope(members, context), fill: readFlag(members, "fill") };
}
