/* eslint-disable @typescript-eslint/no-non-null-assertion -- indexes are bounded by the row count */
import { allocateCodes, codesOfBytes, codeWidth } from "../column/codes.js";
import type { DictionaryDelta } from "../column/dictionaries.js";
import { FIELD_COUNT } from "../schema/fields.js";
import type { Batch } from "./batch.js";

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true });

/**
 * The payload of a journal frame: new dictionary values as JSON, then the rows column by column, each as narrow as its
 * largest code allows. About 60 bytes a row.
 */
export function encodeBatch(deltas: readonly DictionaryDelta[], batch: Batch): Uint8Array {
  const text = encoder.encode(JSON.stringify(deltas.map((delta) => [delta.name, delta.start, delta.values])));
  const { rowCount, times, ids, codes, shapes, values } = batch;
  const parts: Uint8Array[] = [u32(text.length), text, u32(rowCount), bytesOf(times), ids];
  for (let field = 0; field < FIELD_COUNT; field += 1) parts.push(...packColumn(codes, field, FIELD_COUNT, rowCount));
  parts.push(...packColumn(shapes, 0, 1, rowCount), u32(values.length), ...packColumn(values, 0, 1, values.length));
  return concat(parts);
}

/** Reads what `encodeBatch` wrote; the frame's checksum has been checked. */
export function decodeBatch(payload: Uint8Array): { deltas: DictionaryDelta[]; batch: Batch } {
  const reader = new PayloadReader(payload);
  const text = decoder.decode(reader.take(reader.u32()));
  const deltas = (JSON.parse(text) as [string, number, string[]][]).map(([name, start, values]) => ({ name, start, values }));
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

  take(byteLength: number): Uint8Array {
    this.#at += byteLength;
    return this.payload.subarray(this.#at - byteLength, this.#at);
  }

  column(count: number, into: Uint32Array, start: number, stride: number): void {
    const width = this.payload[this.#at]!;
    this.#at += 1;
    if (width === 0) return;
    const packed = codesOfBytes(this.take(count * width), width);
    for (let at = 0, to = start; at < count; at += 1, to += stride) into[to] = packed[at]!;
  }
}

/** Width, then the codes; width 0 where all are 0. */
function packColumn(codes: Uint32Array, start: number, stride: number, count: number): Uint8Array[] {
  let max = 0;
  for (let at = 0, from = start; at < count; at += 1, from += stride) if (codes[from]! > max) max = codes[from]!;
  if (max === 0) return [Uint8Array.of(0)];
  const packed = allocateCodes(count, max);
  for (let at = 0, from = start; at < count; at += 1, from += stride) packed[at] = codes[from]!;
  return [Uint8Array.of(codeWidth(max)), bytesOf(packed)];
}

function u32(value: number): Uint8Array {
  return bytesOf(Uint32Array.of(value));
}

function bytesOf(values: ArrayBufferView): Uint8Array {
  return new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
}

function concat(parts: readonly Uint8Array[]): Uint8Array {
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
