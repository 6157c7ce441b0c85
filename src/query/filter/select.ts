import { dayStartMs, MS_PER_DAY } from "../../core/base/time.js";
import { codeAt, denseCodes, type CodeColumn } from "../../storage/column/column.js";
import { joinLists, postingsByteLength, postingsOf, rowsOfCode, type Postings } from "../../storage/column/postings.js";
import { wasRequested, type Rows } from "../../storage/segment/rows.js";
import { ALWAYS, mayMatch, type ActorTest, type Predicate } from "./predicate.js";
import {
  bitsOfCode, bitsOfTable, complement, countCommonBits, emptyBitmap, hasBit, intersect, rangeBitmap, unite, countBits, rowsOfBits, type Bitmap,
} from "../../storage/column/bitmap.js";
import type { CodeSet } from "../../storage/column/code-set.js";
import type { Codes } from "../../storage/column/codes.js";
import { firstAtLeast } from "../../core/base/search.js";

/** Selects rows that pass each of `all` and, unless `any` is empty, every predicate of at least one group of `any`. */
export interface Selector {
  readonly all: readonly Predicate[];
  readonly any: readonly (readonly Predicate[])[];
  readonly fromMs: number;
  readonly toMs: number;
  /**
   * Identifies the filters, without dates: the result for a sealed segment never changes. `""` without filters; null if it depends on
   * identities.
   */
  readonly key: string | null;
  /** Tests the actors of selected rows at the end of the query; null: all of them count. */
  readonly actorFilter: ActorTest | null;
  /** Columns that selecting may read, without times and ids. */
  readonly columns: readonly string[];
  /** Number of dictionary values tested to compile it. */
  readonly testedValueCount: number;
}

/* eslint-disable @typescript-eslint/no-non-null-assertion -- indexes are bounded by the lists */
/** Finds the value of rows that may lie in several columns: the first that is set counts. */
export class FirstValue {
  /** Index of the column that the last code came from; of the last column if none was set. */
  place = 0;

  constructor(readonly columns: readonly CodeColumn[]) {}

  codeOf(row: number): number {
    const { columns } = this;
    const last = columns.length - 1;
    let place = 0;
    let code = codeAt(columns[0]!, row);
    while (code === 0 && place < last) {
      place += 1;
      code = codeAt(columns[place]!, row);
    }
    this.place = place;
    return code;
  }
}

/** Testing a row of a list costs about as much as this many rows in a bitmap. */
export const ROWS_PER_TEST = 32;

/** A predicate that selects few values of a column, and that column. */
interface Narrow {
  readonly predicate: Predicate;
  readonly column: string;
  readonly codes: readonly number[];
}

/** The posting lists that a predicate needs; null if a bitmap serves it better. */
export function narrowOf(predicate: Predicate): Narrow | null {
  if (predicate.kind !== "codes" || predicate.columns.length > 1) return null;
  const set = predicate.sets[0]!;
  if (set.list === null || set.negated || set.has(0)) return null;
  return { predicate, column: predicate.columns[0]!, codes: set.list };
}

/**
 * The rows that pass the filters, ascending, by the shortest posting list; null if bitmaps cost less: if no filter selects few of many
 * values, or if their rows are many. Posting lists are built on the second such request of a column. Cost: the rows of the shortest list.
 * The selector's columns must be loaded.
 */
export function fewRows(rows: Rows, { all, any }: Selector): Uint32Array | null {
  if (any.length > 0 || !rows.immutable) return null;
  let best: { readonly narrow: Narrow; readonly lists: readonly Uint32Array[]; readonly count: number } | null = null;
  for (const predicate of all) {
    const narrow = narrowOf(predicate);
    const postings = narrow === null ? null : postingsOfColumn(rows, narrow.column);
    if (narrow === null || postings === null) continue;
    const lists = narrow.codes.map((code) => rowsOfCode(postings, code));
    const count = lists.reduce((sum, list) => sum + list.length, 0);
    if (best === null || count < best.count) best = { narrow, lists, count };
  }
  if (best === null || best.count * ROWS_PER_TEST > rows.rowCount) return null;
  const { narrow, lists } = best;
  const tests = all.filter((predicate) => predicate !== narrow.predicate).map((predicate) => rowTest(predicate, rows));
  const found = lists.length === 1 ? lists[0]! : joinLists(lists);
  return tests.length === 0 ? found : found.filter((row) => tests.every((test) => test(row)));
}

