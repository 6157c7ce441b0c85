import type { RevenueRule, SessionRule, TouchRule } from "./plan.js";

/** What planning needs beside the question. */
export interface PlanContext {
  /** Epoch ms at which the question was put. */
  readonly nowMs: number;
  /** The store's key of 32 bytes that seals cursors. */
  readonly cursorKey: Uint8Array;
  readonly rules: ReportRules;
  /** The saved segments by their names, as they were put: nothing is wrong with them. */
  readonly savedSegments: ReadonlyMap<string, unknown>;
  /** Takes the regular expressions of the question. Planning only measures them: who asks for a plan compiles them. */
  readonly patterns: Pattern[];
}

/** A regular expression, and the parameter that it is. */
export interface Pattern {
  readonly pattern: string;
  readonly param: string;
}

/** What options settle about meaning. */
export interface ReportRules {
  readonly session: SessionRule;
  /** Slugs of events that are page views. */
  readonly pageviewSlugs: readonly string[];
  readonly revenue: RevenueRule;
  readonly touch: TouchRule;
}
