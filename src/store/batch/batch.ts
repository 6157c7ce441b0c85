/* eslint-disable @typescript-eslint/no-non-null-assertion -- rows are bounded by their batch */
import { concatBytes, grown } from "../../core/base/arrays.js";
import { DaybookError } from "../../core/base/errors.js";
import { dayOf } from "../../core/base/time.js";
import { FIELD_COUNT } from "../../core/schema/fields.js";
import { type RecordColumns, RECORD_FIELD_COUNT } from "../../identity/record-table.js";
import { allocateCodes, codesOfBytes, codeWidth } from "../../storage/column/codes.js";
import type { DictionaryDelta } from "../../storage/column/dictionaries.js";
import { toDeltas, toPlanes } from "../../storage/segment/byte-planes.js";
import type { ArrivedRows } from "../../storage/segment/head.js";
import { decodeDeltas } from "../../storage/segment/segment-file.js";

/** Accepted events as dictionary codes, in order of arrival, as the journal stores and heads append them. */
export interface Batch extends ArrivedRows {
  readonly rowCount: number;
}

const START_ROW_COUNT = 1_024;

/** Collects rows for one batch; its arrays are reused for later batches. */
export class BatchBuilder {
  rowCount = 0;
  valueCount = 0;
  times = new Float64Array(START_ROW_COUNT);
  ids = new Uint8Array(START_ROW_COUNT * 16);
  codes = Array.from({ length: FIELD_COUNT }, () => new Uint32Array(START_ROW_COUNT));
  shapes = new Uint32Array(START_ROW_COUNT);
  values = new Uint32Array(4_096);

  clear(): void {
    this.rowCount = 0;
    this.valueCount = 0;
  }

  /** Makes room for more rows; the caller then fills them and increases the count. */
  reserve(rowCount: number): void {
    while (this.rowCount + rowCount > this.times.length) {
      const capacity = this.times.length * 2;
      this.times = grown(this.times, capacity);
      this.ids = grown(this.ids, capacity * 16);
      this.codes = this.codes.map((codes) => grown(codes, capacity));
      this.shapes = grown(this.shapes, capacity);
    }
  }

  pushValue(code: number): void {
    if (this.valueCount === this.values.length) this.values = grown(this.values, this.values.length * 2);
    this.values[this.valueCount] = code;
    this.valueCount += 1;
  }

  /** The rows so far, as views that are valid until the builder is filled again. */
  batch(): Batch {
    const { rowCount } = this;
    return {
      rowCount,
      times: this.times.subarray(0, rowCount),
      ids: this.ids.subarray(0, rowCount * 16),
      codes: this.codes.map((codes) => codes.subarray(0, rowCount)),
      shapes: this.shapes.subarray(0, rowCount),
      values: this.values.subarray(0, this.valueCount),
    };
  }
}

/** Ids that records name and no event has used yet, as codes of their dictionaries. */
export interface RecordOnlyIds {
  readonly userId: readonly number[];
  readonly anonymousId: readonly number[];
  readonly companyId: readonly number[];
}

export const NO_RECORD_ONLY_IDS: RecordOnlyIds = { userId: [], anonymousId: [], companyId: [] };

/** Number of listed codes. Without new records codes only leave the lists, so an equal number means equal lists. */
export function countRecordOnlyIds({ userId, anonymousId, companyId }: RecordOnlyIds): number {
  return userId.length + anonymousId.length + companyId.length;
}

export interface RecordBatch {
  readonly records: RecordColumns;
  readonly recordOnlyIds: RecordOnlyIds;
}

/**
 * By day, then in order of arrival; `places` has the former indexes. Returns the batch itself if its days are contiguous already.
 * Heads append hundreds of rows at a tenth of the cost of single ones.
 */
export function byDay(batch: Batch, keysOf: (shape: number) => readonly number[]): Batch {
  const days = daysOf(batch);
  const starts = startsOf(days);
  if (starts === null) return batch;
  const { rowCount } = batch;
  const places = new Uint32Array(rowCount);
  for (let row = 0; row < rowCount; row += 1) {
    const at = starts.get(days[row]!)!;
    places[at] = row;
    starts.set(days[row]!, at + 1);
  }
  return { rowCount, places, ...moved(batch, places, keysOf) };
}

function daysOf({ times, rowCount }: Batch): Int32Array {
  const days = new Int32Array(rowCount);
  for (let row = 0; row < rowCount; row += 1) days[row] = dayOf(times[row]!);
  return days;
}

/** Start index of each day's rows; null if the rows of each day are contiguous. */
function startsOf(days: Int32Array): Map<number, number> | null {
  const counts = new Map<number, number>();
  let runCount = 0;
  for (let from = 0, to = 0; from < days.length; from = to, runCount += 1) {
    while (to < days.length && days[to] === days[from]) to += 1;
    counts.set(days[from]!, (counts.get(days[from]!) ?? 0) + to - from);
  }
  if (runCount === counts.size) return null;
  let start = 0;
  for (const [day, count] of counts) {
    counts.set(day, start);
    start += count;
  }
  return counts;
}

function moved(batch: Batch, places: Uint32Array, keysOf: (shape: number) => readonly number[]): Omit<Batch, "rowCount"> {
  const rowCount = places.length;
  const times = new Float64Array(rowCount);
  const ids = new Uint8Array(rowCount * 16);
  const codes = batch.codes.map((from) => {
    const into = new Uint32Array(rowCount);
    for (let row = 0; row < rowCount; row += 1) into[row] = from[places[row]!]!;
    return into;
  });
  const shapes = new Uint32Array(rowCount);
  const values = new Uint32Array(batch.values.length);
  const valuesAt = valueStarts(batch, keysOf);
  let next = 0;
  for (let row = 0; row < rowCount; row += 1) {
    const place = places[row]!;
    times[row] = batch.times[place]!;
    shapes[row] = batch.shapes[place]!;
    for (let at = 0; at < 16; at += 1) ids[row * 16 + at] = batch.ids[place * 16 + at]!;
    for (let at = valuesAt[place]!; at < valuesAt[place + 1]!; at += 1, next += 1) values[next] = batch.values[at]!;
  }
  return { times, ids, codes, shapes, values };
}

