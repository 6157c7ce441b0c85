import type { InsightScope } from "../../plan/insights/plan.js";
import type { RowContext } from "../form/report.js";

/** What an answer tells of the moment that it is of: the sequence where one was asked for, so that answers stay equal while others write. */
export function asOfAnswer({ asOf }: InsightScope, { sequence }: RowContext): number | null {
  return asOf === null ? null : sequence;
}
