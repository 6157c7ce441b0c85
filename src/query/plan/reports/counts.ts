import type { PlanContext, Plan } from "../plan.js";
import { planScope, readInput } from "../scope.js";
import { readFlag } from "../members.js";

/** Plans a `countEvents` query. @throws what `planScope` throws */
export function planCountEvents(input: unknown, context: PlanContext): Plan<"countEvents"> {
  return { report: "countEvents", ...planScope(readInput(input, ["userId"]), context) };
}

/** Plans a `countEventsPerDay` query. @throws what `planScope` throws */
export function planCountEventsPerDay(input: unknown, context: PlanContext): Plan<"countEventsPerDay"> {
  const members = readInput(input, ["userId", "fill"]);
  return { report: "countEventsPerDay", ...planScope(members, context), fill: readFlag(members, "fill") };
}

/** Plans a `countEventsRunningTotalPerDay` query. @throws what `planScope` throws */
export function planCountEventsRunningTotalPerDay(input: unknown, context: PlanContext): Plan<"countEventsRunningTotalPerDay"> {
  const members = readInput(input, ["userId", "fill"]);
  return { report: "countEventsRunningTotalPerDay", ...planScope(members, context), fill: readFlag(members, "fill") };
}

/** Plans a `countUniqueUsers` query. @throws what `planScope` throws */
export function planCountUniqueUsers(input: unknown, context: PlanContext): Plan<"countUniqueUsers"> {
  return { report: "countUniqueUsers", ...planScope(readInput(input, []), context) };
}

/** Plans a `countUniqueUsersPerDay` query. @throws what `planScope` throws */
export function planCountUniqueUsersPerDay(input: unknown, context: PlanContext): Plan<"countUniqueUsersPerDay"> {
  const members = readInput(input, ["fill"]);
  return { report: "countUniqueUsersPerDay", ...planScope(members, context), fill: readFlag(members, "fill") };
}
