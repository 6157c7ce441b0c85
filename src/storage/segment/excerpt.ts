/* eslint-disable @typescript-eslint/no-non-null-assertion -- rows are bounded by their columns */
import { Turns } from "../../core/base/turn.js";
import { codesOfBytes, maxOf, narrowCodes, type Codes } from "../column/codes.js";
import { absentColumn, codeAt, type CodeColumn } from "../column/column.js";
import { fromDeltas, fromPlanes, toDeltas, toPlanes } from "./byte-planes.js";
import type { MergedRows } from "./merge-rows.js";

/** A selection of a segment's rows that is stored a second time: first queries over all time read it instead of whole columns. */
export interface ExcerptRule {
  readonly name: string;
  /** Names of what the selection depends on besides the rows, ascending. */
  readonly of: readonly string[];
  /** A row is selected if any of these selects it. */
  readonly takes: readonly RowSelector[];
  /** The columns to store, besides times and sequences. */
  readonly columns: readonly string[];
}

/** Selects rows that have a value in any of some columns and, with `where`, one of some codes in another column. */
export interface RowSelector {
  readonly columns: readonly string[];
  readonly where?: { readonly column: string; readonly codes: readonly number[] };
}

/** How to decode an excerpt. */
export interface ExcerptMeta {
  readonly name: string;
  readonly of: readonly string[];
  readonly rowCount: number;
  /** Columns in which any row of the excerpt has a value. */
  readonly columns: readonly { readonly name: string; readonly width: 1 | 2 | 4 }[];
}

/** Some rows of a segment, in its order, with some of its columns. */
export interface Excerpt {
  readonly day: number;
  readonly rowCount: number;
  times(): Int32Array;
  sequences(): Uint32Array;
  /** Columns that were not stored have no values. */
  column(name: string): CodeColumn;
}

/** The input of an excerpt. */
export type ExcerptSource = Pick<MergedRows, "day" | "times" | "sequences" | "columns">;

/** With a larger share of the rows nothing is stored; queries then read the columns themselves. */
const ROW_SHARE_MAX = 1 / 8;

/** Name of an excerpt's block. */
export function excerptBlock(name: string): string {
  return `excerpt ${name}`;
}

/** Selects the rows of an excerpt; null if they are too many. Cost: the codes of the columns that select rows. */
export async function excerptOf(merged: ExcerptSource, { takes, columns }: ExcerptRule, turns = new Turns()): Promise<Excerpt | null> {
  const rowCount = merged.times.length;
  const marks = new Uint8Array(rowCount);
  for (const take of takes) await mark(merged, take, marks, turns);
  const rows: number[] = [];
  for (let row = marks.indexOf(1); row !== -1; row = marks.indexOf(1, row + 1)) rows.push(row);
  if (rows.length > rowCount * ROW_SHARE_MAX) return null;
  const pick = (name: string): CodeColumn => {
    const column = merged.columns.get(name) ?? absentColumn(rowCount);
    return { kind: "dense", codes: narrowCodes(Uint32Array.from(rows, (row) => codeAt(column, row))) };
  };
  const times = Int32Array.from(rows, (row) => merged.times[row]!);
  const sequences = Uint32Array.from(rows, (row) => merged.sequences[row]!);
  return excerptFrom(merged.day, times, sequences, new Map(columns.map((name) => [name, pick(name)])));
}

async function mark({ columns }: ExcerptSource, take: RowSelector, marks: Uint8Array, turns: Turns): Promise<void> {
  const { where } = take;
  const asked = where === undefined ? undefined : columns.get(where.column);
  // No row has any of the codes.
  if (where !== undefined && asked === undefined) return;
  const wanted = new Set(where?.codes);
  for (const name of take.columns) {
    const column = columns.get(name);
    if (column === undefined) continue;
    const { codes } = column;
    await turns.inPieces(codes.length, (from, to) => {
      for (let at = from; at < to; at += 1) {
        if (codes[at] === 0) continue;
        const row = column.kind === "sparse" ? column.rows[at]! : at;
        if (asked === undefined || wanted.has(codeAt(asked, row))) marks[row] = 1;
      }
    });
  }
}

/** Encodes an excerpt before deflating: times, sequences, then the columns. */
export async function encodeExcerpt({ name, of, columns }: ExcerptRule, excerpt: Excerpt): Promise<{ bytes: Uint8Array; meta: ExcerptMeta }> {
  const parts = [await toPlanes(await toDeltas(excerpt.times())), await toPlanes(await toDeltas(excerpt.sequences()))];
  const written: ExcerptMeta["columns"][number][] = [];
  for (const column of columns) {
    const { codes } = excerpt.column(column);
    if (maxOf(new Uint32Array(codes)) === 0) continue;
    written.push({ name: column, width: codes.BYTES_PER_ELEMENT as 1 | 2 | 4 });
    parts.push(await toPlanes(codes));
  }
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return { bytes, meta: { name, of, rowCount: excerpt.rowCount, columns: written } };
}

/** Decodes an excerpt from its inflated bytes. */
export function decodeExcerpt(day: number, { rowCount, columns }: ExcerptMeta, bytes: Uint8Array): Excerpt {
  let at = 0;
  const next = (width: 1 | 2 | 4): Codes => {
    const part = bytes.slice(at, at + rowCount * width);
    at += rowCount * width;
    return codesOfBytes(fromPlanes(part, width), width);
  };
  const times = new Int32Array(fromDeltas(next(4) as Uint32Array).buffer);
  const sequences = fromDeltas(next(4) as Uint32Array);
  const read = columns.map(({ name, width }): [string, CodeColumn] => [name, { kind: "dense", codes: next(width) }]);
  return excerptFrom(day, times, sequences, new Map(read));
}

function excerptFrom(day: number, times: Int32Array, sequences: Uint32Array, columns: ReadonlyMap<string, CodeColumn>): Excerpt {
  const none = absentColumn(times.length);
  return { day, rowCount: times.length, times: () => times, sequences: () => sequences, column: (name) => columns.get(name) ?? none };
}
