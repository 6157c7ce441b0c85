import { mergedSorted } from "../core/base/merged-sorted.js";
import { compareIds } from "../core/base/uuid.js";
import type { RecordTable } from "./record-table.js";

/** The record after which a page begins; an unlink sorts after the record of its id. */
export interface RecordPlace {
  readonly createdAtMs: number;
  /** 16 bytes. */
  readonly id: Uint8Array;
  readonly isUnlink: boolean;
}

/** The rows of a table in (createdAt, id) order. Each call sorts only the rows that are new since the last. Takes 4 bytes a record. */
export class RecordOrder {
  #order: Uint32Array = new Uint32Array(0);
  #seenCount = 0;

  constructor(readonly table: RecordTable) {}

  get byteLength(): number {
    return this.#order.byteLength;
  }

  /** All rows, or those after a position; later calls do not change the result. Cost: a merge with the new rows, and a binary search. */
  rows(after: RecordPlace | null): Uint32Array {
    const { rowCount } = this.table;
    if (rowCount > this.#seenCount) {
      this.#order = mergedSorted(this.#order, this.#newRows(), this.#compare);
      this.#seenCount = rowCount;
    }
    return after === null ? this.#order : this.#order.subarray(this.#firstBehind(after));
  }

  #newRows(): Uint32Array {
    const { table } = this;
    const rows = Uint32Array.from({ length: table.rowCount - this.#seenCount }, (_, at) => this.#seenCount + at);
    // Older stores may hold two unlinks of one record.
    return rows.filter((row) => !table.isUnlink(row) || table.findUnlink(table.ids, row * 16) === row).sort(this.#compare);
  }

  readonly #compare = (a: number, b: number) => this.table.compare(a, b) || Number(this.table.isUnlink(a)) - Number(this.table.isUnlink(b));

  #firstBehind({ createdAtMs, id, isUnlink }: RecordPlace): number {
    const { table } = this;
    let [low, high] = [0, this.#order.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      const row = this.#order[middle] as number;
      const order = table.timeOf(row) - createdAtMs || compareIds(table.ids, row * 16, id, 0) || Number(table.isUnlink(row)) - Number(isUnlink);
      if (order <= 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
