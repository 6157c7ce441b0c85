/* eslint-disable @typescript-eslint/no-non-null-assertion -- entries are bounded by their columns */
import { DICTIONARY_OF_FIELD, RECORD_FIELDS } from "../../identity/record-table.js";
import type { RecordTable } from "../../identity/record-table.js";
import { KEY_DICTIONARY } from "../../core/schema/fields.js";
import type { Rows } from "../../storage/segment/rows.js";

/** Codes by the name of their dictionary. */
export class CodesByDictionary {
  readonly #codes = new Map<string, Set<number>>();

  add(dictionary: string, code: number): void {
    if (code === 0) return;
    const codes = this.#codes.get(dictionary);
    if (codes === undefined) this.#codes.set(dictionary, new Set([code]));
    else codes.add(code);
  }

  of(dictionary: string): ReadonlySet<number> {
    return this.#codes.get(dictionary) ?? new Set();
  }

  remove(dictionary: string, code: number): void {
    this.#codes.get(dictionary)?.delete(code);
  }

  /** The dictionaries that still have codes, with these. */
  entries(): [string, ReadonlySet<number>][] {
    return [...this.#codes].filter(([, codes]) => codes.size > 0);
  }

  get size(): number {
    return this.entries().reduce((sum, [, codes]) => sum + codes.size, 0);
  }
}

/** Projects outlive their events: their names identify no person. */
const KEPT = "project";

/** Notes every code that the removed rows use, except projects, and the keys of all metadata columns. All columns must be loaded. */
export function noteRows(into: CodesByDictionary, rows: Rows, gone: Uint32Array): void {
  const isGone = new Uint8Array(rows.rowCount);
  for (const row of gone) isGone[row] = 1;
  for (const name of rows.columnNames()) {
    if (name === KEPT) continue;
    const column = rows.column(name);
    for (let at = 0; at < column.codes.length; at += 1) {
      const row = column.kind === "sparse" ? column.rows[at]! : at;
      if (isGone[row] === 1) into.add(name, column.codes[at]!);
    }
    const key = /^m(\d+)$/.exec(name);
    if (key !== null) into.add(KEY_DICTIONARY, Number(key[1]));
  }
}

/** Notes every code that a record uses. */
export function noteRecord(into: CodesByDictionary, table: RecordTable, row: number): void {
  for (const field of RECORD_FIELDS) into.add(DICTIONARY_OF_FIELD[field], table.code(row, field));
}

/** Removes the codes that any row of a segment still uses. Loads the columns concerned, one after another. */
export async function removeUsedByRows(codes: CodesByDictionary, rows: Rows): Promise<void> {
  for (const name of rows.columnNames()) {
    const key = /^m(\d+)$/.exec(name);
    if (key !== null) codes.remove(KEY_DICTIONARY, Number(key[1]));
    const wanted = codes.of(name);
    if (wanted.size === 0) continue;
    await rows.load([name]);
    const used = rows.column(name).codes;
    for (let at = 0; at < used.length; at += 1) if (wanted.has(used[at]!)) codes.remove(name, used[at]!);
  }
}

/** Removes the codes that any record uses. */
export function removeUsedByRecords(codes: CodesByDictionary, table: RecordTable): void {
  for (let row = 0; row < table.rowCount; row += 1)
    for (const field of RECORD_FIELDS) codes.remove(DICTIONARY_OF_FIELD[field], table.code(row, field));
}
