import { assert, parameterError, type DaybookError } from "../../../core/base/errors.js";
import { LIMITS } from "../../../core/base/limits.js";
import { isoOf } from "../../../core/base/time.js";
import { axisOf, type TimeCut } from "../../../core/calendar/axis.js";
import { zoneOf } from "../../../core/calendar/zone.js";
import type { Bucket } from "../../plan/insights/answers.js";
import type { CalendarUnit, Interval } from "../../plan/input.js";
import type { CalendarPlan, InsightScope } from "../../plan/insights/plan.js";
import type { Range } from "../../plan/plan.js";

/** A bucket of time and its span `[fromMs, toMs)`, cut to the range. */
export interface Slot extends Range {
  /** Start of the whole unit, by which states name it; 0 for `total`. */
  readonly unitMs: number;
  readonly bucket: Bucket;
}

export type AxisScope = Pick<InsightScope, "calendar" | "isOpen" | "range" | "nowMs">;

/** The first and the last instant at which something counts, or instants in their units. */
export interface Extent {
  readonly firstMs: number;
  readonly lastMs: number;
}

/** From the first to the last of some units, given by their starts; null for none. */
export function extentOfUnits(units: Iterable<number>): Extent | null {
  let [firstMs, lastMs] = [Infinity, -Infinity];
  for (const unitMs of units) {
    firstMs = Math.min(firstMs, unitMs);
    lastMs = Math.max(lastMs, unitMs);
  }
  return firstMs > lastMs ? null : { firstMs, lastMs };
}

export function bothExtents(one: Extent | null, other: Extent | null): Extent | null {
  if (one === null || other === null) return one ?? other;
  return { firstMs: Math.min(one.firstMs, other.firstMs), lastMs: Math.max(one.lastMs, other.lastMs) };
}

export function cutOf({ timeZone, weekStart }: CalendarPlan, unit: CalendarUnit): TimeCut {
  const zone = zoneOf(timeZone);
  assert(zone !== null, "the zone of a plan is known");
  return { zone, unit, weekStart };
}

/**
 * All buckets of a range; an open side begins or ends with the bucket of the first or last instant at which something counts. `total` is one bucket.
 * @throws invalid_parameter (more than `LIMITS.bucketCount`)
 */
export function slotsOf({ calendar, isOpen, range, nowMs }: AxisScope, interval: Interval, extent: Extent | null): Slot[] {
  if (interval === "total") return [totalOf(isOpen, range, nowMs)];
  if (extent === null && (isOpen.start || isOpen.end)) return [];
  // A unit may begin before the range.
  const within = (ms: number) => Math.min(Math.max(ms, range.fromMs), range.toMs - 1);
  const fromMs = isOpen.start && extent !== null ? within(extent.firstMs) : range.fromMs;
  const toMs = isOpen.end && extent !== null ? within(extent.lastMs) + 1 : range.toMs;
  const axis = axisOf(cutOf(calendar, interval), fromMs, toMs, LIMITS.bucketCount);
  if (axis === null) throw tooManyBuckets(interval);
  const { bounds } = axis;
  return Array.from({ length: bounds.length - 1 }, (_, at): Slot => {
    const [unitMs = 0, endMs = 0] = [bounds[at], bounds[at + 1]];
    const [cutFromMs, cutToMs] = [Math.max(unitMs, range.fromMs), Math.min(endMs, range.toMs)];
    const isCut = cutFromMs > unitMs || cutToMs < endMs;
    const bucket = { start: isoOf(cutFromMs), end: isoOf(cutToMs - 1), local: axis.nameOf(at), partial: isCut || cutToMs - 1 >= nowMs };
    return { unitMs, fromMs: cutFromMs, toMs: cutToMs, bucket };
  });
}

export function tooManyBuckets(interval: Interval): DaybookError {
  return parameterError("invalid_parameter", "interval", `expected at most ${LIMITS.bucketCount} buckets, got more for the interval ${interval}`);
}

/** Extends a range to the whole units that it touches, within the years 1970 to 9999; an open side stays open. */
export function widened(scope: AxisScope, unit: CalendarUnit): AxisScope {
  const { calendar, isOpen, range } = scope;
  const cut = cutOf(calendar, unit);
  const boundsAt = (ms: number) => axisOf(cut, ms, ms + 1, 1)?.bounds ?? new Float64Array(2);
  const fromMs = isOpen.start ? range.fromMs : Math.max(0, boundsAt(range.fromMs)[0] ?? 0);
  const toMs = isOpen.end ? range.toMs : Math.min(LIMITS.instantMaxMs, boundsAt(range.toMs - 1)[1] ?? 0);
  return { ...scope, range: { fromMs, toMs } };
}

function totalOf(isOpen: InsightScope["isOpen"], range: Range, nowMs: number): Slot {
  const start = isOpen.start ? null : isoOf(range.fromMs);
  const end = isOpen.end ? null : isoOf(range.toMs - 1);
  return { unitMs: 0, ...range, bucket: { start, end, local: null, partial: isOpen.end || range.toMs - 1 >= nowMs } };
}
