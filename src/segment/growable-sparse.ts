/* eslint-disable @typescript-eslint/no-non-null-assertion -- entries are bounded by their count */
import type { CodeColumn } from "../column/column.js";
import { GrowableCodes } from "../column/codes.js";
import { firstAtLeast } from "../column/search.js";

/** Rows of a metadata column that lie in a plain list: of many keys most are rare, and two columns of codes would take ten times as much. */
const FEW_ROW_COUNT = 8;

/** A metadata column of a head: only the rows that have the key. */
export class GrowableSparse {
  /** Row, code, row, code; null once there are more than a few. */
  #few: number[] | null;
  #rows: GrowableCodes | null = null;
  #codes: GrowableCodes | null = null;

  constructor(row: number, code: number) {
    this.#few = [row, code];
  }

  get byteLength(): number {
    return (this.#few?.length ?? 0) * 8 + (this.#rows?.byteLength ?? 0) + (this.#codes?.byteLength ?? 0);
  }

  push(row: number, code: number): void {
    if (this.#few === null) {
      this.#rows?.push(row);
      this.#codes?.push(code);
      return;
    }
    this.#few.push(row, code);
    if (this.#few.length > 2 * FEW_ROW_COUNT) this.#widen(this.#few);
  }

  /** The column of the rows from `from` to before `to`, counted from `from` on. Cost: the rows of these that have the key. */
  column(from: number, to: number): CodeColumn {
    const rows = this.#rows === null ? this.#every(0) : this.#rows.view();
    const codes = this.#codes === null ? this.#every(1) : this.#codes.view();
    const first = firstAtLeast(rows, from);
    const end = firstAtLeast(rows, to, first);
    const own = new Uint32Array(rows.subarray(first, end));
    if (from > 0) for (let at = 0; at < own.length; at += 1) own[at]! -= from;
    return { kind: "sparse", rows: own, codes: codes.subarray(first, end), rowCount: to - from };
  }

  #every(first: 0 | 1): Uint32Array {
    const few = this.#few ?? [];
    return Uint32Array.from({ length: few.length / 2 }, (_, at) => few[2 * at + first] ?? 0);
  }

  #widen(few: readonly number[]): void {
    const [rows, codes] = [new GrowableCodes(), new GrowableCodes()];
    for (let at = 0; at < few.length; at += 2) {
      rows.push(few[at]!);
      codes.push(few[at + 1]!);
    }
    this.#rows = rows;
    this.#codes = codes;
    this.#few = null;
  }
}
