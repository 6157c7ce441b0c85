import { dayOf, MS_PER_DAY } from "../base/time.js";
import { CLOCK_UNIT_MS, firstDateOf, nameOfClockUnit, nameOfUnit, unitOfDate, type ClockUnit, type DateUnit } from "./units.js";
import type { Zone } from "./zone.js";

export interface TimeCut {
  readonly zone: Zone;
  readonly unit: DateUnit | ClockUnit;
  /** 0 for Monday, 6 for Sunday. */
  readonly weekStart: number;
}

/** Consecutive calendar units without gaps. Instants are epoch ms. */
export interface Axis {
  /** The start of each unit, then the end of the last: one entry more than there are units. */
  readonly bounds: Float64Array;
  nameOf(at: number): string;
}

/**
 * The units that overlap `[fromMs, toMs)`; null if there are more than `countMax`.
 * A date unit starts at the first instant at which the local clock shows its first date or later; dates that the zone skips are left out.
 * An hour or minute starts wherever the clock shows a full one or jumps into another. Cost: one step per unit and per day.
 */
export function axisOf(cut: TimeCut, fromMs: number, toMs: number, countMax: number): Axis | null {
  const { zone, unit } = cut;
  return isDateCut(cut) ? dateAxis(cut, fromMs, toMs, countMax) : clockAxis(zone, unit as ClockUnit, fromMs, toMs, countMax);
}

export type DateCut = TimeCut & { readonly unit: DateUnit };

function isDateCut(cut: TimeCut): cut is DateCut {
  return cut.unit !== "hour" && cut.unit !== "minute";
}

/** The instant at which a date unit starts. @param number as returned by `unitNumberAt` */
export function startOfUnit({ zone, unit, weekStart }: DateCut, number: number): number {
  return zone.firstAt(firstDateOf(unit, number, weekStart) * MS_PER_DAY);
}

/** The number of the date unit that contains an instant; consecutive units have consecutive numbers. */
export function unitNumberAt(cut: DateCut, ms: number): number {
  let number = unitOfDate(cut.unit, dayOf(ms + cut.zone.offsetMsAt(ms)), cut.weekStart);
  // Clocks set back over midnight show the previous date again, although its unit has ended.
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

/** Setting a clock back extends one unit by less than one more unit. */
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
