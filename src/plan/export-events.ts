import { planRange } from "./date-range.js";
import { readMembers, readText } from "./members.js";
import type { Range } from "./plan.js";

/** Which events an export takes. */
export interface ExportPlan {
  readonly project: string | null;
  readonly range: Range;
}

/** Settles what an export takes. @throws invalid_parameter, unknown_parameter, invalid_date, invalid_date_range */
export function planExport(input: unknown): ExportPlan {
  const members = readMembers(input ?? {}, "", ["project", "startDate", "endDate"]);
  return { project: readText(members, "project"), range: planRange(members) };
}
