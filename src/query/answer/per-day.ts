import { dayOf, isoOfDay } from "../../core/base/time.js";
import { parameterError } from "../../core/base/errors.js";
import { LIMITS } from "../../core/base/limits.js";
import type { PerDayItem } from "../plan/input.js";
import type { Range } from "../plan/plan.js";

/** Counts by ascending day; `fill` adds the days without any, out to the bounds of the range if it has bounds. @throws invalid_parameter */
export function perDayItems(counts: ReadonlyMap<number, number>, range: Range, fill: boolean): PerDayItem[] {
  const days = [...counts.keys()].sort((a, b) => a - b);
  if (!fill) return days.map((day) => ({ day: isoOfDay(day), count: counts.get(day) ?? 0 }));
  const first = range.fromMs > 0 ? dayOf(range.fromMs) : days[0];
  const last = range.toMs < LIMITS.instantMaxMs ? dayOf(range.toMs - 1) : days.at(-1);
  const items: PerDayItem[] = [];
  if (first === undefined || last === undefined) return items;
  if (last - first >= LIMITS.fillDayCount)
    throw parameterError("invalid_parameter", "fill", `expected a range of at most ${LIMITS.fillDayCount} days, got ${last - first + 1}`);
  for (let day = first; day <= last; day += 1) items.push({ day: isoOfDay(day), count: counts.get(day) ?? 0 });
  return items;
}
