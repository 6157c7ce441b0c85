import { allocateCodes, codesOfBytes, codeWidth } from "../../storage/column/codes.js";
import type { DictionaryDelta } from "../../storage/column/dictionaries.js";
import { FIELD_COUNT } from "../../core/schema/fields.js";
import type { Batch, RecordOnlyIds, RecordBatch } from "./batch.js";
import { DaybookError } from "../../core/base/errors.js";
import { RECORD_FIELD_COUNT } from "../../identity/record-table.js";
import { toDeltas, toPlanes } from "../../storage/segment/byte-planes.js";
import { decodeDeltas } from "../../storage/segment/segment-file.js";

/* eslint-disable @typescript-eslint/no-non-null-assertion -- indexes are bounded by the row count */
const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true });

/** Reads a payload part by part; the caller has checked its checksum. */
export class PayloadReader {
  #at = 0;
  readonly #view: DataView;

  constructor(readonly payload: Uint8Array) {
    this.#view = new DataView(payload.buffer, payload.byteOffset, payload.byteLength);
  }

  u32(): number {
    this.#at += 4;
    return this.#view.getUint32(this.#at - 4, true);
  }

  /** Reads what `jsonPart` wrote. */
  json(): unknown {
    return JSON.parse(decoder.decode(this.take(this.u32())));
  }

  take(byteLength: number): Uint8Array {
    this.#at += byteLength;
    return this.payload.subarray(this.#at - byteLength, this.#at);
  }

  /** The unread bytes. */
  rest(): Uint8Array {
    return this.payload.subarray(this.#at);
  }

  column(count: number, into: Uint32Array, start: number, stride: number): void {
    const width = this.payload[this.#at]!;
    this.#at += 1;
    if (width === 0) return;
    const packed = codesOfBytes(this.take(count * width), width);
    for (let at = 0, to = start; at < count; at += 1, to += stride) into[to] = packed[at]!;
  }
}

/** Encodes the width, then the codes; width 0 if all are 0. */
export function packColumn(codes: Uint32Array, start: number, stride: number, count: number): Uint8Array[] {
  let max = 0;
  for (let at = 0, from = start; at < count; at += 1, from += stride) if (codes[from]! > max) max = codes[from]!;
  if (max === 0) return [Uint8Array.of(0)];
  const packed = allocateCodes(count, max);
  for (let at = 0, from = start; at < count; at += 1, from += stride) packed[at] = codes[from]!;
  return [Uint8Array.of(codeWidth(max)), bytesOf(packed)];
}

/** Encodes the length in bytes, then the JSON text of a value. */
export function jsonPart(value: unknown): Uint8Array[] {
  const text = encoder.encode(JSON.stringify(value));
  return [u32(text.length), text];
}

export function u32(value: number): Uint8Array {
  return bytesOf(Uint32Array.of(value));
}

export function bytesOf(values: ArrayBufferView): Uint8Array {
  return new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
}

export function concat(parts: readonly Uint8Array[]): Uint8Array {
  let byteLength = 0;
  for (const part of parts) byteLength += part.length;
  const whole = new Uint8Array(byteLength);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
/* eslint-enable @typescript-eslint/no-non-null-assertion */

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
