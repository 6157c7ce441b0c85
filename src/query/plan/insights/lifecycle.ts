import type { PlanContext } from "../context.js";
import { readChoice } from "../members.js";
import type { Plan } from "../plan.js";
import { refuseManyBuckets } from "./bucket-count.js";
import { defined } from "./definition.js";
import { readInsight } from "./insight-scope.js";
import { LEVELS, PERIOD_UNITS } from "./names.js";

/** Plans a `lifecycle` query. @throws what `readInsight` throws */
export function planLifecycle(input: unknown, context: PlanContext): Plan<"lifecycle"> {
  const insight = readInsight(input, context, ["interval", "level"]);
  const { members, scope } = insight;
  const interval = readChoice(members, "interval", PERIOD_UNITS) ?? "day";
  const plan: Plan<"lifecycle"> = { report: "lifecycle", ...scope, interval, level: readChoice(members, "level", LEVELS) ?? "identity" };
  refuseManyBuckets(insight, interval);
  return defined(plan, context.rules);
}
