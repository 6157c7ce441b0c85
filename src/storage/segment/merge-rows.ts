/* eslint-disable @typescript-eslint/no-non-null-assertion -- indexes are bounded by the row counts */
import { compareCodePoints } from "../../core/base/text-order.js";
import { sortNumbers } from "../../core/base/arrays.js";
import { Yielder } from "../../core/base/yield.js";
import { maxOf, narrowCodes, wideCodes, allocateCodes } from "../column/codes.js";
import type { CodeColumn } from "../column/column.js";
import { compareIds } from "../../core/base/uuid.js";
import type { Rows } from "./rows.js";

/** Times are below 2^27, rows below 2^26: together they fit into the 53 bits of a number. */
const ROW_SPAN = 2 ** 26;
const ID_BYTES = 16;
/** Bytes of an id that fit into a sort key with a row number. */
const DIGIT_BYTES = 3;
/** Up to this many rows are ordered by comparing ids, in less than a millisecond. */
const SHORT_TIE = 512;
/** Cost of comparing two rows, in values. */
const COMPARISON_VALUE_COUNT = 8;

interface RowOrder {
  /** Ms of the day. */
  readonly times: Int32Array;
  /** 16 bytes per row. */
  readonly ids: Uint8Array;
  /** Called only for rows with the same time and id. */
  readonly projectOf: (row: number) => string;
}

/** The rank of each row in (createdAt, event id, project) order; null if in order. Cost: a numeric sort; ids are compared among equal times only. */
export async function rankRows(by: RowOrder, yielder = new Yielder()): Promise<Uint32Array | null> {
  const { times } = by;
  const count = times.length;
  if (await isSorted(by, yielder)) return null;
  const keys = new Float64Array(count);
  await yielder.inPieces(count, (from, to) => {
    for (let row = from; row < to; row += 1) keys[row] = times[row]! * ROW_SPAN + row;
  });
  const sorted = await sortNumbers(keys, yielder);
  const order = new Uint32Array(count);
  await yielder.inPieces(count, (from, to) => {
    for (let place = from; place < to; place += 1) order[place] = sorted[place]! % ROW_SPAN;
  });
  await orderTies(order, by, yielder);
  const ranks = new Uint32Array(count);
  await yielder.inPieces(count, (from, to) => {
    for (let place = from; place < to; place += 1) ranks[order[place]!] = place;
  });
  return ranks;
}

async function orderTies(order: Uint32Array, by: RowOrder, yielder: Yielder): Promise<void> {
  const { times } = by;
  const count = order.length;
  let reportedCount = 0;
  for (let start = 0; start < count; ) {
    const time = times[order[start]!];
    let end = start + 1;
    while (end < count && times[order[end]!] === time) end += 1;
    if (end - start > SHORT_TIE) await orderById(order.subarray(start, end), by, 0, yielder);
    else if (end - start > 1) orderFew(order.subarray(start, end), by);
    start = end;
    if ((end - reportedCount) * COMPARISON_VALUE_COUNT < yielder.pieceLength) continue;
    await yielder.yieldAfter((end - reportedCount) * COMPARISON_VALUE_COUNT);
    reportedCount = end;
  }
}

/** Orders rows by id, given that their ids are equal before `byteAt`: by three bytes at a time, then by comparing the remaining ties. */
async function orderById(rows: Uint32Array, by: RowOrder, byteAt: number, yielder: Yielder): Promise<void> {
  const keys = new Float64Array(rows.length);
  await yielder.inPieces(rows.length, (from, to) => {
    for (let at = from; at < to; at += 1) keys[at] = digitOf(by.ids, rows[at]!, byteAt) * ROW_SPAN + rows[at]!;
  });
  const sorted = await sortNumbers(keys, yielder);
  for (let start = 0; start < sorted.length; ) {
    const digit = Math.floor(sorted[start]! / ROW_SPAN);
    let end = start;
    for (; end < sorted.length && Math.floor(sorted[end]! / ROW_SPAN) === digit; end += 1) rows[end] = sorted[end]! % ROW_SPAN;
    const isTieLong = end - start > SHORT_TIE && byteAt + 2 * DIGIT_BYTES <= ID_BYTES;
    if (isTieLong) await orderById(rows.subarray(start, end), by, byteAt + DIGIT_BYTES, yielder);
    else if (end - start > 1) orderFew(rows.subarray(start, end), by);
    start = end;
  }
}

function digitOf(ids: Uint8Array, row: number, byteAt: number): number {
  const at = row * ID_BYTES + byteAt;
  return (ids[at]! << 16) | (ids[at + 1]! << 8) | ids[at + 2]!;
}

function orderFew(rows: Uint32Array, by: RowOrder): void {
  rows.sort((a, b) => compareTied(by, a, b));
}

function compareTied({ ids, projectOf }: RowOrder, a: number, b: number): number {
  return compareIds(ids, a * ID_BYTES, ids, b * ID_BYTES) || (a === b ? 0 : compareCodePoints(projectOf(a), projectOf(b)));
}

async function isSorted(by: RowOrder, yielder: Yielder): Promise<boolean> {
  const { times } = by;
  const pieceLength = Math.ceil(yielder.pieceLength / COMPARISON_VALUE_COUNT);
  for (let from = 1; from < times.length; from += pieceLength) {
    const to = Math.min(from + pieceLength, times.length);
    for (let row = from; row < to; row += 1) {
      const step = times[row]! - times[row - 1]!;
      if (step < 0 || (step === 0 && compareTied(by, row - 1, row) > 0)) return false;
    }
    await yielder.yieldAfter((to - from) * COMPARISON_VALUE_COUNT);
  }
  return true;
}

