import type { PathsPlan, SessionsOverviewPlan, WebOverviewPlan } from "./plan.js";
import type { PlanContext, Pattern } from "../plan.js";
import { sessionRules } from "../report-rules.js";
import { readChoice, memberError, pathOfMember, readBounded, readFlag, readList, readMembers, readText, type InputMembers } from "../members.js";
import { withDefinition, readPlainBreakdown, refuseManyBuckets, readInsight, readListLimit, INTERVALS, CALENDAR_UNITS, readShortText } from "./insight-scope.js";
import { readPreviousRange } from "./previous-range.js";
import { FIELD_OPERANDS } from "../field-names.js";
import { readField } from "../filters/field-operand.js";

/** Plans a `sessionsOverview` query. @throws what `readInsight` throws */
export function planSessionsOverview(input: unknown, context: PlanContext): SessionsOverviewPlan {
  const insight = readInsight(input, context, ["interval", "breakdown", "limit"]);
  const { members, scope } = insight;
  const interval = readChoice(members, "interval", INTERVALS) ?? "total";
  const [breakdown, limit] = [readPlainBreakdown(members), readListLimit(members, 10)];
  const plan: SessionsOverviewPlan = { report: "sessionsOverview", ...scope, interval, breakdown, limit, ...sessionRules(context.rules) };
  refuseManyBuckets(insight, interval);
  return withDefinition(plan, context.rules);
}

/** Plans a `webOverview` query. @throws what `readInsight` throws */
export function planWebOverview(input: unknown, context: PlanContext): WebOverviewPlan {
  const insight = readInsight(input, context, ["limit", "interval", "compare"]);
  const { members, scope } = insight;
  const interval = readChoice(members, "interval", CALENDAR_UNITS);
  const [limit, previous] = [readListLimit(members, 10), readPreviousRange(insight, interval)];
  const plan: WebOverviewPlan = { report: "webOverview", ...scope, limit, interval, previous, ...context.rules };
  // Only figures are compared, so `previous` adds no buckets.
  refuseManyBuckets(insight, interval);
  return withDefinition(plan, context.rules);
}

export const PATH_RULE_COUNT_MAX = 50;
export const PATH_DEPTH = { min: 2, max: 20, default: 5 } as const;

/** Plans a `paths` query. @throws what `readInsight` throws */
export function planPaths(input: unknown, context: PlanContext): PathsPlan {
  const { members, scope } = readInsight(input, context, ["node", "rules", "startAt", "endAt", "collapse", "maxDepth", "limit"]);
  const [startAt, endAt] = [readText(members, "startAt"), readText(members, "endAt")];
  if (startAt !== null && startAt === endAt) throw memberError(members, "endAt", "expected a label other than startAt, got the same label");
  const plan: PathsPlan = {
    report: "paths",
    ...scope,
    node: readField(members, "node") ?? FIELD_OPERANDS.path,
    rules: planRules(members, context.patterns),
    startAt,
    endAt,
    collapse: readFlag(members, "collapse", true),
    maxDepth: readBounded(members, "maxDepth", PATH_DEPTH),
    limit: readListLimit(members, 50),
    ...sessionRules(context.rules),
  };
  return withDefinition(plan, context.rules);
}

function planRules(members: InputMembers, patterns: Pattern[]): PathsPlan["rules"] {
  return readList(members, "rules", 0, PATH_RULE_COUNT_MAX).map((value, at) => {
    const rule = readMembers(value, `rules[${at}]`, ["pattern", "label"]);
    const [pattern, label] = [readShortText(rule, "pattern"), readShortText(rule, "label")];
    if (pattern === null) throw memberError(rule, "pattern", "expected a regular expression, got none");
    if (label === null) throw memberError(rule, "label", "expected a label, got none");
    patterns.push({ pattern, param: pathOfMember(rule, "pattern") });
    return { pattern, label };
  });
}
