/* eslint-disable @typescript-eslint/no-non-null-assertion -- indexes are bounded by the row count */
import { Turns } from "../base/turn.js";
import { compareIds } from "../base/uuid.js";
import { sortNumbers } from "./sort-numbers.js";

/** Times below 2^27, rows below 2^26: both fit the 53 bits of a number exactly. */
const ROW_SPAN = 2 ** 26;
/** What comparing two rows costs, in looks at a value. */
const COMPARISON_VALUE_COUNT = 8;

/**
 * The place of each row in (createdAt, event id) order; null when the rows stand in order already.
 * Cost: one numeric sort, ids are compared only among equal times.
 */
export async function rankRows(times: Int32Array, ids: Uint8Array, turns = new Turns()): Promise<Uint32Array | null> {
  const count = times.length;
  if (await isSorted(times, ids, turns)) return null;
  const keys = new Float64Array(count);
  await turns.inPieces(count, (from, to) => {
    for (let row = from; row < to; row += 1) keys[row] = times[row]! * ROW_SPAN + row;
  });
  const sorted = await sortNumbers(keys, turns);
  const order = new Uint32Array(count);
  await turns.inPieces(count, (from, to) => {
    for (let place = from; place < to; place += 1) order[place] = sorted[place]! % ROW_SPAN;
  });
  await orderTies(order, times, ids, turns);
  const ranks = new Uint32Array(count);
  await turns.inPieces(count, (from, to) => {
    for (let place = from; place < to; place += 1) ranks[order[place]!] = place;
  });
  return ranks;
}

/** Puts rows of the same time in order of their ids. */
async function orderTies(order: Uint32Array, times: Int32Array, ids: Uint8Array, turns: Turns): Promise<void> {
  const count = order.length;
  let told = 0;
  for (let start = 0; start < count; ) {
    const time = times[order[start]!];
    let end = start + 1;
    while (end < count && times[order[end]!] === time) end += 1;
    if (end - start > 1) order.subarray(start, end).sort((a, b) => compareIds(ids, a * 16, ids, b * 16));
    start = end;
    if ((end - told) * COMPARISON_VALUE_COUNT < turns.pieceLength) continue;
    await turns.took((end - told) * COMPARISON_VALUE_COUNT);
    told = end;
  }
}

async function isSorted(times: Int32Array, ids: Uint8Array, turns: Turns): Promise<boolean> {
  const pieceLength = Math.ceil(turns.pieceLength / COMPARISON_VALUE_COUNT);
  for (let from = 1; from < times.length; from += pieceLength) {
    const to = Math.min(from + pieceLength, times.length);
    for (let row = from; row < to; row += 1) {
      const step = times[row]! - times[row - 1]!;
      if (step < 0 || (step === 0 && compareIds(ids, (row - 1) * 16, ids, row * 16) > 0)) return false;
    }
    await turns.took((to - from) * COMPARISON_VALUE_COUNT);
  }
  return true;
}
