import { DaybookError } from "../../core/base/errors.js";
import type { DictionaryDelta } from "../../storage/column/dictionaries.js";
import { RECORD_FIELD_COUNT } from "../../identity/record-table.js";
import { toDeltas, toPlanes } from "../../storage/segment/byte-planes.js";
import { decodeDeltas } from "../../storage/segment/segment-file.js";
import { deltasPart, readDeltas } from "./batch-bytes.js";
import { PayloadReader, bytesOf, concat, jsonPart, packColumn, u32 } from "./payload.js";
import type { RecordOnlyIds, RecordBatch } from "./record-batch.js";

/**
 * Encodes identity records for a journal frame, whose header contains their first sequence: new dictionary values and codes of record-only ids as
 * JSON, then the records column by column. About 40 bytes per record, without texts.
 */
export function encodeRecords(deltas: readonly DictionaryDelta[], { records, brought }: RecordBatch): Uint8Array {
  const { rowCount, kinds, times, ids, codes } = records;
  const parts: Uint8Array[] = [...deltasPart(deltas), ...jsonPart(brought), u32(rowCount), kinds, bytesOf(times), ids];
  for (let field = 0; field < RECORD_FIELD_COUNT; field += 1) parts.push(...packColumn(codes, field, RECORD_FIELD_COUNT, rowCount));
  return concat(parts);
}

/** Decodes a payload of `encodeRecords`; the caller has checked its checksum. */
export function decodeRecords(payload: Uint8Array, firstSequence: number): { deltas: DictionaryDelta[]; batch: RecordBatch } {
  const { deltas, batch } = readRecords(new PayloadReader(payload));
  numberRecords(batch, firstSequence);
  return { deltas, batch };
}

/** Encodes identity records for a file: as for a frame, then their sequences. */
export async function encodeRecordsFile(batch: RecordBatch): Promise<Uint8Array> {
  return concat([encodeRecords([], batch), await toPlanes(await toDeltas(batch.records.sequences))]);
}

/** Decodes a payload of `encodeRecordsFile`. @throws corruption */
export function decodeRecordsFile(payload: Uint8Array): RecordBatch {
  const reader = new PayloadReader(payload);
  const { batch } = readRecords(reader);
  const { sequences } = batch.records;
  const rest = reader.rest();
  if (rest.length !== sequences.byteLength) throw new DaybookError("corruption", `expected ${sequences.length} sequences of records, got ${rest.length / 4}`);
  sequences.set(decodeDeltas(rest.slice()));
  return batch;
}

/** Assigns sequences to the records of a commit. */
export function numberRecords({ records: { sequences } }: RecordBatch, firstSequence: number): void {
  for (let row = 0; row < sequences.length; row += 1) sequences[row] = firstSequence + row;
}

function readRecords(reader: PayloadReader): { deltas: DictionaryDelta[]; batch: RecordBatch } {
  const deltas = readDeltas(reader);
  const brought = reader.json() as RecordOnlyIds;
  const rowCount = reader.u32();
  const kinds = reader.take(rowCount).slice();
  const times = new Float64Array(reader.take(rowCount * 8).slice().buffer);
  const ids = reader.take(rowCount * 16).slice();
  const codes = new Uint32Array(rowCount * RECORD_FIELD_COUNT);
  for (let field = 0; field < RECORD_FIELD_COUNT; field += 1) reader.column(rowCount, codes, field, RECORD_FIELD_COUNT);
  return { deltas, batch: { records: { rowCount, kinds, times, ids, sequences: new Uint32Array(rowCount), codes }, brought } };
}
