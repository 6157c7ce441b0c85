/* eslint-disable @typescript-eslint/no-non-null-assertion -- codes and places are bounded by their arrays */
import type { CodeColumn, Histogram } from "../../column/column.js";

/** Codes are listed while they are fewer than this share of all that there may be: beyond, a look at each of these costs no more. */
const FEW_SHARE = 1 / 3;
/** So many are put in order in one piece. */
const FEW_COUNT_MAX = 32_768;

/**
 * Counts by code. While few codes have one, what is asked of them costs these, however many codes there may be.
 * 4 bytes for each code that there may be, of which no page is touched without need, and 4 for each that is listed.
 */
export class CodeCounts {
  #counts: Uint32Array<ArrayBuffer>;
  /** The codes that have a count, in the order in which they came; null: they are many. */
  #few: Uint32Array<ArrayBuffer> | null = new Uint32Array(256);
  #fewCount = 0;

  /** @param size codes are below it */
  constructor(size: number) {
    this.#counts = new Uint32Array(size);
  }

  /** By code; not to be changed. */
  get all(): Uint32Array {
    return this.#counts;
  }

  /** The codes that have a count, in no order, where a look at all codes costs more than one at these; null else. */
  get few(): Uint32Array | null {
    return this.#few === null ? null : this.#few.subarray(0, this.#fewCount);
  }

  /** How many codes have a count. */
  get codeCount(): number {
    if (this.#few !== null) return this.#fewCount;
    let count = 0;
    for (let code = 0; code < this.#counts.length; code += 1) if (this.#counts[code] !== 0) count += 1;
    return count;
  }

  /** Codes become more while rows are looked at. */
  makeRoom(size: number): void {
    if (this.#counts.length >= size) return;
    const longer = new Uint32Array(Math.max(size, this.#counts.length * 2));
    longer.set(this.#counts);
    this.#counts = longer;
  }

  add(code: number, count: number): void {
    const before = this.#counts[code]!;
    this.#counts[code] = before + count;
    if (before === 0 && count > 0 && this.#few !== null) this.#list(code, this.#few);
  }

  /** Adds one for each row, ascending, to the count of its code. */
  addRows(column: CodeColumn, rows: Uint32Array): void {
    this.#expect(rows.length);
    if (column.kind === "dense") {
      const { codes } = column;
      for (let at = 0; at < rows.length; at += 1) this.add(codes[rows[at]!]!, 1);
      return;
    }
    let next = 0;
    for (let at = 0; at < rows.length; at += 1) {
      while (next < column.rows.length && column.rows[next]! < rows[at]!) next += 1;
      this.add(column.rows[next] === rows[at] ? column.codes[next]! : 0, 1);
    }
  }

  addHistogram({ codes, counts }: Histogram): void {
    this.#expect(codes.length);
    if (this.#few !== null) for (let at = 0; at < codes.length; at += 1) this.add(codes[at]!, counts[at]!);
    else for (let at = 0; at < codes.length; at += 1) this.#counts[codes[at]!]! += counts[at]!;
  }

  /** The codes that have a count, ascending, and their counts. */
  histogram(): Histogram {
    const codes = this.#few === null ? this.#codesInOrder() : this.#few.slice(0, this.#fewCount).sort();
    const counts = new Uint32Array(codes.length);
    for (let at = 0; at < codes.length; at += 1) counts[at] = this.#counts[codes[at]!]!;
    return { codes, counts };
  }

  /** So many more codes may get a count. */
  #expect(codeCount: number): void {
    if (this.#fewCount + codeCount > Math.min(this.#counts.length * FEW_SHARE, FEW_COUNT_MAX)) this.#few = null;
  }

  #list(code: number, few: Uint32Array<ArrayBuffer>): void {
    if (this.#fewCount === few.length) {
      this.#few = new Uint32Array(few.length * 4);
      this.#few.set(few);
    }
    this.#few![this.#fewCount] = code;
    this.#fewCount += 1;
  }

  #codesInOrder(): Uint32Array<ArrayBuffer> {
    const codes = new Uint32Array(this.codeCount);
    for (let code = 0, at = 0; at < codes.length; code += 1) {
      if (this.#counts[code] === 0) continue;
      codes[at] = code;
      at += 1;
    }
    return codes;
  }
}
