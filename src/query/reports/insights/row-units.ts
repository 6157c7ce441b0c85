import { placesByKey } from "../../../core/base/arrays.js";
import { dayOf, dayStartMs } from "../../../core/base/time.js";
import { runAtOnce } from "../../../core/base/yield.js";
import { axisOf, type TimeCut } from "../../../core/calendar/axis.js";
import { firstAtLeast } from "../../../core/base/search.js";
import type { Range } from "../../plan/plan.js";
import { TIME_COLUMN } from "../../../core/schema/fields.js";
import type { Rows } from "../../../storage/segment/rows.js";
import { extentOfUnits, type Extent } from "../../answer/insights/buckets.js";
import { select, selectedRows, type Selector } from "../../filter/select.js";

/* eslint-disable @typescript-eslint/no-non-null-assertion -- rows and places are bounded by their lists */
/** How rows are divided into time units; null: all rows form one unit with start 0. */
export type RowCut = TimeCut | null;

/** Identifies a cut: states of units with the same name can be added up. */
export function nameOfCut(cut: RowCut): string {
  return cut === null ? "total" : `${cut.unit} ${cut.zone.name} ${cut.weekStart}`;
}

/** Columns that cutting rows reads. Days of UTC and longer units contain whole segments, whose rows are not read. */
export function columnsOfCut(cut: RowCut): readonly string[] {
  const isWholeDays = cut === null || (cut.zone.name === "UTC" && cut.unit !== "hour" && cut.unit !== "minute");
  return isWholeDays ? [] : [TIME_COLUMN];
}

/** Finds the start of an instant's unit. Cost: little for an instant of the last one's unit or UTC day, else the units of a day. */
export function unitFinder(cut: RowCut): (ms: number) => number {
  if (cut === null) return () => 0;
  let [startMs, endMs, day] = [NaN, NaN, NaN];
  let bounds: Float64Array = new Float64Array(0);
  return (ms) => {
    if (ms >= startMs && ms < endMs) return startMs;
    if (dayOf(ms) !== day) {
      day = dayOf(ms);
      bounds = axisOf(cut, dayStartMs(day), dayStartMs(day + 1), Infinity)?.bounds ?? bounds;
    }
    const next = firstAtLeast(bounds, ms + 1);
    [startMs, endMs] = [bounds[next - 1]!, bounds[next]!];
    return startMs;
  };
}

/** States by the start of their time unit, from several segments or spans. */
export type ByUnit<T> = Map<number, T[]>;

export function addUnit<T>(state: ByUnit<T>, unitMs: number, one: T): void {
  const ofUnit = state.get(unitMs);
  if (ofUnit === undefined) state.set(unitMs, [one]);
  else ofUnit.push(one);
}

export function addUnits<T>(state: ByUnit<T>, byUnit: Iterable<readonly [number, T]>): void {
  for (const [unitMs, one] of byUnit) addUnit(state, unitMs, one);
}

/** Estimated size of an entry of a map. */
const UNIT_BYTES = 64;

export function byteLengthOfUnits<T>(byUnit: ReadonlyMap<number, T>, byteLengthOf: (one: T) => number): number {
  let byteLength = byUnit.size * UNIT_BYTES;
  for (const one of byUnit.values()) byteLength += byteLengthOf(one);
  return byteLength;
}

/**
 * The states that another query cached with a segment, for the units within a range; null if there are none, or the range cuts the rows of a unit.
 * `T` must be what is cached under this key.
 */
export function cachedUnits<T>(rows: Rows, key: string, cut: RowCut, range: Range): Iterable<readonly [number, T]> | null {
  const known = rows.cached(key, []) as ReadonlyMap<number, T> | null;
  const within = known === null ? null : unitsWithin(rows, cut, range);
  return known === null || within === null ? null : [...known].filter(([unitMs]) => within.has(unitMs));
}

/** Makes the state of the selected rows of each unit, or of each intersection of the units of two cuts; null states are left out. */
export function madeByUnit<T>(rows: Rows, selector: Selector, cuts: readonly RowCut[], make: (selected: Uint32Array) => T | null): ReadonlyMap<number, T> {
  const made = new Map<number, T>();
  // A copy: cutting rows or making states may overwrite the shared selection.
  eachCrossing(rows, selectedRows(select(rows, selector)).slice(), cuts, (unitMs, selected) => {
    const one = make(selected);
    if (one !== null) made.set(unitMs, one);
  });
  return made;
}

