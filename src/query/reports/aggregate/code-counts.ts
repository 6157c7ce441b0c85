/* eslint-disable @typescript-eslint/no-non-null-assertion -- codes and places are bounded by their arrays */
import type { CodeColumn, Histogram } from "../../../storage/column/column.js";

/** Codes are listed while there are fewer than this share of all possible codes; beyond it, reading all codes costs no more. */
const FEW_SHARE = 1 / 3;
/** Longest list of codes, because it is sorted in one step. */
const FEW_COUNT_MAX = 32_768;

/**
 * Counts by code. While few codes have a count, reading them costs only these codes, regardless of how many are possible.
 * Takes 4 bytes per possible code, in pages that are allocated when first touched, and 4 per listed code.
 */
export class CodeCounts {
  #counts: Uint32Array<ArrayBuffer>;
  /** The codes with a count, in order of first occurrence; null: too many to list. */
  #few: Uint32Array<ArrayBuffer> | null = new Uint32Array(256);
  #fewCount = 0;

  /** @param size exclusive upper bound of codes */
  constructor(size: number) {
    this.#counts = new Uint32Array(size);
  }

  /** Counts by code; read-only. */
  get all(): Uint32Array {
    return this.#counts;
  }

  /** The codes with a count, in no order, if reading these is cheaper than reading all codes; else null. */
  get few(): Uint32Array | null {
    return this.#few === null ? null : this.#few.subarray(0, this.#fewCount);
  }

  get codeCount(): number {
    if (this.#few !== null) return this.#fewCount;
    let count = 0;
    for (let code = 0; code < this.#counts.length; code += 1) if (this.#counts[code] !== 0) count += 1;
    return count;
  }

  /** Makes room for codes that are added while rows are read. */
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

  /** Adds one to the count of each row's code. @param rows ascending */
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

  /** The codes with a count, ascending, and their counts. */
  histogram(): Histogram {
    const codes = this.#few === null ? this.#codesInOrder() : this.#few.slice(0, this.#fewCount).sort();
    const counts = new Uint32Array(codes.length);
    for (let at = 0; at < codes.length; at += 1) counts[at] = this.#counts[codes[at]!]!;
    return { codes, counts };
  }

  /** Drops the list of codes if it could exceed its limit when this many more codes are counted. */
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
