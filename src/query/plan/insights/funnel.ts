import type { FunnelPlan } from "./plan.js";
import { parameterError } from "../../../core/base/errors.js";
import type { PlanContext } from "../plan.js";
import { sessionRules } from "../report-rules.js";
import { memberError, readBounded, readChoice, readInteger, readList, readMembers, type InputMembers } from "../members.js";
import {
  planBreakdown, readBreakdown, refuseManyBuckets, readInsight, CALENDAR_UNITS, LEVELS, readShortText, type InsightParts, type EventSelection,
  withDefinition,
} from "./insight-scope.js";

export const STEP_COUNT = { min: 2, max: 20 } as const;
export const EXCLUSION_COUNT_MAX = 10;
export const WINDOW_SEC = { min: 1, max: 31_622_400, default: 1_209_600 } as const;
const EVENT = ["eventName", "filterGroups"];

/** Plans a `funnel` query. @throws what `readInsight` throws */
export function planFunnel(input: unknown, context: PlanContext): FunnelPlan {
  const insight = readInsight(input, context, ["steps", "order", "conversionWindowSec", "exclusions", "level", "breakdown", "interval"]);
  const { members, scope } = insight;
  const order = readChoice(members, "order", ["sequential", "strict", "any"]) ?? "sequential";
  const steps = planSteps(insight, order);
  const breakdown = readBreakdown(members, ["at"]);
  const interval = readChoice(members, "interval", CALENDAR_UNITS);
  if (breakdown !== null && interval !== null) throw memberError(members, "interval", 'cannot be combined with "breakdown"');
  const plan: FunnelPlan = {
    report: "funnel",
    ...scope,
    steps,
    order,
    windowMs: 1_000 * readBounded(members, "conversionWindowSec", WINDOW_SEC),
    exclusions: planExclusions(insight, order, steps.length),
    level: readChoice(members, "level", [...LEVELS, "session"]) ?? "identity",
    breakdown: breakdown === null ? null : { ...planBreakdown(breakdown), at: readChoice(breakdown, "at", ["entry", "last"]) ?? "entry" },
    interval,
    ...sessionRules(context.rules),
  };
  refuseManyBuckets(insight, interval);
  return withDefinition(plan, context.rules);
}

/** With order `any` a step is a number of steps done, whatever its name. */
function planSteps(insight: InsightParts, order: FunnelPlan["order"]): FunnelPlan["steps"] {
  return readList(insight.members, "steps", STEP_COUNT.min, STEP_COUNT.max).map((value, at) => {
    const step = readMembers(value, `steps[${at}]`, [...EVENT, "name"]);
    const selection = selectionOf(insight, step);
    const name = readShortText(step, "name") ?? selection.eventName ?? `step ${at + 1}`;
    return { scope: insight.eventsOf(selection), name: order === "any" ? `${at + 1} steps` : name };
  });
}

function planExclusions(insight: InsightParts, order: FunnelPlan["order"], stepCount: number): FunnelPlan["exclusions"] {
  return readList(insight.members, "exclusions", 0, EXCLUSION_COUNT_MAX).map((value, at) => {
    const exclusion = readMembers(value, `exclusions[${at}]`, [...EVENT, "afterStep", "beforeStep"]);
    const scope = insight.eventsOf(selectionOf(insight, exclusion));
    const afterStep = readInteger(exclusion, "afterStep", 1, order === "any" ? 1 : stepCount - 1) ?? 1;
    const beforeStep = readInteger(exclusion, "beforeStep", order === "any" ? stepCount : afterStep + 1, stepCount) ?? stepCount;
    return { scope, afterStep, beforeStep };
  });
}

/** @throws invalid_parameter (neither a name nor a filter), and what `InsightParts.selectionOf` throws */
function selectionOf(insight: InsightParts, part: InputMembers): EventSelection {
  const selection = insight.selectionOf(part);
  if (selection.eventName === null && selection.where.length === 0)
    throw parameterError("invalid_parameter", part.path, "expected an event name or a filter, got neither");
  return selection;
}