export const postingsKey = (column: string) => `postings ${column}`;

function postingsOfColumn(rows: Rows, name: string): Postings | null {
  const column = rows.column(name);
  if (column.kind === "sparse" || column.codes.BYTES_PER_ELEMENT === 1) return null;
  const cached = rows.cached(postingsKey(name), []) as Postings | null;
  if (cached !== null) return cached;
  return wasRequested(rows, name) ? rows.derive(postingsKey(name), () => postingsOf(column.codes), postingsByteLength) : null;
}

function rowTest(predicate: Predicate, rows: Rows): (row: number) => boolean {
  switch (predicate.kind) {
    case "constant":
      return () => predicate.value;
    case "instant": {
      const [fromMs, toMs] = [predicate.fromMs - dayStartMs(rows.day), predicate.toMs - dayStartMs(rows.day)];
      const times = rows.times();
      return (row) => (times[row]! >= fromMs && times[row]! < toMs) !== predicate.negated;
    }
    case "row":
      return predicate.prepare(rows);
    case "codes": {
      const value = new FirstValue(predicate.columns.map((name) => rows.column(name)));
      return (row) => {
        const code = value.codeOf(row);
        return predicate.sets[value.place]!.has(code);
      };
    }
  }
}
/* eslint-enable @typescript-eslint/no-non-null-assertion */

/* eslint-disable @typescript-eslint/no-non-null-assertion -- rows and codes are bounded by their columns */
/** The rows of one segment or head within a time range. */
type RowRange =
  | { readonly kind: "none" }
  | { readonly kind: "range"; readonly from: number; readonly to: number }
  | { readonly kind: "bits"; readonly bits: Bitmap };

/** A bitmap or a list may be shared, so it must not be changed. */
export type Selection =
  | RowRange
  /** Ascending. */
  | { readonly kind: "rows"; readonly rows: Uint32Array };

const NONE: RowRange = { kind: "none" };

/** Whether zone maps and times alone exclude all rows. */
export function isPruned(rows: Rows, { fromMs, toMs, all, any }: Selector): boolean {
  const start = dayStartMs(rows.day);
  if (start + rows.maxMs < fromMs || start + rows.minMs >= toMs) return true;
  if (!all.every((predicate) => mayMatch(predicate, rows))) return true;
  return any.length > 0 && !any.some((group) => group.every((predicate) => mayMatch(predicate, rows)));
}

export const rowsKey = (key: string) => `rows ${key}`;
export const codeKey = (column: string, code: number) => `${column}=${code}`;

export function isWhole(rows: Rows, selector: Selector): boolean {
  const start = dayStartMs(rows.day);
  return start + rows.minMs >= selector.fromMs && start + rows.maxMs < selector.toMs;
}

/** Selects rows. The selector's columns must be loaded, and so must times if the range cuts the day. */
export function select(rows: Rows, selector: Selector): Selection {
  const range = rangeOf(rows, selector);
  if (range.kind === "none" || (selector.all.length === 0 && selector.any.length === 0)) return range;
  const few = fewRows(rows, selector);
  if (few !== null) return { kind: "rows", rows: within(few, range) };
  const bits = filterBits(rows, selector);
  if (range.kind === "bits") return { kind: "bits", bits: both(bits, range.bits) };
  if (range.from === 0 && range.to === rows.rowCount) return { kind: "bits", bits };
  return { kind: "bits", bits: both(bits, rangeBitmap(rows.rowCount, range.from, range.to)) };
}

function within(list: Uint32Array, range: RowRange): Uint32Array {
  if (range.kind === "bits") return list.filter((row) => hasBit(range.bits, row));
  if (range.kind !== "range") return list.subarray(0, 0);
  const from = firstAtLeast(list, range.from);
  return list.subarray(from, firstAtLeast(list, range.to, from));
}

function both(bits: Bitmap, other: Bitmap): Bitmap {
  const result = bits.slice();
  intersect(result, other);
  return result;
}

