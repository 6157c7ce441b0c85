import type { RevenueRule, SessionRule, TouchRule } from "./plan.js";

/** What planning needs besides the input. */
export interface PlanContext {
  /** Epoch ms at which the query was made. */
  readonly nowMs: number;
  /** The 32-byte key of the store that seals cursors. */
  readonly cursorKey: Uint8Array;
  readonly rules: ReportRules;
  /** The saved segments by name, as they were given; they are known to be valid. */
  readonly savedSegments: ReadonlyMap<string, unknown>;
  /** Collects the regular expressions of the query. Planning only checks their length; the caller compiles them. */
  readonly patterns: Pattern[];
}

/** A regular expression, and the path of its parameter. */
export interface Pattern {
  readonly pattern: string;
  readonly param: string;
}

/** The rules of meaning that the options set. */
export interface ReportRules {
  readonly session: SessionRule;
  /** Slugs of events that are page views. */
  readonly pageviewSlugs: readonly string[];
  readonly revenue: RevenueRule;
  readonly touch: TouchRule;
}
