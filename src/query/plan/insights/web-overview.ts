import type { PlanContext } from "../context.js";
import { readChoice } from "../members.js";
import type { Plan } from "../plan.js";
import { refuseManyBuckets } from "./bucket-count.js";
import { defined } from "./definition.js";
import { readInsight } from "./insight-scope.js";
import { readListLimit } from "./list-limit.js";
import { CALENDAR_UNITS } from "./names.js";
import { readPreviousRange } from "./previous-range.js";

/** Plans a `webOverview` query. @throws what `readInsight` throws */
export function planWebOverview(input: unknown, context: PlanContext): Plan<"webOverview"> {
  const insight = readInsight(input, context, ["limit", "interval", "compare"]);
  const { members, scope } = insight;
  const { session, pageviewSlugs, revenue, touch } = context.rules;
  const interval = readChoice(members, "interval", CALENDAR_UNITS);
  const [limit, previous] = [readListLimit(members, 10), readPreviousRange(insight, interval)];
  const plan: Plan<"webOverview"> = { report: "webOverview", ...scope, limit, interval, previous, session, pageviewSlugs, revenue, touch };
  // Only figures are compared, so `previous` adds no buckets.
  refuseManyBuckets(insight, interval);
  return defined(plan, context.rules);
}