function allBits(predicates: readonly Predicate[], rows: Rows): Bitmap {
  const [first, ...rest] = predicates;
  const bits = bitsOf(first ?? ALWAYS, rows);
  if (rest.length === 0) return bits;
  const result = bits.slice();
  for (const predicate of rest) intersect(result, bitsOf(predicate, rows));
  return result;
}

/** The rows that pass the filters, cached with a sealed segment: not to be changed. */
function filterBits(rows: Rows, selector: Selector): Bitmap {
  const { all, any, key } = selector;
  const isOne = all.length === 1 && any.length === 0;
  if (isOne || key === null) return combinedBits(rows, selector);
  return rows.derive(rowsKey(key), () => combinedBits(rows, selector), (bits) => bits.byteLength);
}

function combinedBits(rows: Rows, { all, any }: Selector): Bitmap {
  if (any.length === 0) return allBits(all, rows);
  const union = emptyBitmap(rows.rowCount);
  for (const group of any)
    if (group.every((predicate) => mayMatch(predicate, rows))) unite(union, allBits(group, rows));
  if (all.length > 0) intersect(union, allBits(all, rows));
  return union;
}

/** Number of rows that pass every predicate, over the whole day: builds no bitmap of the result. */
export function countAll(rows: Rows, predicates: readonly Predicate[]): number {
  return countCommonBits(predicates.map((predicate) => bitsOf(predicate, rows)));
}

/** The rows within the time range: by binary search if they are in order, else by testing each. */
function rangeOf(rows: Rows, selector: Selector): RowRange {
  if (isWhole(rows, selector)) return { kind: "range", from: 0, to: rows.rowCount };
  const start = dayStartMs(rows.day);
  const fromMs = Math.max(selector.fromMs - start, 0);
  const toMs = Math.min(selector.toMs - start, MS_PER_DAY);
  const times = rows.times();
  if (!rows.sealed) return { kind: "bits", bits: timeBits(times, fromMs, toMs) };
  const from = firstAtLeast(times, fromMs);
  const to = firstAtLeast(times, toMs);
  return from < to ? { kind: "range", from, to } : NONE;
}

function timeBits(times: Int32Array, fromMs: number, toMs: number): Bitmap {
  const bits = emptyBitmap(times.length);
  for (let row = 0; row < times.length; row += 1)
    if (times[row]! >= fromMs && times[row]! < toMs) bits[row >>> 5]! |= 1 << (row & 31);
  return bits;
}

function bitsOf(predicate: Predicate, rows: Rows): Bitmap {
  const { rowCount } = rows;
  switch (predicate.kind) {
    case "constant":
      return rangeBitmap(rowCount, 0, predicate.value ? rowCount : 0);
    case "instant": {
      const start = dayStartMs(rows.day);
      const bits = timeBits(rows.times(), predicate.fromMs - start, predicate.toMs - start);
      if (predicate.negated) complement(bits, rowCount);
      return bits;
    }
    case "row": {
      const test = predicate.prepare(rows);
      const bits = emptyBitmap(rowCount);
      for (let row = 0; row < rowCount; row += 1) if (test(row)) bits[row >>> 5]! |= 1 << (row & 31);
      return bits;
    }
    case "codes":
      return codesBits(predicate.columns, predicate.sets, rows);
  }
}

function codesBits(columns: readonly string[], sets: readonly CodeSet[], rows: Rows): Bitmap {
  const last = columns.length - 1;
  if (last === 0 && rows.zone(columns[0]!) !== null) return setBits(rows, columns[0]!, sets[0]!, sets[0]!.has(0));
  const present = columns.flatMap((name, place) => (rows.zone(name) === null ? [] : [{ name, set: sets[place]! }]));
  const set = sets[last]!;
  if (present.length === 0) return rangeBitmap(rows.rowCount, 0, set.has(0) ? rows.rowCount : 0);
  let bits: Bitmap | null = null;
  for (const { name, set: own } of present.reverse()) {
    const mine = setBits(rows, name, own, bits === null && set.has(0));
    bits = bits === null ? mine : orElse(rows, name, mine, bits);
  }
  return bits ?? emptyBitmap(rows.rowCount);
}