function eachCrossing(rows: Rows, selected: Uint32Array, [cut = null, ...others]: readonly RowCut[], take: (unitMs: number, selected: Uint32Array) => void): void {
  eachUnit(rows, selected, cut, (unitMs, own) => {
    if (others.length === 0) take(unitMs, own);
    else eachCrossing(rows, own, others, (otherMs, crossing) => take(Math.max(unitMs, otherMs), crossing));
  });
}

const FIRST_ROW = Uint32Array.of(0);

/** The start of the unit in which all rows of a segment lie: reads none of them. */
export function unitOfAll(rows: Rows, cuts: readonly RowCut[]): number {
  let only = 0;
  eachCrossing(rows, FIRST_ROW, cuts, (unitMs) => (only = unitMs));
  return only;
}

/** The starts of the units within a range that a segment has rows in; null if the range cuts the rows of a unit. */
export function unitsWithin(rows: Rows, cut: RowCut, { fromMs, toMs }: Range): ReadonlySet<number> | null {
  if (cut === null) return null;
  const start = dayStartMs(rows.day);
  const [firstMs, lastMs] = [start + rows.minMs, start + rows.maxMs];
  const bounds = axisOf(cut, firstMs, lastMs + 1, Infinity)?.bounds ?? new Float64Array(0);
  const within = new Set<number>();
  for (let unit = 0; unit + 1 < bounds.length; unit += 1) {
    const [from, to] = [Math.max(bounds[unit]!, firstMs), Math.min(bounds[unit + 1]!, lastMs + 1)];
    if (from >= fromMs && to <= toMs) within.add(bounds[unit]!);
    else if (from < toMs && to > fromMs) return null;
  }
  return within;
}

/**
 * Visits some rows unit by unit, with the start of each whole unit.
 * Cost: for sealed rows one search per unit, for others one read per row.
 * @param selected ascending row numbers
 */
function eachUnit(rows: Rows, selected: Uint32Array, cut: RowCut, take: (unitMs: number, selected: Uint32Array) => void): void {
  if (selected.length === 0) return;
  if (cut === null) return take(0, selected);
  const start = dayStartMs(rows.day);
  const axis = axisOf(cut, start + rows.minMs, start + rows.maxMs + 1, Infinity);
  const bounds = axis?.bounds ?? new Float64Array(0);
  if (bounds.length === 2) return take(bounds[0]!, selected);
  if (rows.sealed) cutSorted(selected, rows.times(), bounds, start, take);
  else cutUnsorted(selected, rows.times(), bounds, start, take);
}

function cutSorted(selected: Uint32Array, times: Int32Array, bounds: Float64Array, start: number, take: (unitMs: number, selected: Uint32Array) => void): void {
  let from = 0;
  for (let unit = 0; unit + 1 < bounds.length && from < selected.length; unit += 1) {
    const endRow = firstAtLeast(times, bounds[unit + 1]! - start);
    const to = firstAtLeast(selected, endRow, from);
    if (to > from) take(bounds[unit]!, selected.subarray(from, to));
    from = to;
  }
}

function cutUnsorted(selected: Uint32Array, times: Int32Array, bounds: Float64Array, start: number, take: (unitMs: number, selected: Uint32Array) => void): void {
  const { starts, places } = runAtOnce(placesByKey(selected.map((row) => firstAtLeast(bounds, start + times[row]! + 1) - 1), bounds.length - 1));
  const sorted = places.map((place) => selected[place]!);
  for (let unit = 0; unit + 1 < bounds.length; unit += 1) if (starts[unit + 1]! > starts[unit]!) take(bounds[unit]!, sorted.subarray(starts[unit]!, starts[unit + 1]!));
}
/* eslint-enable @typescript-eslint/no-non-null-assertion */

/** The first and last start of some units, but not before the range; null if there are no units. */
export function extentOf(unitStarts: Iterable<number>, { fromMs }: Range): Extent | null {
  const extent = extentOfUnits(unitStarts);
  return extent === null ? null : { firstMs: Math.max(fromMs, extent.firstMs), lastMs: Math.max(fromMs, extent.lastMs) };
}
