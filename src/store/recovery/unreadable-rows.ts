/* eslint-disable @typescript-eslint/no-non-null-assertion -- rows are bounded by their columns */
import { KEY_DICTIONARY, SHAPE_COLUMN, SHAPE_DICTIONARY, metadataColumn } from "../../core/schema/fields.js";
import type { Rows } from "../../storage/segment/rows.js";
import { CodeChecker } from "../verify/verify-dictionaries.js";

/** Finds codes that lost their value with a damaged file: data that uses them is unreadable. */
export class ReadableCodes extends CodeChecker {
  readonly #shapes = new Map<number, boolean>();

  has(dictionary: string, code: number): boolean {
    if (code === 0) return true;
    return dictionary === SHAPE_DICTIONARY ? this.#hasShape(code) : this.faultOf(dictionary, code) === null;
  }

  #hasShape(code: number): boolean {
    let known = this.#shapes.get(code);
    if (known === undefined) {
      known = this.faultOf(SHAPE_DICTIONARY, code) === null;
      if (known) known = this.dictionaries.keysOfShape(code).every((key) => this.faultOf(KEY_DICTIONARY, key) === null);
      this.#shapes.set(code, known);
    }
    return known;
  }
}

/** Numbers of the rows all of whose codes have values; all columns must be loaded. Cost: one check per code. */
export function readableRows(rows: Rows, readable: ReadableCodes): Uint32Array {
  const isLost = new Uint8Array(rows.rowCount);
  for (const name of rows.columnNames()) {
    const column = rows.column(name);
    const isKeyLost = /^m\d+$/.test(name) && !readable.has(KEY_DICTIONARY, Number(name.slice(1)));
    for (let at = 0; at < column.codes.length; at += 1) {
      const code = column.codes[at]!;
      if (code !== 0 && (isKeyLost || !readable.has(name, code))) isLost[column.kind === "sparse" ? column.rows[at]! : at] = 1;
    }
  }
  return Uint32Array.from(isLost.keys()).filter((row) => isLost[row] === 0);
}

/** Number of metadata values of a row; null if its shape is lost, and thus the position of all values after it. */
export function valueCountOf(shape: number, readable: ReadableCodes): number | null {
  return readable.has(SHAPE_COLUMN, shape) ? readable.dictionaries.keysOfShape(shape).length : null;
}

/** Whether the metadata values of a row, starting at `valuesAt`, are readable. */
export function areValuesReadable(shape: number, values: Uint32Array, valuesAt: number, readable: ReadableCodes): boolean {
  return readable.dictionaries.keysOfShape(shape).every((key, at) => readable.has(metadataColumn(key), values[valuesAt + at]!));
}
