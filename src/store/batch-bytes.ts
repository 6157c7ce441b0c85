import type { DictionaryDelta } from "../column/dictionaries.js";
import { FIELD_COUNT } from "../schema/fields.js";
import type { Batch } from "./batch.js";
import { PayloadReader, bytesOf, concat, jsonPart, packColumn, u32 } from "./payload.js";

/**
 * The payload of a journal frame: new dictionary values as JSON, then the rows column by column, each as narrow as its
 * largest code allows. About 60 bytes a row.
 */
export function encodeBatch(deltas: readonly DictionaryDelta[], batch: Batch): Uint8Array {
  const { rowCount, times, ids, codes, shapes, values } = batch;
  const parts: Uint8Array[] = [...deltasPart(deltas), u32(rowCount), bytesOf(times), ids];
  for (let field = 0; field < FIELD_COUNT; field += 1) parts.push(...packColumn(codes, field, FIELD_COUNT, rowCount));
  parts.push(...packColumn(shapes, 0, 1, rowCount), u32(values.length), ...packColumn(values, 0, 1, values.length));
  return concat(parts);
}

/** Reads what `encodeBatch` wrote; the frame's checksum has been checked. */
export function decodeBatch(payload: Uint8Array): { deltas: DictionaryDelta[]; batch: Batch } {
  const reader = new PayloadReader(payload);
  const deltas = readDeltas(reader);
  const rowCount = reader.u32();
  const times = new Float64Array(reader.take(rowCount * 8).slice().buffer);
  const ids = reader.take(rowCount * 16).slice();
  const codes = new Uint32Array(rowCount * FIELD_COUNT);
  for (let field = 0; field < FIELD_COUNT; field += 1) reader.column(rowCount, codes, field, FIELD_COUNT);
  const shapes = new Uint32Array(rowCount);
  reader.column(rowCount, shapes, 0, 1);
  const values = new Uint32Array(reader.u32());
  reader.column(values.length, values, 0, 1);
  return { deltas, batch: { rowCount, times, ids, codes, shapes, values } };
}

/** New dictionary values, as JSON: frames of rows and of records begin with them. */
export function deltasPart(deltas: readonly DictionaryDelta[]): Uint8Array[] {
  return jsonPart(deltas.map((delta) => [delta.name, delta.start, delta.values]));
}

export function readDeltas(reader: PayloadReader): DictionaryDelta[] {
  return (reader.json() as [string, number, string[]][]).map(([name, start, values]) => ({ name, start, values }));
}
