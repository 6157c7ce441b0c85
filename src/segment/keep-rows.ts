/* eslint-disable @typescript-eslint/no-non-null-assertion -- rows are bounded by their columns */
import { allocateCodes, maxOf, wideCodes } from "../column/codes.js";
import type { CodeColumn } from "../column/column.js";
import type { MergedRows, SourceRows } from "./merge-rows.js";

const NO_BLANKS: ReadonlyMap<string, ReadonlySet<number>> = new Map();
const NO_CODES: ReadonlySet<number> = new Set();

/**
 * Some rows, in the same order, as they are merged: columns are copied when they are asked for, and have to be loaded by then.
 * @param kept ascending row numbers
 * @param blank codes of a column that become 0
 */
export function someRows(rows: SourceRows, kept: Uint32Array, blank = NO_BLANKS): SourceRows {
  return {
    day: rows.day,
    rowCount: kept.length,
    columnNames: () => rows.columnNames(),
    column: (name) => keepCodes(rows.column(name), kept, blank.get(name) ?? NO_CODES),
    times: () => {
      const times = rows.times();
      return Int32Array.from(kept, (row) => times[row]!);
    },
    ids: () => {
      const [ids, own] = [rows.ids(), new Uint8Array(kept.length * 16)];
      kept.forEach((row, at) => own.set(ids.subarray(row * 16, row * 16 + 16), at * 16));
      return own;
    },
    sequences: () => {
      const sequences = rows.sequences();
      return Uint32Array.from(kept, (row) => sequences[row]!);
    },
  };
}

/** A segment without some of its rows. All columns are loaded. Cost: one copy of what stays. The parameters are those of `someRows`. */
export function keepRows(rows: SourceRows, kept: Uint32Array, blank: ReadonlyMap<string, ReadonlySet<number>>): MergedRows {
  const some = someRows(rows, kept, blank);
  const columns = new Map(some.columnNames().map((name) => [name, some.column(name)]));
  return { day: rows.day, times: some.times(), ids: some.ids(), sequences: some.sequences(), columns };
}

function keepCodes(column: CodeColumn, kept: Uint32Array, blank: ReadonlySet<number>): CodeColumn {
  const max = maxOf(wideCodes(column.codes));
  const shownCode = (code: number) => (blank.has(code) ? 0 : code);
  if (column.kind === "dense") {
    const codes = allocateCodes(kept.length, max);
    kept.forEach((row, at) => (codes[at] = shownCode(column.codes[row]!)));
    return { kind: "dense", codes };
  }
  const rows: number[] = [];
  const codes: number[] = [];
  let entry = 0;
  kept.forEach((row, at) => {
    while (entry < column.rows.length && column.rows[entry]! < row) entry += 1;
    const code = entry < column.rows.length && column.rows[entry] === row ? shownCode(column.codes[entry]!) : 0;
    if (code === 0) return;
    rows.push(at);
    codes.push(code);
  });
  const narrow = allocateCodes(codes.length, max);
  narrow.set(codes);
  return { kind: "sparse", rows: Uint32Array.from(rows), codes: narrow, rowCount: kept.length };
}
