import { LIMITS } from "../../../core/base/limits.js";
import { axisOf } from "../../../core/calendar/axis.js";
import { CLOCK_UNIT_MS } from "../../../core/calendar/units.js";
import { memberError } from "../members.js";
import type { Range } from "../plan.js";
import type { Interval } from "./input.js";
import type { InsightParts } from "./insight-scope.js";

/**
 * Rejects more buckets than a result may have, if the dates determine their number: on an open side the data does.
 * @param previous the range to compare with, whose buckets are shown too @throws invalid_parameter
 */
export function refuseManyBuckets({ members, zone, scope }: InsightParts, interval: Interval | null, previous: Range | null = null): void {
  const { range, isOpen, calendar } = scope;
  if (interval === null || interval === "total" || isOpen.start || isOpen.end) return;
  for (const { fromMs, toMs } of [range, ...(previous === null ? [] : [previous])]) {
    // Setting a clock back makes a unit up to twice as long. This check avoids counting the minutes of centuries.
    const isFar = (interval === "hour" || interval === "minute") && toMs - fromMs > 2 * (LIMITS.bucketCount + 1) * CLOCK_UNIT_MS[interval];
    if (isFar || axisOf({ zone, unit: interval, weekStart: calendar.weekStart }, fromMs, toMs, LIMITS.bucketCount) === null)
      throw memberError(members, "interval", `expected at most ${LIMITS.bucketCount} buckets, got more for the interval ${interval}`);
  }
}
