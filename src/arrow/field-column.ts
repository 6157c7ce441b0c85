/* eslint-disable @typescript-eslint/no-non-null-assertion -- codes are bounded by their dictionary, rows by their column */
import { Bool, Dictionary as DictionaryType, Field, Float64, Int16, Int32, Int8, Utf8, Vector, makeData } from "apache-arrow";
import type { Data } from "apache-arrow";
import { codeAt } from "../column/column.js";
import type { CodeColumn } from "../column/column.js";
import type { Dictionary } from "../column/dictionary.js";
import type { FieldRow } from "../schema/fields.js";
import { Validity, utf8Data } from "./utf8-data.js";

/** One field of exported events. */
export interface FieldColumn {
  readonly field: Field;
  /** The values of some rows; null where they are not set. */
  data(column: CodeColumn, rows: Uint32Array): Data;
}

/**
 * A field as a column of its own kind: true or false, a number, or dictionary-encoded text. The dictionary holds the
 * values of the exported events and no others, so that an export of one project tells nothing of another.
 * @param used 1 for each code that some exported event has
 * @param id of the Arrow dictionary
 */
export function fieldColumn(row: FieldRow, dictionary: Dictionary, used: Uint8Array, id: number): FieldColumn {
  if (row.accepts === "boolean") return flagColumn(row.camel, dictionary.codeOf("true"));
  if (row.accepts === "number") return numberColumn(row.camel, dictionary);
  return textColumn(row.camel, dictionary, used, id);
}

function flagColumn(name: string, trueCode: number): FieldColumn {
  const data = (column: CodeColumn, rows: Uint32Array) => {
    const bits = new Validity(rows.length);
    rows.forEach((row, at) => (codeAt(column, row) === trueCode ? bits.set(at) : undefined));
    return makeData({ type: new Bool(), length: rows.length, nullCount: 0, data: bits.bits });
  };
  return { field: new Field(name, new Bool(), false), data };
}

function numberColumn(name: string, dictionary: Dictionary): FieldColumn {
  const data = (column: CodeColumn, rows: Uint32Array) => {
    const values = new Float64Array(rows.length);
    const validity = new Validity(rows.length);
    rows.forEach((row, at) => {
      const code = codeAt(column, row);
      if (code === 0) return;
      values[at] = Number(dictionary.valueOf(code));
      validity.set(at);
    });
    return makeData({ type: new Float64(), length: rows.length, ...validity.done(), data: values });
  };
  return { field: new Field(name, new Float64(), true), data };
}

function textColumn(name: string, dictionary: Dictionary, used: Uint8Array, id: number): FieldColumn {
  const texts: string[] = [];
  const indexes = new Int32Array(used.length);
  for (let code = 1; code < used.length; code += 1) {
    if (used[code] === 0) continue;
    indexes[code] = texts.length;
    texts.push(dictionary.valueOf(code));
  }
  const values = new Vector([utf8Data(texts)]);
  const type = new DictionaryType(new Utf8(), indexType(texts.length), id);
  const data = (column: CodeColumn, rows: Uint32Array) => {
    const codes = new type.indices.ArrayType(rows.length);
    const validity = new Validity(rows.length);
    for (let at = 0; at < rows.length; at += 1) {
      const code = codeAt(column, rows[at]!);
      if (code === 0) continue;
      codes[at] = indexes[code]!;
      validity.set(at);
    }
    return makeData({ type, length: rows.length, ...validity.done(), data: codes, dictionary: values });
  };
  return { field: new Field(name, type, true), data };
}

/** Signed, as the format advises: not every reader takes unsigned ones. */
function indexType(valueCount: number): Int8 | Int16 | Int32 {
  return valueCount <= 0x80 ? new Int8() : valueCount <= 0x8000 ? new Int16() : new Int32();
}
