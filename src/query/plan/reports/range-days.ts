import { readInteger, type InputMembers } from "../members.js";
import type { WindowedScope } from "../plan.js";
import { windowed, windowOfDays } from "../window.js";

export const DAY_COUNT_MAX = 365;
export const DAY_COUNT_DEFAULT = 30;

/** The scope of a query about the last `rangeDays` days. @throws invalid_parameter */
export function planRangeDays(members: InputMembers, nowMs: number): WindowedScope {
  const dayCount = readInteger(members, "rangeDays", 1, DAY_COUNT_MAX) ?? DAY_COUNT_DEFAULT;
  const window = windowOfDays(dayCount, nowMs);
  // Events of a company count where they lie; unlike touches, no earlier ones matter.
  return { ...windowed(window), range: window };
}
