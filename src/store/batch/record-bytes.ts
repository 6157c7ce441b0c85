import type { DictionaryDelta } from "../../column/dictionaries.js";
import { RECORD_FIELD_COUNT } from "../../identity/record-table.js";
import { deltasPart, readDeltas } from "./batch-bytes.js";
import { PayloadReader, bytesOf, concat, jsonPart, packColumn, u32 } from "./payload.js";
import type { BroughtCodes, RecordBatch } from "./record-batch.js";

/**
 * Identity records as a journal frame, or a file of records, holds them: new dictionary values and brought codes as JSON,
 * then the records column by column. About 40 bytes a record, texts apart.
 */
export function encodeRecords(deltas: readonly DictionaryDelta[], { records, brought }: RecordBatch): Uint8Array {
  const { rowCount, kinds, times, ids, codes } = records;
  const parts: Uint8Array[] = [...deltasPart(deltas), ...jsonPart(brought), u32(rowCount), kinds, bytesOf(times), ids];
  for (let field = 0; field < RECORD_FIELD_COUNT; field += 1) parts.push(...packColumn(codes, field, RECORD_FIELD_COUNT, rowCount));
  return concat(parts);
}

/** Reads what `encodeRecords` wrote; the checksum over it has been checked. */
export function decodeRecords(payload: Uint8Array): { deltas: DictionaryDelta[]; batch: RecordBatch } {
  const reader = new PayloadReader(payload);
  const deltas = readDeltas(reader);
  const brought = reader.json() as BroughtCodes;
  const rowCount = reader.u32();
  const kinds = reader.take(rowCount).slice();
  const times = new Float64Array(reader.take(rowCount * 8).slice().buffer);
  const ids = reader.take(rowCount * 16).slice();
  const codes = new Uint32Array(rowCount * RECORD_FIELD_COUNT);
  for (let field = 0; field < RECORD_FIELD_COUNT; field += 1) reader.column(rowCount, codes, field, RECORD_FIELD_COUNT);
  return { deltas, batch: { records: { rowCount, kinds, times, ids, codes }, brought } };
}