/** Start index of each row's metadata values, and the end of the last row's. */
function valueStarts({ shapes, rowCount }: Batch, keysOf: (shape: number) => readonly number[]): Uint32Array {
  const starts = new Uint32Array(rowCount + 1);
  for (let row = 0; row < rowCount; row += 1) starts[row + 1] = starts[row]! + keysOf(shapes[row]!).length;
  return starts;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true });

/** Reads a payload part by part; the caller has checked its checksum. */
class PayloadReader {
  #at = 0;
  readonly #view: DataView;

  constructor(readonly payload: Uint8Array) {
    this.#view = new DataView(payload.buffer, payload.byteOffset, payload.byteLength);
  }

  u32(): number {
    this.#at += 4;
    return this.#view.getUint32(this.#at - 4, true);
  }

  json(): unknown {
    return JSON.parse(decoder.decode(this.take(this.u32())));
  }

  take(byteLength: number): Uint8Array {
    this.#at += byteLength;
    return this.payload.subarray(this.#at - byteLength, this.#at);
  }

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
function packColumn(codes: Uint32Array, start: number, stride: number, count: number): Uint8Array[] {
  let max = 0;
  for (let at = 0, from = start; at < count; at += 1, from += stride) if (codes[from]! > max) max = codes[from]!;
  if (max === 0) return [Uint8Array.of(0)];
  const packed = allocateCodes(count, max);
  for (let at = 0, from = start; at < count; at += 1, from += stride) packed[at] = codes[from]!;
  return [Uint8Array.of(codeWidth(max)), bytesOf(packed)];
}

/** Encodes the length in bytes, then the JSON text of a value. */
function jsonPart(value: unknown): Uint8Array[] {
  const text = encoder.encode(JSON.stringify(value));
  return [u32(text.length), text];
}

export function u32(value: number): Uint8Array {
  return bytesOf(Uint32Array.of(value));
}

export function bytesOf(values: ArrayBufferView): Uint8Array {
  return new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
}

/** New dictionary values as JSON, then the rows column by column, each as narrow as its largest code allows. About 53 bytes per row. */
export function encodeBatch(deltas: readonly DictionaryDelta[], batch: Batch): Uint8Array {
  const { rowCount, times, ids, codes, shapes, values } = batch;
  const parts: Uint8Array[] = [...deltasPart(deltas), u32(rowCount), bytesOf(times), ids];
  for (const column of codes) parts.push(...packColumn(column, 0, 1, rowCount));
  parts.push(...packColumn(shapes, 0, 1, rowCount), u32(values.length), ...packColumn(values, 0, 1, values.length));
  return concatBytes(parts);
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

function deltasPart(deltas: readonly DictionaryDelta[]): Uint8Array[] {
  return jsonPart(deltas.map((delta) => [delta.name, delta.start, delta.values]));
}

function readDeltas(reader: PayloadReader): DictionaryDelta[] {
  return (reader.json() as [string, number, string[]][]).map(([name, start, values]) => ({ name, start, values }));
}

/** New values and codes of record-only ids as JSON, then records by column, about 40 bytes each; the frame's header has their first sequence. */
export function encodeRecords(deltas: readonly DictionaryDelta[], { records, recordOnlyIds }: RecordBatch): Uint8Array {
  const { rowCount, kinds, times, ids, codes } = records;
  const parts: Uint8Array[] = [...deltasPart(deltas), ...jsonPart(recordOnlyIds), u32(rowCount), kinds, bytesOf(times), ids];
  for (let field = 0; field < RECORD_FIELD_COUNT; field += 1) parts.push(...packColumn(codes, field, RECORD_FIELD_COUNT, rowCount));
  return concatBytes(parts);
}

/** Decodes a payload of `encodeRecords`; the caller has checked its checksum. */
export function decodeRecords(payload: Uint8Array, firstSequence: number): { deltas: DictionaryDelta[]; batch: RecordBatch } {
  const { deltas, batch } = readRecords(new PayloadReader(payload));
  numberRecords(batch, firstSequence);
  return { deltas, batch };
}

/** Encodes identity records for a file: as for a frame, then their sequences. */
export async function encodeRecordsFile(batch: RecordBatch): Promise<Uint8Array> {
  return concatBytes([encodeRecords([], batch), await toPlanes(await toDeltas(batch.records.sequences))]);
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

export function numberRecords({ records: { sequences } }: RecordBatch, firstSequence: number): void {
  for (let row = 0; row < sequences.length; row += 1) sequences[row] = firstSequence + row;
}

function readRecords(reader: PayloadReader): { deltas: DictionaryDelta[]; batch: RecordBatch } {
  const deltas = readDeltas(reader);
  const recordOnlyIds = reader.json() as RecordOnlyIds;
  const rowCount = reader.u32();
  const kinds = reader.take(rowCount).slice();
  const times = new Float64Array(reader.take(rowCount * 8).slice().buffer);
  const ids = reader.take(rowCount * 16).slice();
  const codes = new Uint32Array(rowCount * RECORD_FIELD_COUNT);
  for (let field = 0; field < RECORD_FIELD_COUNT; field += 1) reader.column(rowCount, codes, field, RECORD_FIELD_COUNT);
  return { deltas, batch: { records: { rowCount, kinds, times, ids, sequences: new Uint32Array(rowCount), codes }, recordOnlyIds } };
}
