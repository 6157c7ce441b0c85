import { LIMITS } from "../../core/base/limits.js";
import { MS_PER_DAY } from "../../core/base/time.js";
import { planRange } from "./date-range.js";
import type { InputMembers } from "./members.js";
import type { Range, WindowedScope } from "./plan.js";

const DEFAULT_DAY_COUNT = 30;

/**
 * The window from `startDate` to `endDate`, both inclusive; the defaults are 30 days before now, and now. A date beyond the default of the other
 * gives an empty window. @throws invalid_date, invalid_date_range, invalid_parameter
 */
export function planWindow(members: InputMembers, nowMs: number): Range {
  const given = planRange(members);
  const fromMs = members.values.has("startDate") ? given.fromMs : Math.max(0, nowMs - DEFAULT_DAY_COUNT * MS_PER_DAY);
  const toMs = members.values.has("endDate") ? given.toMs : nowMs + 1;
  return { fromMs: Math.min(fromMs, toMs), toMs };
}

/** The window of the last `dayCount` days before now, inclusive on both sides. */
export function windowOfDays(dayCount: number, nowMs: number): Range {
  return { fromMs: Math.max(0, nowMs - dayCount * MS_PER_DAY), toMs: nowMs + 1 };
}

/** The scope of a query that reads all rows, whatever its window. */
export function windowed(window: Range): WindowedScope {
  return { project: null, eventName: null, userId: null, range: { fromMs: 0, toMs: LIMITS.instantMaxMs }, where: [], window };
}
