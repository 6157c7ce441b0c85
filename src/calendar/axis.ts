import { dayOf, MS_PER_DAY } from "../base/time.js";
import { CLOCK_UNIT_MS, firstDateOf, nameOfClockUnit, nameOfUnit, unitOfDate, type ClockUnit, type DateUnit } from "./units.js";
import type { Zone } from "./zone.js";

/** How time is cut. */
export interface TimeCut {
  readonly zone: Zone;
  readonly unit: DateUnit | ClockUnit;
  /** 0 for Monday. */
  readonly weekStart: number;
}

/** Whole units of a calendar, one after the other, without gaps. Instants are epoch ms. */
export interface Axis {
  /** Where each begins, and where the last one ends: one more than there are units. */
  readonly bounds: Float64Array;
  /** What one is called. */
  nameOf(at: number): string;
}

/**
 * The units that some instant of `[fromMs, toMs)` lies in; null if they are more than `countMax`.
 * A unit of dates begins with the first instant at which a clock shows its first date or a later one: a date that the zone skipped is none.
 * An hour or a minute begins wherever the clock shows a full one, or jumps into another one. Cost: the units, and a look at each day.
 */
export function axisOf(cut: TimeCut, fromMs: number, toMs: number, countMax: number): Axis | null {
  const { zone, unit } = cut;
  return isDateCut(cut) ? dateAxis(cut, fromMs, toMs, countMax) : clockAxis(zone, unit as ClockUnit, fromMs, toMs, countMax);
}

/** Cuts by units of dates. */
export type DateCut = TimeCut & { readonly unit: DateUnit };

function isDateCut(cut: TimeCut): cut is DateCut {
  return cut.unit !== "hour" && cut.unit !== "minute";
}

/** When a unit of dates begins. @param number as `unitNumberAt` has it */
export function startOfUnit({ zone, unit, weekStart }: DateCut, number: number): number {
  return zone.firstAt(firstDateOf(unit, number, weekStart) * MS_PER_DAY);
}

/** The number of the unit of dates that an instant lies in: neighbours have neighbouring numbers. */
export function unitNumberAt(cut: DateCut, ms: number): number {
  let number = unitOfDate(cut.unit, dayOf(ms + cut.zone.offsetMsAt(ms)), cut.weekStart);
  // Where clocks were put back over midnight they show the date before again, which is over.
  while (startOfUnit(cut, number + 1) <= ms) number += 1;
  return number;
}

function dateAxis(cut: DateCut, fromMs: number, toMs: number, countMax: number): Axis | null {
  const { unit, weekStart } = cut;
  let number = unitNumberAt(cut, fromMs);
  let startMs = startOfUnit(cut, number);
  let nextMs = startOfUnit(cut, number + 1);
  const [bounds, numbers]: [number[], number[]] = [[], []];
  for (; startMs < toMs; number += 1) {
    if (nextMs > startMs) {
      if (numbers.length === countMax) return null;
      bounds.push(startMs);
      numbers.push(number);
    }
    [startMs, nextMs] = [nextMs, startOfUnit(cut, number + 2)];
  }
  bounds.push(startMs);
  return { bounds: Float64Array.from(bounds), nameOf: (at) => nameOfUnit(unit, numbers[at] ?? 0, weekStart) };
}

/** A clock that is put back makes one unit longer, by less than another one. */
const LONGEST_UNITS = 2;

function clockAxis(zone: Zone, unit: ClockUnit, fromMs: number, toMs: number, countMax: number): Axis | null {
  const unitMs = CLOCK_UNIT_MS[unit];
  const [bounds, offsets]: [number[], number[]] = [[], []];
  const begin = (ms: number, offsetMs: number) => {
    if (ms <= fromMs) bounds.length = offsets.length = 0;
    bounds.push(ms);
    offsets.push(offsetMs);
  };
  let shownBefore = Number.NaN;
  for (const span of zone.spansIn(fromMs - LONGEST_UNITS * unitMs, toMs + LONGEST_UNITS * unitMs)) {
    const { offsetMs } = span;
    const shown = Math.floor((span.fromMs + offsetMs) / unitMs);
    const firstFullMs = Math.ceil((span.fromMs + offsetMs) / unitMs) * unitMs - offsetMs;
    if (firstFullMs > span.fromMs && !Number.isNaN(shownBefore) && shown !== shownBefore) begin(span.fromMs, offsetMs);
    for (let ms = firstFullMs; ms < span.toMs; ms += unitMs) {
      begin(ms, offsetMs);
      if (ms >= toMs) break;
      if (bounds.length > countMax + 1) return null;
    }
    shownBefore = Math.floor((span.toMs - 1 + offsetMs) / unitMs);
  }
  const end = bounds.findIndex((ms) => ms >= toMs);
  if (end > countMax) return null;
  return {
    bounds: Float64Array.from(bounds.slice(0, end + 1)),
    nameOf: (at) => {
      const offsetMs = offsets[at] ?? 0;
      return nameOfClockUnit(Math.floor(((bounds[at] ?? 0) + offsetMs) / unitMs) * unitMs, offsetMs);
    },
  };
}