/** All rows of a day's sources in (createdAt, event id, project) order, the content of a segment. */
export interface MergedRows {
  readonly day: number;
  readonly times: Int32Array;
  readonly ids: Uint8Array;
  readonly sequences: Uint32Array;
  readonly columns: ReadonlyMap<string, CodeColumn>;
}

/** A source for merging: a head, a segment with all columns loaded and pinned, or a copy of either on another thread. */
export type SourceRows = Pick<Rows, "day" | "rowCount" | "columnNames" | "column" | "times" | "ids" | "projectOf" | "sequences">;

/** Below this share of rows a column is stored sparse: a row number and a code per entry then cost less than a code per row. */
const SPARSE_SHARE = 1 / 8;

/** Merges heads (seal) or segments (compaction) of one day into sorted rows with narrow codes. */
export async function mergeRows(sources: readonly SourceRows[], yielder = new Yielder()): Promise<MergedRows> {
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
    await yielder.yieldAfter(rows.rowCount);
  }
  const projectOf = (row: number) => {
    const source = starts.findLastIndex((start) => start <= row);
    return sources[source]!.projectOf(row - starts[source]!);
  };
  const merge = new Merge(sources, await rankRows({ times, ids, projectOf }, yielder), rowCount, yielder);
  const columns = new Map<string, CodeColumn>();
  for (const name of new Set(sources.flatMap((rows) => rows.columnNames()))) columns.set(name, await merge.column(name));
  const day = sources[0]?.day ?? 0;
  return { day, times: await merge.numbers(times), ids: await merge.ids(ids), sequences: await merge.numbers(sequences), columns };
}

class Merge {
  constructor(
    readonly sources: readonly SourceRows[],
    /** The rank of each row; null if the rows are already in order. */
    readonly ranks: Uint32Array | null,
    readonly rowCount: number,
    readonly yielder: Yielder,
  ) {}

  async numbers<T extends Int32Array | Uint32Array>(values: T): Promise<T> {
    const { ranks } = this;
    if (ranks === null) return values;
    const placed = values.slice() as T;
    await this.yielder.inPieces(ranks.length, (from, to) => {
      for (let row = from; row < to; row += 1) placed[ranks[row]!] = values[row]!;
    });
    return placed;
  }

  async ids(ids: Uint8Array): Promise<Uint8Array> {
    const { ranks } = this;
    if (ranks === null) return ids;
    // Copying four words per row is several times as fast as copying sixteen bytes.
    const words = new Uint32Array(ids.buffer);
    const placed = new Uint32Array(words.length);
    await this.yielder.inPieces(ranks.length, (from, to) => {
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
    const { ranks, yielder, rowCount } = this;
    const codes = new Uint32Array(rowCount);
    let base = 0;
    for (const [index, part] of parts.entries()) {
      if (part.kind === "dense") codes.set(part.codes, base);
      else {
        const { rows } = part;
        const own = wideCodes(part.codes);
        for (let at = 0; at < own.length; at += 1) codes[base + rows[at]!] = own[at]!;
      }
      await yielder.yieldAfter(part.codes.length);
      base += this.sources[index]!.rowCount;
    }
    const placed = ranks === null ? codes : new Uint32Array(rowCount);
    let max = 0;
    await yielder.inPieces(rowCount, (from, to) => {
      max = Math.max(max, maxOf(codes.subarray(from, to)));
      if (ranks !== null) for (let row = from; row < to; row += 1) placed[ranks[row]!] = codes[row]!;
    });
    const narrow = narrowCodes(placed, max);
    await yielder.yieldAfter(rowCount);
    return { kind: "dense", codes: narrow };
  }

  async #sparse(parts: readonly CodeColumn[], entryCount: number): Promise<CodeColumn> {
    const { ranks, yielder } = this;
    const entries = new Float64Array(entryCount);
    let base = 0;
    let count = 0;
    for (const [index, part] of parts.entries()) {
      const codes = wideCodes(part.codes);
      await yielder.inPieces(codes.length, (from, to) => {
        for (let at = from; at < to; at += 1) {
          if (codes[at] === 0) continue;
          const row = base + (part.kind === "sparse" ? part.rows[at]! : at);
          entries[count] = (ranks === null ? row : ranks[row]!) * 2 ** 32 + codes[at]!;
          count += 1;
        }
      });
      base += this.sources[index]!.rowCount;
    }
    const ordered = await sortNumbers(entries.subarray(0, count), yielder);
    const rows = new Uint32Array(count);
    const codes = new Uint32Array(count);
    await yielder.inPieces(count, (from, to) => {
      for (let at = from; at < to; at += 1) {
        rows[at] = Math.floor(ordered[at]! / 2 ** 32);
        codes[at] = ordered[at]! % 2 ** 32;
      }
    });
    return { kind: "sparse", rows, codes: narrowCodes(codes), rowCount: this.rowCount };
  }
}

const NO_BLANKS: ReadonlyMap<string, ReadonlySet<number>> = new Map();
const NO_CODES: ReadonlySet<number> = new Set();

/** Some rows as a source for merging; their columns must be loaded. @param kept ascending row numbers @param blank codes that become 0 */
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
