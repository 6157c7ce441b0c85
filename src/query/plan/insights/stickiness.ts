import type { PlanContext } from "../context.js";
import { memberError, readChoice } from "../members.js";
import type { Plan } from "../plan.js";
import { refuseManyBuckets } from "./bucket-count.js";
import { defined } from "./definition.js";
import { readInsight } from "./insight-scope.js";
import { INTERVALS, LEVELS } from "./names.js";

const STICKINESS_INTERVALS = ["week", "month", "quarter", "year", "total"] as const;
const UNITS = ["hour", "day", "week", "month"] as const;

/** Plans a `stickiness` query. @throws what `readInsight` throws */
export function planStickiness(input: unknown, context: PlanContext): Plan<"stickiness"> {
  const insight = readInsight(input, context, ["interval", "unit", "level"]);
  const { members, scope } = insight;
  const interval = readChoice(members, "interval", STICKINESS_INTERVALS) ?? "total";
  const unit = readChoice(members, "unit", UNITS) ?? "day";
  // `INTERVALS` is sorted from the shortest to the longest.
  if (INTERVALS.indexOf(unit) >= INTERVALS.indexOf(interval)) throw memberError(members, "unit", `expected a unit shorter than the interval ${interval}, got ${unit}`);
  const plan: Plan<"stickiness"> = { report: "stickiness", ...scope, interval, unit, level: readChoice(members, "level", LEVELS) ?? "identity" };
  refuseManyBuckets(insight, interval);
  return defined(plan, context.rules);
}
