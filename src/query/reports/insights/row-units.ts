import { dayStartMs } from "../../../core/base/time.js";
import { axisOf, type TimeCut } from "../../../core/calendar/axis.js";
import { firstAtLeast } from "../../../storage/column/search.js";
import type { Range } from "../../plan/plan.js";
import { TIME_COLUMN } from "../../../core/schema/fields.js";
import type { Rows } from "../../../storage/segment/rows.js";
import type { Extent } from "../../answer/insights/buckets.js";

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

/**
 * The starts of the units within a range that a segment has rows in; null if the range cuts the rows of a unit.
 * Lets a query reuse the units that another query cached with the segment.
 */
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
export function eachUnit(rows: Rows, selected: Uint32Array, cut: RowCut, take: (unitMs: number, selected: Uint32Array) => void): void {
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
  const units = new Uint32Array(selected.length);
  const ends = new Uint32Array(bounds.length);
  for (let at = 0; at < selected.length; at += 1) {
    const unit = firstAtLeast(bounds, start + times[selected[at]!]! + 1) - 1;
    units[at] = unit;
    ends[unit + 1]! += 1;
  }
  for (let unit = 1; unit < ends.length; unit += 1) ends[unit]! += ends[unit - 1]!;
  const next = ends.slice();
  const sorted = new Uint32Array(selected.length);
  for (let at = 0; at < selected.length; at += 1) {
    const unit = units[at]!;
    sorted[next[unit]!] = selected[at]!;
    next[unit]! += 1;
  }
  for (let unit = 0; unit + 1 < bounds.length; unit += 1) if (ends[unit + 1]! > ends[unit]!) take(bounds[unit]!, sorted.subarray(ends[unit]!, ends[unit + 1]!));
}
/* eslint-enable @typescript-eslint/no-non-null-assertion */

/** The first and last start of some units, but not before the range; null if there are no units. */
export function extentOf(unitStarts: Iterable<number>, { fromMs }: Range): Extent | null {
  let [firstMs, lastMs] = [Infinity, -Infinity];
  for (const unitMs of unitStarts) {
    firstMs = Math.min(firstMs, unitMs);
    lastMs = Math.max(lastMs, unitMs);
  }
  return firstMs > lastMs ? null : { firstMs: Math.max(fromMs, firstMs), lastMs: Math.max(fromMs, lastMs) };
}
