import type { DictionaryDelta } from "../../storage/column/dictionaries.js";
import { FIELD_COUNT } from "../../core/schema/fields.js";
import type { Batch } from "./batch.js";
import { PayloadReader, bytesOf, concat, jsonPart, packColumn, u32 } from "./payload.js";

/**
 * Encodes the payload of a journal frame: new dictionary values as JSON, then the rows column by column, each as narrow as its
 * largest code allows. About 60 bytes per row.
 */
export function encodeBatch(deltas: readonly DictionaryDelta[], batch: Batch): Uint8Array {
  const { rowCount, times, ids, codes, shapes, values } = batch;
  const parts: Uint8Array[] = [...deltasPart(deltas), u32(rowCount), bytesOf(times), ids];
  for (const column of codes) parts.push(...packColumn(column, 0, 1, rowCount));
  parts.push(...packColumn(shapes, 0, 1, rowCount), u32(values.length), ...packColumn(values, 0, 1, values.length));
  return concat(parts);
}

/** Decodes a payload of `encodeBatch`; the caller has checked the frame's CRC. */
export function decodeBatch(payload: Uint8Array): { deltas: DictionaryDelta[]; batch: Batch } {
  const reader = new PayloadReader(payload);
  const deltas = readDeltas(reader);
  const rowCount = reader.u32();
  const times = new Float64Array(reader.take(rowCount * 8).slice().buffer);
  const ids = reader.take(rowCount * 16).slice();
  const column = (count: number) => {
    const codes = new Uint32Array(count);
    reader.column(count, codes, 0, 1);
    return codes;
  };
  const codes = Array.from({ length: FIELD_COUNT }, () => column(rowCount));
  const shapes = column(rowCount);
  const values = column(reader.u32());
  return { deltas, batch: { rowCount, times, ids, codes, shapes, values } };
}

/** Encodes new dictionary values as JSON, the first part of frames of rows and of records. */
export function deltasPart(deltas: readonly DictionaryDelta[]): Uint8Array[] {
  return jsonPart(deltas.map((delta) => [delta.name, delta.start, delta.values]));
}

export function readDeltas(reader: PayloadReader): DictionaryDelta[] {
  return (reader.json() as [string, number, string[]][]).map(([name, start, values]) => ({ name, start, values }));
}
