import type { RevenueRule, SessionRule, TouchRule } from "./plan.js";

/** What planning needs beside the question. */
export interface PlanContext {
  /** Epoch ms at which the question was put. */
  readonly nowMs: number;
  /** The store's key of 32 bytes that seals cursors. */
  readonly cursorKey: Uint8Array;
  readonly rules: ReportRules;
}

/** What options settle about meaning. */
export interface ReportRules {
  readonly session: SessionRule;
  /** Slugs of events that are page views. */
  readonly pageviewSlugs: readonly string[];
  readonly revenue: RevenueRule;
  readonly touch: TouchRule;
}
