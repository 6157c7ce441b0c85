import type { Pattern, PlanContext } from "../context.js";
import { FIELD_OPERANDS } from "../field-names.js";
import { readField } from "../filters/field-operand.js";
import { memberError, pathOfMember, readFlag, readInteger, readList, readMembers, readText, type InputMembers } from "../members.js";
import type { Plan } from "../plan.js";
import { defined } from "./definition.js";
import { readInsight } from "./insight-scope.js";
import { readListLimit } from "./list-limit.js";
import { readShortText } from "./short-text.js";

export const RULE_COUNT_MAX = 50;
export const DEPTH = { min: 2, max: 20, default: 5 } as const;

/** Plans a `paths` query. @throws what `readInsight` throws */
export function planPaths(input: unknown, context: PlanContext): Plan<"paths"> {
  const { members, scope } = readInsight(input, context, ["node", "rules", "startAt", "endAt", "collapse", "maxDepth", "limit"]);
  const { session, pageviewSlugs, revenue } = context.rules;
  const [startAt, endAt] = [readText(members, "startAt"), readText(members, "endAt")];
  if (startAt !== null && startAt === endAt) throw memberError(members, "endAt", "expected a label other than startAt, got the same label");
  const plan: Plan<"paths"> = {
    report: "paths",
    ...scope,
    node: readField(members, "node") ?? FIELD_OPERANDS.path,
    rules: planRules(members, context.patterns),
    startAt,
    endAt,
    collapse: readFlag(members, "collapse", true),
    maxDepth: readInteger(members, "maxDepth", DEPTH.min, DEPTH.max) ?? DEPTH.default,
    limit: readListLimit(members, 50),
    session,
    pageviewSlugs,
    revenue,
  };
  return defined(plan, context.rules);
}

function planRules(members: InputMembers, patterns: Pattern[]): Plan<"paths">["rules"] {
  return readList(members, "rules", 0, RULE_COUNT_MAX).map((value, at) => {
    const rule = readMembers(value, `rules[${at}]`, ["pattern", "label"]);
    const [pattern, label] = [readShortText(rule, "pattern"), readShortText(rule, "label")];
    if (pattern === null) throw memberError(rule, "pattern", "expected a regular expression, got none");
    if (label === null) throw memberError(rule, "label", "expected a label, got none");
    patterns.push({ pattern, param: pathOfMember(rule, "pattern") });
    return { pattern, label };
  });
}
