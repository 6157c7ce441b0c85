/* eslint-disable @typescript-eslint/no-non-null-assertion -- rows are bounded by their columns */
import { allocateCodes, maxOf, wideCodes } from "../column/codes.js";
import type { CodeColumn } from "../column/column.js";
import type { MergedRows } from "./merge-rows.js";
import type { Rows } from "./rows.js";

/**
 * A segment without some of its rows, in the same order. All columns are loaded. Cost: one copy of what stays.
 * @param kept ascending row numbers
 * @param blank codes of a column that become 0
 */
export function keepRows(rows: Rows, kept: Uint32Array, blank: ReadonlyMap<string, ReadonlySet<number>>): MergedRows {
  const times = new Int32Array(kept.length);
  const ids = new Uint8Array(kept.length * 16);
  const sequences = new Uint32Array(kept.length);
  kept.forEach((row, at) => {
    times[at] = rows.times()[row]!;
    sequences[at] = rows.sequences()[row]!;
    ids.set(rows.ids().subarray(row * 16, row * 16 + 16), at * 16);
  });
  const columns = new Map<string, CodeColumn>();
  for (const name of rows.columnNames()) columns.set(name, keepCodes(rows.column(name), kept, blank.get(name) ?? new Set()));
  return { day: rows.day, times, ids, sequences, columns };
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
