import type { Sheet } from "../../format/sheet.js";
import type { RankedRow } from "../../parts/ranked-list.js";

/** A ranked list as a sheet: labels, and the figures in full. */
export function sheetOfRows(heads: readonly [string, string, string], rows: readonly RankedRow[]): Sheet {
  return { columns: heads, rows: rows.map(({ label, figure, more }) => [label, figure, more?.exact ?? null]) };
}
