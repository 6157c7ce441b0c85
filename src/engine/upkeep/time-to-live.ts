import type { TimeToLiveRule } from "../../store/files/manifest.js";
import type { DeletionReceipt } from "./deletions.js";
import { parameterError, shown } from "../../core/base/errors.js";
import { LIMITS } from "../../core/base/limits.js";
import { compareCodePoints } from "../../core/base/order.js";
import { readMembers } from "../../query/plan/members.js";

export type { TimeToLiveRule };

/** What is expired, and deleted by the next sweep. */
export interface TimeToLivePreview {
  readonly events: number;
  /** UTC days that lose events. */
  readonly days: number;
  /** Projects that lose events, by name. */
  readonly projects: readonly {
    readonly project: string;
    /** The first day whose events are kept, `YYYY-MM-DD`. */
    readonly keptFrom: string;
    readonly events: number;
    readonly days: number;
  }[];
}

/**
 * For how many days events are kept, by project: the UTC day on which they happened and that many days after it. `ingest` rejects older events as
 * `expired`; stored events that expire are deleted automatically, in a quiet period within minutes of midnight or of the opening.
 */
export interface TimeToLive {
  /**
   * Sets the rule of a project or, with null, of all projects without a rule of their own; durable when it resolves.
   * @throws invalid_parameter (a project of other than 1 to 200 characters, days other than 1 to 36,525, more than 1,000 rules), unknown_parameter,
   * read_only, storage_full, closed
   */
  set(project: string | null, rule: { readonly days: number }): Promise<void>;
  /** Removes a rule; false if there was none. @throws invalid_parameter, read_only, storage_full, closed */
  off(project: string | null): Promise<boolean>;
  /** All rules, the one of all projects first, the others by project. @throws closed */
  list(): Promise<readonly TimeToLiveRule[]>;
  /** What the next sweep deletes, by the current rules and a hypothetical one. @throws as set, for that rule; closed, corruption */
  preview(rule?: TimeToLiveRule): Promise<TimeToLivePreview>;
  /**
   * Why nothing is deleted until `sweep` is called: the clock is more than a day ahead of the last trusted time. Null or absent: sweeps do not wait.
   */
  readonly waiting?: string | null;
  /** Sweeps now, and confirms the clock; resolves when every byte of expired events is gone. @throws read_only, storage_full, closed */
  sweep(): Promise<DeletionReceipt>;
}

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
