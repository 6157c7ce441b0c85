/* eslint-disable @typescript-eslint/no-non-null-assertion -- indexes are bounded by the histogram */
import { countBits } from "../../../storage/column/bitmap.js";
import { histogramOf } from "../../../storage/column/column.js";
import type { Histogram } from "../../../storage/column/column.js";
import type { CodeSet } from "../../../storage/column/code-set.js";
import { fewRows } from "../../filter/few-rows.js";
import type { Selector } from "../../filter/predicate.js";
import { countAll, isWhole, select } from "../../filter/select.js";
import type { Rows } from "../../../storage/segment/rows.js";

/**
 * Number of selected rows, cached with a whole sealed segment.
 * Cost: for one test of one column its distinct codes, the first time; otherwise about a bit per row and test.
 */
export function countRows(rows: Rows, selector: Selector): number {
  const { all, any, key } = selector;
  if (!isWhole(rows, selector)) return countSelected(rows, selector);
  if (all.length === 0 && any.length === 0) return rows.rowCount;
  return key === null ? countWhole(rows, selector) : rows.derive(`count ${key}`, () => countWhole(rows, selector), () => NUMBER_BYTES);
}

const NUMBER_BYTES = 8;

function countWhole(rows: Rows, selector: Selector): number {
  const { all, any } = selector;
  if (any.length > 0) return countSelected(rows, selector);
  const only = all[0]!;
  const few = all.length > 1 ? fewRows(rows, selector) : null;
  if (few !== null) return few.length;
  if (all.length > 1 || only.kind !== "codes" || only.columns.length > 1 || !rows.settled) return countAll(rows, all);
  return countCodes(histogram(rows, only.columns[0]!), only.sets[0]!);
}

function countSelected(rows: Rows, selector: Selector): number {
  const selection = select(rows, selector);
  if (selection.kind === "none") return 0;
  if (selection.kind === "rows") return selection.rows.length;
  return selection.kind === "range" ? selection.to - selection.from : countBits(selection.bits);
}

/** Rows per code of a column, cached with a sealed segment. */
export function histogram(rows: Rows, column: string): Histogram {
  return rows.derive(`histogram ${column}`, () => histogramOf(rows.column(column)), (made) => made.codes.byteLength * 2);
}

function countCodes(histogram: Histogram, set: CodeSet): number {
  const { codes, counts } = histogram;
  let count = 0;
  for (let at = 0; at < codes.length; at += 1) if (set.has(codes[at]!)) count += counts[at]!;
  return count;
}
