import type { InsightScope } from "../../plan/insights/plan.js";
import type { RowContext } from "../form/report.js";

/** The sequence of the snapshot, if `asOf` was requested; otherwise null, so that equal results stay equal while events are written. */
export function asOfAnswer({ asOf }: InsightScope, { sequence }: RowContext): number | null {
  return asOf === null ? null : sequence;
}
