import { Field, FixedSizeBinary, Int32, RecordBatch, Schema, Struct, Uint32, makeData } from "apache-arrow";
import type { Data } from "apache-arrow";
import { isoOfDay } from "../base/time.js";
import { denseCodes } from "../column/column.js";
import type { Dictionaries } from "../column/dictionaries.js";
import { ID_COLUMN, SEQUENCE_COLUMN, TIME_COLUMN } from "../schema/fields.js";
import type { Rows } from "../segment/rows.js";
import { dictionaryVector } from "./dictionary-vectors.js";

/**
 * The rows of one segment or head as an Arrow record batch, under the names of the stored columns; all of them are loaded.
 * `ms` is the ms of the day, which stands in the schema's metadata; `id` is the 16 bytes of the event id; every other
 * column is dictionary-encoded over the store's dictionary, `""` (code 0) where it is not set, metadata values as JSON
 * texts. Nothing is copied: times, ids, sequences and codes are the arrays of the rows themselves. Only sparse columns
 * are spread out to one code a row. Cost beyond that: a dictionary's texts, once per size it had.
 */
export function recordBatchOf(rows: Rows, dictionaries: Dictionaries): RecordBatch {
  const fields: Field[] = [];
  const children: Data[] = [];
  const add = (name: string, data: Data) => {
    fields.push(new Field(name, data.type, false));
    children.push(data);
  };
  const length = rows.rowCount;
  add(TIME_COLUMN, makeData({ type: new Int32(), length, nullCount: 0, data: rows.times() }));
  add(ID_COLUMN, makeData({ type: new FixedSizeBinary(16), length, nullCount: 0, data: rows.ids() }));
  add(SEQUENCE_COLUMN, makeData({ type: new Uint32(), length, nullCount: 0, data: rows.sequences() }));
  for (const name of rows.columnNames()) {
    const codes = denseCodes(rows.column(name));
    const { types, values } = dictionaryVector(dictionaries, name);
    const type = types[codes.BYTES_PER_ELEMENT as 1 | 2 | 4];
    add(name, makeData({ type, length, nullCount: 0, data: codes, dictionary: values }));
  }
  const schema = new Schema(fields, new Map([["day", isoOfDay(rows.day).slice(0, 10)]]));
  return new RecordBatch(schema, makeData({ type: new Struct(fields), length, nullCount: 0, children }));
}
