import type { PlanContext } from "../context.js";
import { readChoice } from "../members.js";
import type { Plan } from "../plan.js";
import { readPlainBreakdown } from "./breakdown.js";
import { refuseManyBuckets } from "./bucket-count.js";
import { defined } from "./definition.js";
import { readInsight } from "./insight-scope.js";
import { readListLimit } from "./list-limit.js";
import { INTERVALS } from "./names.js";

/** Plans a `sessionsOverview` query. @throws what `readInsight` throws */
export function planSessionsOverview(input: unknown, context: PlanContext): Plan<"sessionsOverview"> {
  const insight = readInsight(input, context, ["interval", "breakdown", "limit"]);
  const { members, scope } = insight;
  const { session, pageviewSlugs, revenue } = context.rules;
  const interval = readChoice(members, "interval", INTERVALS) ?? "total";
  const [breakdown, limit] = [readPlainBreakdown(members), readListLimit(members, 10)];
  const plan: Plan<"sessionsOverview"> = { report: "sessionsOverview", ...scope, interval, breakdown, limit, session, pageviewSlugs, revenue };
  refuseManyBuckets(insight, interval);
  return defined(plan, context.rules);
}
