/* eslint-disable @typescript-eslint/no-non-null-assertion -- rows are bounded by their columns */
import { Turns } from "../base/turn.js";
import { codesOfBytes, maxOf, narrowCodes, type Codes } from "../column/codes.js";
import { absentColumn, codeAt, type CodeColumn } from "../column/column.js";
import { fromDeltas, fromPlanes, toDeltas, toPlanes } from "./byte-planes.js";
import type { MergedRows } from "./merge-rows.js";

/** Rows of a segment that are written a second time, by themselves: what first questions about all time read in place of whole columns. */
export interface ExcerptRule {
  readonly name: string;
  /** Names of what it depends on beside the rows, ascending. */
  readonly of: readonly string[];
  /** A row is taken that one of these takes. */
  readonly takes: readonly Take[];
  /** What is written of it, beside its time and sequence. */
  readonly columns: readonly string[];
}

/** Takes rows that have a value in one of some columns; those only that have one of some codes in another, where it says so. */
export interface Take {
  readonly columns: readonly string[];
  readonly where?: { readonly column: string; readonly codes: readonly number[] };
}

/** How the bytes of an excerpt are read. */
export interface ExcerptMeta {
  readonly name: string;
  readonly of: readonly string[];
  readonly rowCount: number;
  /** Columns in which some row of the excerpt has a value. */
  readonly columns: readonly { readonly name: string; readonly width: 1 | 2 | 4 }[];
}

/** Some rows of a segment, with some of its columns, in its order. */
export interface Excerpt {
  readonly day: number;
  readonly rowCount: number;
  times(): Int32Array;
  sequences(): Uint32Array;
  /** A column that was not written has no values. */
  column(name: string): CodeColumn;
}

/** What an excerpt is made of. */
export type ExcerptSource = Pick<MergedRows, "day" | "times" | "sequences" | "columns">;

/** Where more of the rows would be taken, nothing is written: the columns themselves are read then. */
const ROW_SHARE_MAX = 1 / 8;

/** Name of the block of an excerpt. */
export function excerptBlock(name: string): string {
  return `excerpt ${name}`;
}

/** The rows of an excerpt; null where they are too many. Cost: a look at the codes of the columns that take rows. */
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

async function mark({ columns }: ExcerptSource, take: Take, marks: Uint8Array, turns: Turns): Promise<void> {
  const { where } = take;
  const asked = where === undefined ? undefined : columns.get(where.column);
  // Nobody has any of the codes.
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

/** The bytes of an excerpt before they are deflated: times, sequences, then the columns. */
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

/** An excerpt from its inflated bytes. */
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
