import { LIMITS } from "../../base/limits.js";
import { axisOf } from "../../calendar/axis.js";
import { CLOCK_UNIT_MS } from "../../calendar/units.js";
import { memberError } from "../members.js";
import type { Range } from "../plan.js";
import type { Interval } from "./input.js";
import type { InsightParts } from "./insight-scope.js";

/**
 * Refuses more buckets than an answer has, where the dates tell: on an open side it is the data that tells.
 * @param previous the range to compare with, whose buckets are shown too @throws invalid_parameter
 */
export function refuseManyBuckets({ members, zone, scope }: InsightParts, interval: Interval | null, previous: Range | null = null): void {
  const { range, isOpen, calendar } = scope;
  if (interval === null || interval === "total" || isOpen.start || isOpen.end) return;
  for (const { fromMs, toMs } of [range, ...(previous === null ? [] : [previous])]) {
    // A clock that is put back makes a unit longer, at most twice as long; nobody counts the minutes of centuries.
    const isFar = (interval === "hour" || interval === "minute") && toMs - fromMs > 2 * (LIMITS.bucketCount + 1) * CLOCK_UNIT_MS[interval];
    if (isFar || axisOf({ zone, unit: interval, weekStart: calendar.weekStart }, fromMs, toMs, LIMITS.bucketCount) === null)
      throw memberError(members, "interval", `expected at most ${LIMITS.bucketCount} buckets, got more of a ${interval}`);
  }
}
