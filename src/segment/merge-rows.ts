/* eslint-disable @typescript-eslint/no-non-null-assertion -- indexes are bounded by the row counts */
import { Turns } from "../base/turn.js";
import { maxOf, narrowCodes, wideCodes } from "../column/codes.js";
import type { CodeColumn } from "../column/column.js";
import type { Rows } from "./rows.js";
import { sortNumbers } from "../base/sort-numbers.js";
import { rankRows } from "./sort-rows.js";

/** All rows of a day's sources in (createdAt, event id, project) order: what a segment is made of. */
export interface MergedRows {
  readonly day: number;
  readonly times: Int32Array;
  readonly ids: Uint8Array;
  readonly sequences: Uint32Array;
  readonly columns: ReadonlyMap<string, CodeColumn>;
}

/** What is merged: heads, segments with all columns loaded and pinned, or copies of them on another thread. */
export type SourceRows = Pick<Rows, "day" | "rowCount" | "columnNames" | "column" | "times" | "ids" | "projectOf" | "sequences">;

/** Below this share of rows a column is kept sparse: a row number and a code then cost less than a code per row. */
const SPARSE_SHARE = 1 / 8;

/** Merges heads (seal) or segments (compaction) of one day into sorted rows with narrow codes. */
export async function mergeRows(sources: readonly SourceRows[], turns = new Turns()): Promise<MergedRows> {
  const rowCount = sources.reduce((sum, rows) => sum + rows.rowCount, 0);
  const times = new Int32Array(rowCount);
  const ids = new Uint8Array(rowCount * 16);
  const sequences = new Uint32Array(rowCount);
  const starts: number[] = [];
  let base = 0;
  for (const rows of sources) {
    starts.push(base);
    times.set(rows.times(), base);
    ids.set(rows.ids(), base * 16);
    sequences.set(rows.sequences(), base);
    base += rows.rowCount;
    await turns.took(rows.rowCount);
  }
  const projectOf = (row: number) => {
    const source = starts.findLastIndex((start) => start <= row);
    return sources[source]!.projectOf(row - starts[source]!);
  };
  const merge = new Merge(sources, await rankRows({ times, ids, projectOf }, turns), rowCount, turns);
  const columns = new Map<string, CodeColumn>();
  for (const name of new Set(sources.flatMap((rows) => rows.columnNames()))) columns.set(name, await merge.column(name));
  const day = sources[0]?.day ?? 0;
  return { day, times: await merge.numbers(times), ids: await merge.ids(ids), sequences: await merge.numbers(sequences), columns };
}

/** Puts what the sources have, one after the other, in its places. */
class Merge {
  constructor(
    readonly sources: readonly SourceRows[],
    /** The place of each row; null: where it is. */
    readonly ranks: Uint32Array | null,
    readonly rowCount: number,
    readonly turns: Turns,
  ) {}

  async numbers<T extends Int32Array | Uint32Array>(values: T): Promise<T> {
    const { ranks } = this;
    if (ranks === null) return values;
    const placed = values.slice() as T;
    await this.turns.inPieces(ranks.length, (from, to) => {
      for (let row = from; row < to; row += 1) placed[ranks[row]!] = values[row]!;
    });
    return placed;
  }

  async ids(ids: Uint8Array): Promise<Uint8Array> {
    const { ranks } = this;
    if (ranks === null) return ids;
    // Four numbers a row are copied several times as fast as sixteen bytes.
    const words = new Uint32Array(ids.buffer);
    const placed = new Uint32Array(words.length);
    await this.turns.inPieces(ranks.length, (from, to) => {
      for (let row = from; row < to; row += 1) {
        const place = ranks[row]! * 4;
        const at = row * 4;
        placed[place] = words[at]!;
        placed[place + 1] = words[at + 1]!;
        placed[place + 2] = words[at + 2]!;
        placed[place + 3] = words[at + 3]!;
      }
    });
    return new Uint8Array(placed.buffer);
  }

  async column(name: string): Promise<CodeColumn> {
    const parts = this.sources.map((rows) => rows.column(name));
    const entryCount = parts.reduce((sum, { codes }) => sum + codes.length, 0);
    return entryCount < this.rowCount * SPARSE_SHARE ? await this.#sparse(parts, entryCount) : await this.#dense(parts);
  }

  async #dense(parts: readonly CodeColumn[]): Promise<CodeColumn> {
    const { ranks, turns, rowCount } = this;
    const codes = new Uint32Array(rowCount);
    let base = 0;
    for (const [index, part] of parts.entries()) {
      if (part.kind === "dense") codes.set(part.codes, base);
      else {
        const { rows } = part;
        const own = wideCodes(part.codes);
        for (let at = 0; at < own.length; at += 1) codes[base + rows[at]!] = own[at]!;
      }
      await turns.took(part.codes.length);
      base += this.sources[index]!.rowCount;
    }
    const placed = ranks === null ? codes : new Uint32Array(rowCount);
    let max = 0;
    await turns.inPieces(rowCount, (from, to) => {
      max = Math.max(max, maxOf(codes.subarray(from, to)));
      if (ranks !== null) for (let row = from; row < to; row += 1) placed[ranks[row]!] = codes[row]!;
    });
    const narrow = narrowCodes(placed, max);
    await turns.took(rowCount);
    return { kind: "dense", codes: narrow };
  }

  async #sparse(parts: readonly CodeColumn[], entryCount: number): Promise<CodeColumn> {
    const { ranks, turns } = this;
    const entries = new Float64Array(entryCount);
    let base = 0;
    let count = 0;
    for (const [index, part] of parts.entries()) {
      const codes = wideCodes(part.codes);
      await turns.inPieces(codes.length, (from, to) => {
        for (let at = from; at < to; at += 1) {
          if (codes[at] === 0) continue;
          const row = base + (part.kind === "sparse" ? part.rows[at]! : at);
          entries[count] = (ranks === null ? row : ranks[row]!) * 2 ** 32 + codes[at]!;
          count += 1;
        }
      });
      base += this.sources[index]!.rowCount;
    }
    const ordered = await sortNumbers(entries.subarray(0, count), turns);
    const rows = new Uint32Array(count);
    const codes = new Uint32Array(count);
    await turns.inPieces(count, (from, to) => {
      for (let at = from; at < to; at += 1) {
        rows[at] = Math.floor(ordered[at]! / 2 ** 32);
        codes[at] = ordered[at]! % 2 ** 32;
      }
    });
    return { kind: "sparse", rows, codes: narrowCodes(codes), rowCount: this.rowCount };
  }
}
