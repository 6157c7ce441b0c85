/* eslint-disable @typescript-eslint/no-non-null-assertion -- rows are bounded by their batch */
import { dayOf } from "../../core/base/time.js";
import type { Batch } from "./batch.js";

/**
 * Groups the rows of a batch by day, each day in order of arrival, with `places` as their former indexes; returns the batch itself if
 * each day is already contiguous. A head appends rows column by column, so a few hundred at once cost a tenth of single ones.
 * Cost: about 50 ns per moved row.
 */
export function byDay(batch: Batch, keysOf: (shape: number) => readonly number[]): Batch {
  const days = daysOf(batch);
  const starts = startsOf(days);
  if (starts === null) return batch;
  const { rowCount } = batch;
  const places = new Uint32Array(rowCount);
  for (let row = 0; row < rowCount; row += 1) {
    const at = starts.get(days[row]!)!;
    places[at] = row;
    starts.set(days[row]!, at + 1);
  }
  return { rowCount, places, ...moved(batch, places, keysOf) };
}

function daysOf({ times, rowCount }: Batch): Int32Array {
  const days = new Int32Array(rowCount);
  for (let row = 0; row < rowCount; row += 1) days[row] = dayOf(times[row]!);
  return days;
}

/** Start index of each day's rows; null if the rows of each day are contiguous. */
function startsOf(days: Int32Array): Map<number, number> | null {
  const counts = new Map<number, number>();
  let runCount = 0;
  for (let from = 0, to = 0; from < days.length; from = to, runCount += 1) {
    while (to < days.length && days[to] === days[from]) to += 1;
    counts.set(days[from]!, (counts.get(days[from]!) ?? 0) + to - from);
  }
  if (runCount === counts.size) return null;
  let start = 0;
  for (const [day, count] of counts) {
    counts.set(day, start);
    start += count;
  }
  return counts;
}

function moved(batch: Batch, places: Uint32Array, keysOf: (shape: number) => readonly number[]): Omit<Batch, "rowCount"> {
  const rowCount = places.length;
  const times = new Float64Array(rowCount);
  const ids = new Uint8Array(rowCount * 16);
  const codes = batch.codes.map((from) => {
    const into = new Uint32Array(rowCount);
    for (let row = 0; row < rowCount; row += 1) into[row] = from[places[row]!]!;
    return into;
  });
  const shapes = new Uint32Array(rowCount);
  const values = new Uint32Array(batch.values.length);
  const valuesAt = valueStarts(batch, keysOf);
  let next = 0;
  for (let row = 0; row < rowCount; row += 1) {
    const place = places[row]!;
    times[row] = batch.times[place]!;
    shapes[row] = batch.shapes[place]!;
    for (let at = 0; at < 16; at += 1) ids[row * 16 + at] = batch.ids[place * 16 + at]!;
    for (let at = valuesAt[place]!; at < valuesAt[place + 1]!; at += 1, next += 1) values[next] = batch.values[at]!;
  }
  return { times, ids, codes, shapes, values };
}

/** Start index of each row's metadata values, and the end of the last row's. */
function valueStarts({ shapes, rowCount }: Batch, keysOf: (shape: number) => readonly number[]): Uint32Array {
  const starts = new Uint32Array(rowCount + 1);
  for (let row = 0; row < rowCount; row += 1) starts[row + 1] = starts[row]! + keysOf(shapes[row]!).length;
  return starts;
}
