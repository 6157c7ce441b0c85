import { mergedSorted } from "../base/merged-sorted.js";
import { compareIds } from "../base/uuid.js";
import type { RecordTable } from "./record-table.js";

/** Behind which record a page of them begins; of one id, what takes a record back comes behind it. */
export interface RecordPlace {
  readonly createdAtMs: number;
  /** 16 bytes. */
  readonly id: Uint8Array;
  readonly isUnlink: boolean;
}

/** The rows of a table in (createdAt, id) order. Only those that came since it was asked last are sorted; it takes 4 bytes a record. */
export class RecordOrder {
  #order: Uint32Array = new Uint32Array(0);
  #seenCount = 0;

  constructor(readonly table: RecordTable) {}

  get byteLength(): number {
    return this.#order.byteLength;
  }

  /** All of the moment, or those behind a place: a view that stays as it is. Cost: a merge with what is new, and a binary search. */
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
    // Stores of before may hold that a record was taken back twice.
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
