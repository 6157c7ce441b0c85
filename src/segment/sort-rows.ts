/* eslint-disable @typescript-eslint/no-non-null-assertion -- indexes are bounded by the row count */
import { compareCodePoints } from "../base/order.js";
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

/** What rows are sorted by. */
export interface RowOrder {
  /** Ms of the day. */
  readonly times: Int32Array;
  /** 16 bytes a row. */
  readonly ids: Uint8Array;
  /** Read of rows that share both. */
  readonly projectOf: (row: number) => string;
}

/**
 * The place of each row in (createdAt, event id, project) order; null when the rows stand in order already.
 * Cost: one numeric sort, ids are compared only among equal times.
 */
export async function rankRows(by: RowOrder, turns = new Turns()): Promise<Uint32Array | null> {
  const { times } = by;
  const count = times.length;
  if (await isSorted(by, turns)) return null;
  const keys = new Float64Array(count);
  await turns.inPieces(count, (from, to) => {
    for (let row = from; row < to; row += 1) keys[row] = times[row]! * ROW_SPAN + row;
  });
  const sorted = await sortNumbers(keys, turns);
  const order = new Uint32Array(count);
  await turns.inPieces(count, (from, to) => {
    for (let place = from; place < to; place += 1) order[place] = sorted[place]! % ROW_SPAN;
  });
  await orderTies(order, by, turns);
  const ranks = new Uint32Array(count);
  await turns.inPieces(count, (from, to) => {
    for (let place = from; place < to; place += 1) ranks[order[place]!] = place;
  });
  return ranks;
}

/** Puts rows of the same time in order of their ids and projects. */
async function orderTies(order: Uint32Array, by: RowOrder, turns: Turns): Promise<void> {
  const { times } = by;
  const count = order.length;
  let told = 0;
  for (let start = 0; start < count; ) {
    const time = times[order[start]!];
    let end = start + 1;
    while (end < count && times[order[end]!] === time) end += 1;
    if (end - start > SHORT_TIE) await orderById(order.subarray(start, end), by, 0, turns);
    else if (end - start > 1) orderFew(order.subarray(start, end), by);
    start = end;
    if ((end - told) * COMPARISON_VALUE_COUNT < turns.pieceLength) continue;
    await turns.took((end - told) * COMPARISON_VALUE_COUNT);
    told = end;
  }
}

/** Puts rows in order of their ids, which are the same before `byteAt`: by three bytes at a time, then what still ties. */
async function orderById(rows: Uint32Array, by: RowOrder, byteAt: number, turns: Turns): Promise<void> {
  const keys = new Float64Array(rows.length);
  await turns.inPieces(rows.length, (from, to) => {
    for (let at = from; at < to; at += 1) keys[at] = digitOf(by.ids, rows[at]!, byteAt) * ROW_SPAN + rows[at]!;
  });
  const sorted = await sortNumbers(keys, turns);
  for (let start = 0; start < sorted.length; ) {
    const digit = Math.floor(sorted[start]! / ROW_SPAN);
    let end = start;
    for (; end < sorted.length && Math.floor(sorted[end]! / ROW_SPAN) === digit; end += 1) rows[end] = sorted[end]! % ROW_SPAN;
    const isTieLong = end - start > SHORT_TIE && byteAt + 2 * DIGIT_BYTES <= ID_BYTES;
    if (isTieLong) await orderById(rows.subarray(start, end), by, byteAt + DIGIT_BYTES, turns);
    else if (end - start > 1) orderFew(rows.subarray(start, end), by);
    start = end;
  }
}

function digitOf(ids: Uint8Array, row: number, byteAt: number): number {
  const at = row * ID_BYTES + byteAt;
  return (ids[at]! << 16) | (ids[at + 1]! << 8) | ids[at + 2]!;
}

function orderFew(rows: Uint32Array, by: RowOrder): void {
  rows.sort((a, b) => compareTied(by, a, b));
}

/** Compares rows of one time. */
function compareTied({ ids, projectOf }: RowOrder, a: number, b: number): number {
  return compareIds(ids, a * ID_BYTES, ids, b * ID_BYTES) || (a === b ? 0 : compareCodePoints(projectOf(a), projectOf(b)));
}

async function isSorted(by: RowOrder, turns: Turns): Promise<boolean> {
  const { times } = by;
  const pieceLength = Math.ceil(turns.pieceLength / COMPARISON_VALUE_COUNT);
  for (let from = 1; from < times.length; from += pieceLength) {
    const to = Math.min(from + pieceLength, times.length);
    for (let row = from; row < to; row += 1) {
      const step = times[row]! - times[row - 1]!;
      if (step < 0 || (step === 0 && compareTied(by, row - 1, row) > 0)) return false;
    }
    await turns.took((to - from) * COMPARISON_VALUE_COUNT);
  }
  return true;
}
