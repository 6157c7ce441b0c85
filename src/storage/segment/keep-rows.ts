/* eslint-disable @typescript-eslint/no-non-null-assertion -- rows are bounded by their columns */
import { allocateCodes, maxOf, wideCodes } from "../column/codes.js";
import type { CodeColumn } from "../column/column.js";
import type { MergedRows, SourceRows } from "./merge-rows.js";

const NO_BLANKS: ReadonlyMap<string, ReadonlySet<number>> = new Map();
const NO_CODES: ReadonlySet<number> = new Set();

/**
 * Some rows in the same order, as a source for merging. Copies columns on demand; they must be loaded by then.
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
      const [times, own] = [rows.times(), new Int32Array(kept.length)];
      for (let at = 0; at < own.length; at += 1) own[at] = times[kept[at]!]!;
      return own;
    },
    ids: () => {
      const [ids, own] = [rows.ids(), new Uint8Array(kept.length * 16)];
      for (let at = 0; at < kept.length; at += 1) for (let byte = 0; byte < 16; byte += 1) own[at * 16 + byte] = ids[kept[at]! * 16 + byte]!;
      return own;
    },
    projectOf: (row) => rows.projectOf(kept[row]!),
    sequences: () => {
      const [sequences, own] = [rows.sequences(), new Uint32Array(kept.length)];
      for (let at = 0; at < own.length; at += 1) own[at] = sequences[kept[at]!]!;
      return own;
    },
  };
}

/** A segment without some of its rows, with the parameters of `someRows`. All columns must be loaded. Cost: one copy of the kept rows. */
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
