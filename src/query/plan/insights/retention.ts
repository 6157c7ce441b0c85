import type { PlanContext } from "../context.js";
import { readChoice, readInteger, readMembers } from "../members.js";
import type { Plan, QueryScope } from "../plan.js";
import { readPlainBreakdown } from "./breakdown.js";
import { refuseManyBuckets } from "./bucket-count.js";
import { defined } from "./definition.js";
import { readInsight, type InsightParts } from "./insight-scope.js";
import { LEVELS, PERIOD_UNITS } from "./names.js";

export const PERIOD_COUNT = { min: 1, max: 366, default: 11 } as const;

/** Plans a `retention` query. @throws what `readInsight` throws */
export function planRetention(input: unknown, context: PlanContext): Plan<"retention"> {
  const insight = readInsight(input, context, ["cohortEvent", "returnEvent", "cohort", "returned", "interval", "periods", "level", "breakdown"]);
  const { members, scope } = insight;
  const interval = readChoice(members, "interval", PERIOD_UNITS) ?? "day";
  const plan: Plan<"retention"> = {
    report: "retention",
    ...scope,
    cohortEvent: readEvent(insight, "cohortEvent"),
    returnEvent: readEvent(insight, "returnEvent"),
    cohort: readChoice(members, "cohort", ["first_time", "recurring"]) ?? "first_time",
    returned: readChoice(members, "returned", ["on", "on_or_after"]) ?? "on",
    interval,
    periods: readInteger(members, "periods", PERIOD_COUNT.min, PERIOD_COUNT.max) ?? PERIOD_COUNT.default,
    level: readChoice(members, "level", LEVELS) ?? "identity",
    breakdown: readPlainBreakdown(members),
  };
  refuseManyBuckets(insight, interval);
  return defined(plan, context.rules);
}

function readEvent({ members, selectionOf, eventsOf }: InsightParts, name: string): QueryScope {
  return eventsOf(selectionOf(readMembers(members.values.get(name) ?? {}, name, ["eventName", "filterGroups"])));
}
