/* eslint-disable @typescript-eslint/no-non-null-assertion -- rows are bounded by their columns */
import type { Scratch } from "../../core/base/scratch.js";
import { wideCodes, type Codes } from "../column/codes.js";
import { codeAt, denseCodes, type CodeColumn } from "../column/column.js";
import type { PackedCodes } from "./packed-numbers.js";

/** The numbers of one column, by row: codes, times or sequences. Read it before the scratch of its read is released. */
export interface ColumnOnce {
  all(): Uint32Array;
  /** Those of some rows. @param into as long as `rows` */
  pick(rows: Uint32Array, into: Uint32Array): void;
}

export function onceOfColumn(column: CodeColumn, scratch: Scratch): ColumnOnce {
  if (column.kind === "dense") return onceOfNumbers(column.codes, scratch);
  const pick = (rows: Uint32Array, into: Uint32Array) => {
    for (let at = 0; at < rows.length; at += 1) into[at] = codeAt(column, rows[at]!);
  };
  return { all: () => wideCodes(denseCodes(column), scratch), pick };
}

export function onceOfNumbers(numbers: Codes | Int32Array, scratch: Scratch): ColumnOnce {
  const codes = numbers instanceof Int32Array ? new Uint32Array(numbers.buffer, numbers.byteOffset, numbers.length) : numbers;
  const pick = (rows: Uint32Array, into: Uint32Array) => {
    for (let at = 0; at < rows.length; at += 1) into[at] = codes[rows[at]!]!;
  };
  return { all: () => wideCodes(codes, scratch), pick };
}

/** Unpacks no more than the rows that are picked. */
export function onceOfPacked(packed: PackedCodes, scratch: Scratch): ColumnOnce {
  const all = () => {
    const codes = scratch.take(packed.count);
    packed.all(codes);
    return codes;
  };
  const pick = (rows: Uint32Array, into: Uint32Array) => {
    for (let at = 0; at < rows.length; at += 1) into[at] = packed.at(rows[at]!);
  };
  return { all, pick };
}