/** The rows of `mine`, and those of `rest` where the column is not set. */
function orElse(rows: Rows, name: string, mine: Bitmap, rest: Bitmap): Bitmap {
  const codes = denseCodes(rows.column(name));
  const bits = mine.slice();
  for (let row = 0; row < rows.rowCount; row += 1) if (codes[row] === 0 && hasBit(rest, row)) bits[row >>> 5]! |= 1 << (row & 31);
  return bits;
}

/** The rows whose code is in the set; `zero` decides on rows with code 0. */
function setBits(rows: Rows, name: string, set: CodeSet, zero: boolean): Bitmap {
  const column = rows.column(name);
  if (column.kind === "sparse") return sparseBits(column, set, zero);
  const only = set.only;
  if (only > 0 && !zero) return codeBits(rows, name, column.codes, only);
  if (set.list === null) return bitsOfTable(column.codes, withZero(set.toTable(), zero));
  const codes = set.list.filter((code) => code !== 0);
  const codesIn = set.negated ? !zero : zero;
  if (codesIn) codes.push(0);
  const [first, ...rest] = codes;
  if (first === undefined) return rangeBitmap(rows.rowCount, 0, set.negated ? rows.rowCount : 0);
  let bits = codeBits(rows, name, column.codes, first);
  if (rest.length > 0 || set.negated) bits = bits.slice();
  for (const code of rest) unite(bits, codeBits(rows, name, column.codes, code));
  if (set.negated) complement(bits, rows.rowCount);
  return bits;
}

/** The rows of one code, cached with a sealed segment: the next query with that value reads no column. */
function codeBits(rows: Rows, name: string, codes: Codes, code: number): Bitmap {
  return rows.derive(codeKey(name, code), () => bitsOfCode(codes, code), (bits) => bits.byteLength);
}

function withZero(table: Uint8Array, zero: boolean): Uint8Array {
  if ((table[0] === 1) === zero) return table;
  const copy = table.slice();
  copy[0] = zero ? 1 : 0;
  return copy;
}

function sparseBits(column: CodeColumn & { kind: "sparse" }, set: CodeSet, zero: boolean): Bitmap {
  const bits = rangeBitmap(column.rowCount, 0, zero ? column.rowCount : 0);
  const table = set.toTable();
  for (let at = 0; at < column.rows.length; at += 1) {
    const row = column.rows[at]!;
    const bit = 1 << (row & 31);
    if (table[column.codes[at]!] === 1) bits[row >>> 5]! |= bit;
    else bits[row >>> 5]! &= ~bit;
  }
  return bits;
}
/* eslint-enable @typescript-eslint/no-non-null-assertion */

// Shared by all scans: a scan is synchronous and consumes it before the next begins.
let scratch = new Uint32Array(4096);

/** Ascending row numbers of a selection; valid until the next call. */
export function selectedRows(selection: Selection): Uint32Array {
  if (selection.kind === "none") return scratch.subarray(0, 0);
  if (selection.kind === "rows") return selection.rows;
  if (selection.kind === "range") {
    const count = selection.to - selection.from;
    reserve(count);
    for (let at = 0; at < count; at += 1) scratch[at] = selection.from + at;
    return scratch.subarray(0, count);
  }
  reserve(countBits(selection.bits));
  return scratch.subarray(0, rowsOfBits(selection.bits, scratch));
}

/** Row numbers of a selection in descending order, for callers that stop early. */
export function* rowsDown(selection: Selection): Generator<number> {
  if (selection.kind === "range") for (let row = selection.to - 1; row >= selection.from; row -= 1) yield row;
  if (selection.kind === "rows") for (let at = selection.rows.length - 1; at >= 0; at -= 1) yield selection.rows[at] ?? 0;
  if (selection.kind !== "bits") return;
  const { bits } = selection;
  for (let word = bits.length - 1; word >= 0; word -= 1)
    for (let rest = bits[word] ?? 0; rest !== 0; ) {
      const bit = 31 - Math.clz32(rest);
      yield word * 32 + bit;
      rest = (rest & ~(1 << bit)) >>> 0;
    }
}

function reserve(count: number): void {
  if (count > scratch.length) scratch = new Uint32Array(2 ** Math.ceil(Math.log2(count)));
}
