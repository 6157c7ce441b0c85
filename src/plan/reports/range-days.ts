import { readInteger, type InputMembers } from "../members.js";
import type { WindowedScope } from "../plan.js";
import { windowed, windowOfDays } from "../window.js";

export const DAY_COUNT_MAX = 365;
export const DAY_COUNT_DEFAULT = 30;

/** The scope of a question about what happened in the last `rangeDays` days. @throws invalid_parameter */
export function planRangeDays(members: InputMembers, nowMs: number): WindowedScope {
  const dayCount = readInteger(members, "rangeDays", 1, DAY_COUNT_MAX) ?? DAY_COUNT_DEFAULT;
  const window = windowOfDays(dayCount, nowMs);
  // What was done for a company is counted where it lies, unlike what brought it.
  return { ...windowed(window), range: window };
}
