import { DaybookError } from "../../../src/core/base/errors.js";
import { reportRules } from "../../../src/query/plan/report-rules.js";
import type { PlanContext } from "../../../src/query/plan/plan.js";

export const context: PlanContext = { nowMs: Date.UTC(2026, 2, 1), cursorKey: new Uint8Array(32).fill(7), rules: reportRules({}), savedSegments: new Map(), patterns: [] };

/** Code and parameter of the error that `run` throws; null when it returns. */
export function thrown(run: () => unknown): [code: string, param: string | undefined] | null {
  try {
    run();
  } catch (error) {
    if (error instanceof DaybookError) return [error.code, error.details.param];
    throw error;
  }
  return null;
}
