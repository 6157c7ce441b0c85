/* eslint-disable @typescript-eslint/no-non-null-assertion -- rows are bounded by their columns */
import { firstAtLeast } from "../../column/search.js";
import { compareEvents } from "../../segment/event-order.js";
import type { Rows } from "../../segment/rows.js";

/** Rows beside a row that are looked through for another of its millisecond; beyond, all rows are listed by their sequences. */
const NEAR_ROW_COUNT = 32;

/**
 * Tells whether an event came before a row of its millisecond, where it lies in the same part: sealed rows are in order, and of a head the ids are in
 * memory. Times and sequences are loaded.
 */
export class OrderInPart {
  #rowOf: Map<number, number> | null = null;

  constructor(readonly rows: Rows) {}

  /** The order of an event, by its sequence, and a row; null where it lies elsewhere. */
  compare(sequence: number, row: number): number | null {
    const { rows } = this;
    if (sequence < rows.firstSequence || sequence > rows.lastSequence) return null;
    const other = rows.sealed ? this.#sealedRowOf(sequence, row) : headRowOf(rows, sequence);
    if (other === null) return null;
    return rows.sealed || other === row ? other - row : compareEvents(rows, other, rows, row);
  }

  #sealedRowOf(sequence: number, row: number): number | null {
    if (this.#rowOf !== null) return this.#rowOf.get(sequence) ?? null;
    const sequences = this.rows.sequences();
    const times = this.rows.times();
    const isAtOnce = (other: number) => times[other] === times[row];
    let [first, last] = [row, row];
    while (first > 0 && row - first < NEAR_ROW_COUNT && isAtOnce(first - 1)) first -= 1;
    while (last < this.rows.rowCount - 1 && last - row < NEAR_ROW_COUNT && isAtOnce(last + 1)) last += 1;
    for (let other = first; other <= last; other += 1) if (sequences[other] === sequence) return other;
    if (row - first < NEAR_ROW_COUNT && last - row < NEAR_ROW_COUNT) return null;
    this.#rowOf = new Map();
    for (let other = 0; other < sequences.length; other += 1) this.#rowOf.set(sequences[other]!, other);
    return this.#rowOf.get(sequence) ?? null;
  }
}

/** Rows of a head lie in the order of their sequences. */
function headRowOf(rows: Rows, sequence: number): number | null {
  const sequences = rows.sequences();
  const at = firstAtLeast(sequences, sequence);
  return sequences[at] === sequence ? at : null;
}
