/* eslint-disable @typescript-eslint/no-non-null-assertion -- indexes are bounded by the row count */
import { allocateCodes, codesOfBytes, codeWidth } from "../../storage/column/codes.js";

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
