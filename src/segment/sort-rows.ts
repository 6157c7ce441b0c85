/* eslint-disable @typescript-eslint/no-non-null-assertion -- indexes are bounded by the row count */
import { compareIds } from "../base/uuid.js";

/** Times below 2^27, rows below 2^26: both fit the 53 bits of a number exactly. */
const ROW_SPAN = 2 ** 26;

/**
 * The place of each row in (createdAt, event id) order; null when the rows stand in order already.
 * Cost: one numeric sort, ids are compared only among equal times.
 */
export function rankRows(times: Int32Array, ids: Uint8Array): Uint32Array | null {
  const count = times.length;
  if (isSorted(times, ids)) return null;
  const keys = new Float64Array(count);
  for (let row = 0; row < count; row += 1) keys[row] = times[row]! * ROW_SPAN + row;
  keys.sort();
  const order = new Uint32Array(count);
  for (let place = 0; place < count; place += 1) order[place] = keys[place]! % ROW_SPAN;
  for (let start = 0; start < count; ) {
    let end = start + 1;
    while (end < count && times[order[end]!] === times[order[start]!]) end += 1;
    if (end - start > 1) order.subarray(start, end).sort((a, b) => compareIds(ids, a * 16, ids, b * 16));
    start = end;
  }
  const ranks = new Uint32Array(count);
  for (let place = 0; place < count; place += 1) ranks[order[place]!] = place;
  return ranks;
}

function isSorted(times: Int32Array, ids: Uint8Array): boolean {
  for (let row = 1; row < times.length; row += 1) {
    const step = times[row]! - times[row - 1]!;
    if (step < 0 || (step === 0 && compareIds(ids, (row - 1) * 16, ids, row * 16) > 0)) return false;
  }
  return true;
}
