import type { LifecyclePlan, RetentionPlan, StickinessPlan } from "./plan.js";
import type { PlanContext, QueryScope } from "../plan.js";
import { readBounded, readChoice, readMembers, memberError } from "../members.js";
import { withDefinition, readPlainBreakdown, refuseManyBuckets, readInsight, LEVELS, PERIOD_UNITS, INTERVALS, type InsightParts } from "./insight-scope.js";

export const PERIOD_COUNT = { min: 1, max: 366, default: 11 } as const;

/** Plans a `retention` query. @throws what `readInsight` throws */
export function planRetention(input: unknown, context: PlanContext): RetentionPlan {
  const insight = readInsight(input, context, ["cohortEvent", "returnEvent", "cohort", "returned", "interval", "periods", "level", "breakdown"]);
  const { members, scope } = insight;
  const interval = readChoice(members, "interval", PERIOD_UNITS) ?? "day";
  const plan: RetentionPlan = {
    report: "retention",
    ...scope,
    cohortEvent: readEvent(insight, "cohortEvent"),
    returnEvent: readEvent(insight, "returnEvent"),
    cohort: readChoice(members, "cohort", ["first_time", "recurring"]) ?? "first_time",
    returned: readChoice(members, "returned", ["on", "on_or_after"]) ?? "on",
    interval,
    periods: readBounded(members, "periods", PERIOD_COUNT),
    level: readChoice(members, "level", LEVELS) ?? "identity",
    breakdown: readPlainBreakdown(members),
  };
  refuseManyBuckets(insight, interval);
  return withDefinition(plan, context.rules);
}

function readEvent({ members, selectionOf, eventsOf }: InsightParts, name: string): QueryScope {
  return eventsOf(selectionOf(readMembers(members.values.get(name) ?? {}, name, ["eventName", "filterGroups"])));
}

/** Plans a `lifecycle` query. @throws what `readInsight` throws */
export function planLifecycle(input: unknown, context: PlanContext): LifecyclePlan {
  const insight = readInsight(input, context, ["interval", "level"]);
  const { members, scope } = insight;
  const interval = readChoice(members, "interval", PERIOD_UNITS) ?? "day";
  const plan: LifecyclePlan = { report: "lifecycle", ...scope, interval, level: readChoice(members, "level", LEVELS) ?? "identity" };
  refuseManyBuckets(insight, interval);
  return withDefinition(plan, context.rules);
}

const STICKINESS_INTERVALS = ["week", "month", "quarter", "year", "total"] as const;
const UNITS = ["hour", "day", "week", "month"] as const;

/** Plans a `stickiness` query. @throws what `readInsight` throws */
export function planStickiness(input: unknown, context: PlanContext): StickinessPlan {
  const insight = readInsight(input, context, ["interval", "unit", "level"]);
  const { members, scope } = insight;
  const interval = readChoice(members, "interval", STICKINESS_INTERVALS) ?? "total";
  const unit = readChoice(members, "unit", UNITS) ?? "day";
  // `INTERVALS` is sorted from the shortest to the longest.
  if (INTERVALS.indexOf(unit) >= INTERVALS.indexOf(interval)) throw memberError(members, "unit", `expected a unit shorter than the interval ${interval}, got ${unit}`);
  const plan: StickinessPlan = { report: "stickiness", ...scope, interval, unit, level: readChoice(members, "level", LEVELS) ?? "identity" };
  refuseManyBuckets(insight, interval);
  return withDefinition(plan, context.rules);
}
