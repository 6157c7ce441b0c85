/* eslint-disable @typescript-eslint/no-non-null-assertion -- indexes are bounded by the row counts */
import { allocateCodes } from "../column/codes.js";
import type { CodeColumn } from "../column/column.js";
import type { Rows } from "./rows.js";
import { rankRows } from "./sort-rows.js";

/** All rows of a day's sources in (createdAt, event id) order: what a segment is made of. */
export interface MergedRows {
  readonly day: number;
  readonly times: Int32Array;
  readonly ids: Uint8Array;
  readonly sequences: Uint32Array;
  readonly columns: ReadonlyMap<string, CodeColumn>;
}

/** Below this share of rows a column is kept sparse: a row number and a code then cost less than a code per row. */
const SPARSE_SHARE = 1 / 8;

/** Merges heads (seal) or segments (compaction), all columns loaded, into sorted rows with narrow codes. */
export function mergeRows(sources: readonly Rows[]): MergedRows {
  const rowCount = sources.reduce((sum, rows) => sum + rows.rowCount, 0);
  const times = new Int32Array(rowCount);
  const ids = new Uint8Array(rowCount * 16);
  const sequences = new Uint32Array(rowCount);
  let base = 0;
  for (const rows of sources) {
    times.set(rows.times(), base);
    ids.set(rows.ids(), base * 16);
    sequences.set(rows.sequences(), base);
    base += rows.rowCount;
  }
  const ranks = rankRows(times, ids);
  const columns = new Map<string, CodeColumn>();
  for (const name of new Set(sources.flatMap((rows) => rows.columnNames())))
    columns.set(name, mergeColumn(name, sources, rowCount, ranks));
  const day = sources[0]?.day ?? 0;
  if (ranks === null) return { day, times, ids, sequences, columns };
  return { day, times: scatter(times, ranks), ids: scatterIds(ids, ranks), sequences: scatter(sequences, ranks), columns };
}

function scatter<T extends Int32Array | Uint32Array>(values: T, ranks: Uint32Array): T {
  const placed = values.slice() as T;
  for (let row = 0; row < ranks.length; row += 1) placed[ranks[row]!] = values[row]!;
  return placed;
}

function scatterIds(ids: Uint8Array, ranks: Uint32Array): Uint8Array {
  const placed = new Uint8Array(ids.length);
  for (let row = 0; row < ranks.length; row += 1) {
    const to = ranks[row]! * 16;
    for (let at = 0; at < 16; at += 1) placed[to + at] = ids[row * 16 + at]!;
  }
  return placed;
}

function mergeColumn(name: string, sources: readonly Rows[], rowCount: number, ranks: Uint32Array | null): CodeColumn {
  const parts = sources.map((rows) => rows.column(name));
  let entryCount = 0;
  let max = 0;
  for (const part of parts) {
    entryCount += part.codes.length;
    for (let at = 0; at < part.codes.length; at += 1) if (part.codes[at]! > max) max = part.codes[at]!;
  }
  if (entryCount < rowCount * SPARSE_SHARE) return mergeSparse(parts, sources, entryCount, max, rowCount, ranks);
  const codes = allocateCodes(rowCount, max);
  let base = 0;
  parts.forEach((part, index) => {
    if (part.kind === "dense" && ranks === null) codes.set(part.codes, base);
    else if (part.kind === "dense") for (let at = 0; at < part.codes.length; at += 1) codes[ranks![base + at]!] = part.codes[at]!;
    else
      for (let at = 0; at < part.codes.length; at += 1) {
        const row = base + part.rows[at]!;
        codes[ranks === null ? row : ranks[row]!] = part.codes[at]!;
      }
    base += sources[index]!.rowCount;
  });
  return { kind: "dense", codes };
}

function mergeSparse(
  parts: readonly CodeColumn[],
  sources: readonly Rows[],
  entryCount: number,
  max: number,
  rowCount: number,
  ranks: Uint32Array | null,
): CodeColumn {
  const entries = new Float64Array(entryCount);
  let base = 0;
  let count = 0;
  parts.forEach((part, index) => {
    for (let at = 0; at < part.codes.length; at += 1) {
      const row = base + (part.kind === "sparse" ? part.rows[at]! : at);
      if (part.codes[at] === 0) continue;
      entries[count] = (ranks === null ? row : ranks[row]!) * 2 ** 32 + part.codes[at]!;
      count += 1;
    }
    base += sources[index]!.rowCount;
  });
  const ordered = entries.subarray(0, count).sort();
  const rows = new Uint32Array(count);
  const codes = allocateCodes(count, max);
  for (let at = 0; at < count; at += 1) {
    rows[at] = Math.floor(ordered[at]! / 2 ** 32);
    codes[at] = ordered[at]! % 2 ** 32;
  }
  return { kind: "sparse", rows, codes, rowCount };
}
