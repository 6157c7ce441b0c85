/* eslint-disable @typescript-eslint/no-non-null-assertion -- indexes are bounded by the lists */
import { dayStartMs } from "../../core/base/time.js";
import { codeAt } from "../../storage/column/column.js";
import { joinLists, postingsByteLength, postingsOf, rowsOfCode, type Postings } from "../../storage/column/postings.js";
import type { Rows } from "../../storage/segment/rows.js";
import type { Predicate, Selector } from "./predicate.js";

/** Testing a row of a list costs about as much as this many rows in a bitmap. */
const ROWS_PER_TEST = 32;

/** A predicate that selects few values of a column, and that column. */
interface Narrow {
  readonly predicate: Predicate;
  readonly column: string;
  readonly codes: readonly number[];
}

/** The posting lists that a predicate needs; null if a bitmap serves it better. */
function narrowOf(predicate: Predicate): Narrow | null {
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
  if (any.length > 0 || !rows.settled) return null;
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

/** Whether `fewRows` would return rows at once, judged by cache entries. */
export function hasFewRows(rows: Rows, { all, any }: Selector): boolean {
  if (any.length > 0 || !rows.settled) return false;
  return all.some((predicate) => {
    const narrow = narrowOf(predicate);
    const postings = narrow === null ? null : (rows.kept(keyOf(narrow.column), []) as Postings | null);
    if (narrow === null || postings === null) return false;
    return narrow.codes.reduce((sum, code) => sum + rowsOfCode(postings, code).length, 0) * ROWS_PER_TEST <= rows.rowCount;
  });
}

const keyOf = (column: string) => `postings ${column}`;

function postingsOfColumn(rows: Rows, name: string): Postings | null {
  const column = rows.column(name);
  if (column.kind === "sparse" || column.codes.BYTES_PER_ELEMENT === 1) return null;
  const kept = rows.kept(keyOf(name), []) as Postings | null;
  if (kept !== null) return kept;
  const asked = rows.kept(`asked ${name}`, []);
  if (asked === null) rows.derive(`asked ${name}`, () => true, () => 1);
  return asked === null ? null : rows.derive(keyOf(name), () => postingsOf(column.codes), postingsByteLength);
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
      const columns = predicate.columns.map((name) => rows.column(name));
      const last = columns.length - 1;
      return (row) => {
        let place = 0;
        let code = codeAt(columns[0]!, row);
        while (code === 0 && place < last) {
          place += 1;
          code = codeAt(columns[place]!, row);
        }
        return predicate.sets[place]!.has(code);
      };
    }
  }
}
