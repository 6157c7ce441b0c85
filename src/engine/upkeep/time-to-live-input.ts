import { parameterError, shown } from "../../core/base/errors.js";
import { LIMITS } from "../../core/base/limits.js";
import { compareCodePoints } from "../../core/base/order.js";
import { readMembers } from "../../query/plan/members.js";
import type { TimeToLiveRule } from "./time-to-live.js";

/** All rules, the one of all projects first. */
export function inOrder(rules: readonly TimeToLiveRule[]): TimeToLiveRule[] {
  // Null sorts first: no project has the name "".
  return rules.map((rule) => ({ ...rule })).sort((a, b) => compareCodePoints(a.project ?? "", b.project ?? ""));
}

/** Rules with one added or replaced. @throws invalid_parameter (too many) */
export function withRule(rules: readonly TimeToLiveRule[], rule: TimeToLiveRule): TimeToLiveRule[] {
  const others = rules.filter(({ project }) => project !== rule.project);
  if (others.length >= LIMITS.timeToLiveRuleCount)
    throw parameterError("invalid_parameter", "project", `expected at most ${LIMITS.timeToLiveRuleCount} rules`);
  return [...others, rule];
}

/** Rules with a hypothetical one. Of two for one project the later applies. @throws invalid_parameter, unknown_parameter */
export function withPreviewed(rules: readonly TimeToLiveRule[], rule: TimeToLiveRule | undefined): readonly TimeToLiveRule[] {
  if (rule === undefined) return rules;
  const { values } = readMembers(rule, "", ["project", "days"]);
  return [...rules, checkedRule((values.get("project") ?? null) as string | null, values.get("days"))];
}

/** @throws invalid_parameter, unknown_parameter */
export function readRule(project: string | null, rule: { readonly days: number }): TimeToLiveRule {
  return checkedRule(project, readMembers(rule, "", ["days"]).values.get("days"));
}

function checkedRule(project: string | null, days: unknown): TimeToLiveRule {
  readProject(project);
  if (typeof days !== "number" || !Number.isInteger(days) || days < 1 || days > LIMITS.timeToLiveDays)
    throw parameterError("invalid_parameter", "days", `expected a whole number from 1 to ${LIMITS.timeToLiveDays}, got ${shown(days)}`);
  return { project, days };
}

/** @throws invalid_parameter */
export function readProject(project: unknown): void {
  if (project === null) return;
  if (typeof project !== "string" || project === "" || !project.isWellFormed() || project.length > LIMITS.eventNameChars)
    throw parameterError("invalid_parameter", "project", `expected 1 to ${LIMITS.eventNameChars} characters, got ${shown(project)}`);
}
