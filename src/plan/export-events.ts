import { planRange } from "./date-range.js";
import { readFlag, readMembers, readText } from "./members.js";
import type { Range } from "./plan.js";

/** Which events an export takes. */
export interface ExportPlan {
  readonly project: string | null;
  readonly range: Range;
  readonly identityIds: boolean;
}

/** Settles what an export takes. @throws invalid_parameter, unknown_parameter, invalid_date, invalid_date_range */
export function planExport(input: unknown): ExportPlan {
  const members = readMembers(input ?? {}, "", ["project", "startDate", "endDate", "identityIds"]);
  return { project: readText(members, "project"), range: planRange(members), identityIds: readFlag(members, "identityIds") };
}
