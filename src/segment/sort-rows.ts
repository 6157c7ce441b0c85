/* eslint-disable @typescript-eslint/no-non-null-assertion -- indexes are bounded by the row count */
import { Turns } from "../base/turn.js";
import { compareIds } from "../base/uuid.js";
import { sortNumbers } from "../base/sort-numbers.js";

/** Times below 2^27, rows below 2^26: both fit the 53 bits of a number exactly. */
const ROW_SPAN = 2 ** 26;
const ID_BYTES = 16;
/** Bytes of an id that fit into a key beside a row. */
const DIGIT_BYTES = 3;
/** Rows that are put in order by comparing ids, in less than a millisecond. */
const SHORT_TIE = 512;
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
    if (end - start > SHORT_TIE) await orderById(order.subarray(start, end), ids, 0, turns);
    else if (end - start > 1) orderFew(order.subarray(start, end), ids);
    start = end;
    if ((end - told) * COMPARISON_VALUE_COUNT < turns.pieceLength) continue;
    await turns.took((end - told) * COMPARISON_VALUE_COUNT);
    told = end;
  }
}

/** Puts rows in order of their ids, which are the same before `byteAt`: by three bytes at a time, then what still ties. */
async function orderById(rows: Uint32Array, ids: Uint8Array, byteAt: number, turns: Turns): Promise<void> {
  const keys = new Float64Array(rows.length);
  await turns.inPieces(rows.length, (from, to) => {
    for (let at = from; at < to; at += 1) keys[at] = digitOf(ids, rows[at]!, byteAt) * ROW_SPAN + rows[at]!;
  });
  const sorted = await sortNumbers(keys, turns);
  for (let start = 0; start < sorted.length; ) {
    const digit = Math.floor(sorted[start]! / ROW_SPAN);
    let end = start;
    for (; end < sorted.length && Math.floor(sorted[end]! / ROW_SPAN) === digit; end += 1) rows[end] = sorted[end]! % ROW_SPAN;
    // Rows that tie in fifteen bytes are 256 at most: no digit reaches beyond an id.
    if (end - start > SHORT_TIE) await orderById(rows.subarray(start, end), ids, byteAt + DIGIT_BYTES, turns);
    else if (end - start > 1) orderFew(rows.subarray(start, end), ids);
    start = end;
  }
}

function digitOf(ids: Uint8Array, row: number, byteAt: number): number {
  const at = row * ID_BYTES + byteAt;
  return (ids[at]! << 16) | (ids[at + 1]! << 8) | ids[at + 2]!;
}

function orderFew(rows: Uint32Array, ids: Uint8Array): void {
  rows.sort((a, b) => compareIds(ids, a * ID_BYTES, ids, b * ID_BYTES));
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
