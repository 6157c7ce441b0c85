import { readInteger, type Members } from "./members.js";
import type { WindowedScope } from "./plan.js";
import { windowed, windowOfDays } from "./window.js";

const DAY_COUNT_MAX = 365;
const DAY_COUNT_DEFAULT = 30;

/** The scope of a question about the last `rangeDays` days. @throws invalid_parameter */
export function planRangeDays(members: Members, nowMs: number): WindowedScope {
  const dayCount = readInteger(members, "rangeDays", 1, DAY_COUNT_MAX) ?? DAY_COUNT_DEFAULT;
  return windowed(windowOfDays(dayCount, nowMs));
}
