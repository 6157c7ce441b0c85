/* eslint-disable @typescript-eslint/no-non-null-assertion -- rows are bounded by their columns */
import type { NumberMemory } from "../../core/base/scratch.js";
import { wideCodes, type Codes } from "../column/codes.js";
import { codeAt, denseCodes, type CodeColumn } from "../column/column.js";
import { firstAtLeast } from "../../core/base/search.js";
import { eachCandidate, type PackedCodes } from "./packed-numbers.js";

/** The numbers of one column, by row: codes, times or sequences. Read it before the scratch of its read is released. */
export interface ColumnOnce {
  all(): Uint32Array;
  at(row: number): number;
  /** Those of some rows. @param into as long as `rows` */
  pick(rows: Uint32Array, into: Uint32Array): void;
  /** Ascending rows with any of some codes, given ascending and above 0. */
  among(codes: Uint32Array): Uint32Array;
}

/** @param each calls back with each row that may have a code of which a remainder of 32 is wanted */
function rowsAmong(codes: Uint32Array, rowCount: number, each: (remainders: number, take: (row: number, code: number) => void) => void): Uint32Array {
  if (codes.length === 0) return new Uint32Array(0);
  // With more codes than rows, a search per row is cheaper than building a set.
  const set = codes.length > rowCount ? null : new Set(codes);
  // A bit for each remainder rejects most rows.
  let remainders = 0;
  for (const code of codes) remainders |= 1 << (code & 31);
  const found: number[] = [];
  each(remainders, (row, code) => {
    if (set === null ? codes[firstAtLeast(codes, code)] === code : set.has(code)) found.push(row);
  });
  return Uint32Array.from(found);
}

export function onceOfColumn(column: CodeColumn, scratch: NumberMemory): ColumnOnce {
  if (column.kind === "dense") return onceOfNumbers(column.codes, scratch);
  const pick = (rows: Uint32Array, into: Uint32Array) => {
    for (let at = 0; at < rows.length; at += 1) into[at] = codeAt(column, rows[at]!);
  };
  const among = (codes: Uint32Array) => rowsAmong(codes, column.rows.length, (remainders, take) => eachCandidate(wideCodes(column.codes, scratch), remainders, take)).map((at) => column.rows[at]!);
  return { all: () => wideCodes(denseCodes(column), scratch), at: (row) => codeAt(column, row), pick, among };
}

export function onceOfNumbers(numbers: Codes | Int32Array, scratch: NumberMemory): ColumnOnce {
  const codes = numbers instanceof Int32Array ? new Uint32Array(numbers.buffer, numbers.byteOffset, numbers.length) : numbers;
  const pick = (rows: Uint32Array, into: Uint32Array) => {
    for (let at = 0; at < rows.length; at += 1) into[at] = codes[rows[at]!]!;
  };
  const all = () => wideCodes(codes, scratch);
  return { all, at: (row) => codes[row]!, pick, among: (wanted) => rowsAmong(wanted, codes.length, (remainders, take) => eachCandidate(all(), remainders, take)) };
}

/** Unpacks no more than the rows that are picked. */
export function onceOfPacked(packed: PackedCodes, scratch: NumberMemory): ColumnOnce {
  const all = () => {
    const codes = scratch.take(packed.count);
    packed.all(codes);
    return codes;
  };
  const pick = (rows: Uint32Array, into: Uint32Array) => {
    for (let at = 0; at < rows.length; at += 1) into[at] = packed.at(rows[at]!);
  };
  return { all, at: (row) => packed.at(row), pick, among: (codes) => rowsAmong(codes, packed.count, (remainders, take) => packed.eachCandidate(remainders, take)) };
}
