/* eslint-disable @typescript-eslint/no-non-null-assertion -- row and entry indexes are bounded by the loops */
import { Scratch } from "../../core/base/scratch.js";
import { allocateCodes, maxOf, wideCodes, type Codes } from "./codes.js";

/** Codes by row of one segment or head. Sparse: only the rows that have the key, ascending; all others are 0. */
export type CodeColumn =
  | { readonly kind: "dense"; readonly codes: Codes }
  | { readonly kind: "sparse"; readonly rows: Uint32Array; readonly codes: Codes; readonly rowCount: number };

export function absentColumn(rowCount: number): CodeColumn {
  return { kind: "sparse", rows: new Uint32Array(0), codes: new Uint8Array(0), rowCount };
}

export function columnByteLength(column: CodeColumn): number {
  return column.codes.byteLength + (column.kind === "sparse" ? column.rows.byteLength : 0);
}

/** One code per row; a sparse column is expanded, at a cost linear in its rows. */
export function denseCodes(column: CodeColumn): Codes {
  if (column.kind === "dense") return column.codes;
  return Scratch.atOnce((scratch) => {
    const own = wideCodes(column.codes, scratch);
    const codes = allocateCodes(column.rowCount, maxOf(own));
    for (let at = 0; at < own.length; at += 1) codes[column.rows[at]!] = own[at]!;
    return codes;
  });
}

/** The code of one row: constant time for dense columns, a binary search for sparse ones. */
export function codeAt(column: CodeColumn, row: number): number {
  if (column.kind === "dense") return column.codes[row]!;
  let low = 0;
  let high = column.rows.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (column.rows[middle]! < row) low = middle + 1;
    else high = middle;
  }
  return column.rows[low] === row ? column.codes[low]! : 0;
}

/** The codes of some rows, which must be ascending. */
export function codesOfRows(column: CodeColumn, rows: ArrayLike<number>): Uint32Array {
  const found = new Uint32Array(rows.length);
  if (column.codes.length === 0) return found;
  Scratch.atOnce((scratch) => {
    const codes = wideCodes(column.codes, scratch);
    if (column.kind === "dense") for (let at = 0; at < found.length; at += 1) found[at] = codes[rows[at]!]!;
    else
      for (let at = 0, next = 0; at < found.length; at += 1) {
        while (next < codes.length && column.rows[next]! < rows[at]!) next += 1;
        if (column.rows[next] === rows[at]) found[at] = codes[next]!;
      }
  });
  return found;
}

/** Distinct codes of a column with their row counts, codes ascending; includes code 0 if a row has it. */
export interface Histogram {
  readonly codes: Uint32Array;
  readonly counts: Uint32Array;
}

// Shared by all histograms: counting is synchronous and leaves it zeroed.
let scratch = new Uint32Array(1024);

/** @param max no code is greater */
export function histogramOf(column: CodeColumn, max = greatestOf(column)): Histogram {
  const counts = scratchFor(max);
  for (let at = 0; at < column.codes.length; at += 1) counts[column.codes[at]!]! += 1;
  if (column.kind === "sparse") counts[0]! += column.rowCount - column.rows.length;
  return takeHistogram(counts, max);
}

function greatestOf({ codes }: CodeColumn): number {
  return Scratch.atOnce((scratch) => maxOf(wideCodes(codes, scratch)));
}

/** The histogram of some rows, which must be ascending. @param max no code of the column is greater */
export function histogramOfRows(column: CodeColumn, rows: Uint32Array, max = greatestOf(column)): Histogram {
  const counts = scratchFor(max);
  addCounts(column, rows, counts);
  return takeHistogram(counts, max);
}

/** Adds one per row to the count of its code; rows must be ascending. */
function addCounts(column: CodeColumn, rows: Uint32Array, counts: Uint32Array): void {
  if (column.kind === "dense") {
    const { codes } = column;
    for (let at = 0; at < rows.length; at += 1) counts[codes[rows[at]!]!]! += 1;
    return;
  }
  let next = 0;
  for (let at = 0; at < rows.length; at += 1) {
    while (next < column.rows.length && column.rows[next]! < rows[at]!) next += 1;
    counts[column.rows[next] === rows[at] ? column.codes[next]! : 0]! += 1;
  }
}

function scratchFor(max: number): Uint32Array {
  if (max >= scratch.length) scratch = new Uint32Array(2 ** Math.ceil(Math.log2(max + 1)));
  return scratch;
}

/** Leaves the scratch zeroed. */
function takeHistogram(counts: Uint32Array, max: number): Histogram {
  const histogram = histogramOfCounts(counts.subarray(0, max + 1));
  counts.fill(0, 0, max + 1);
  return histogram;
}

function histogramOfCounts(counts: Uint32Array): Histogram {
  let distinct = 0;
  for (let code = 0; code < counts.length; code += 1) if (counts[code] !== 0) distinct += 1;
  const histogram = { codes: new Uint32Array(distinct), counts: new Uint32Array(distinct) };
  for (let code = 0, at = 0; code < counts.length; code += 1) {
    if (counts[code] === 0) continue;
    histogram.codes[at] = code;
    histogram.counts[at] = counts[code]!;
    at += 1;
  }
  return histogram;
}
