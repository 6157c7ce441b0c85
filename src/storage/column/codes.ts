/* eslint-disable @typescript-eslint/no-non-null-assertion -- indexes are bounded by the counts */
import type { NumberMemory } from "../../core/base/scratch.js";

/** Dictionary codes of rows, as narrow as the largest code allows. Also the index buffer of an Arrow dictionary column. */
export type Codes = Uint8Array | Uint16Array | Uint32Array;

/** Bytes per code, for codes up to `maxCode`. */
export function codeWidth(maxCode: number): 1 | 2 | 4 {
  return maxCode < 0x100 ? 1 : maxCode < 0x10000 ? 2 : 4;
}

export function allocateCodes(count: number, maxCode: number): Codes {
  const width = codeWidth(maxCode);
  return width === 1 ? new Uint8Array(count) : width === 2 ? new Uint16Array(count) : new Uint32Array(count);
}

export function narrowCodes(codes: Uint32Array, max = maxOf(codes)): Codes {
  const narrow = allocateCodes(codes.length, max);
  narrow.set(codes);
  return narrow;
}

/** In four bytes each: a loop over all three widths takes several times as long. @param scratch memory of the copy; null: it stays valid */
export function wideCodes(codes: Codes, scratch: NumberMemory | null = null): Uint32Array {
  if (codes instanceof Uint32Array) return codes;
  if (scratch === null) return new Uint32Array(codes);
  const wide = scratch.take(codes.length);
  wide.set(codes);
  return wide;
}

/** The largest code; 0 if there are none. */
export function maxOf(codes: Uint32Array): number {
  let max = 0;
  for (let at = 0; at < codes.length; at += 1) if (codes[at]! > max) max = codes[at]!;
  return max;
}

/** Views bytes as codes of the given width, without a copy if the alignment allows. */
export function codesOfBytes(bytes: Uint8Array, width: number): Codes {
  // A `Buffer` is no array of codes: loops that meet both kinds are slow.
  if (width === 1) return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  // Not `slice`: on a `Buffer` it returns a view of the same memory.
  const aligned = bytes.byteOffset % width === 0 ? bytes : new Uint8Array(bytes);
  return width === 2
    ? new Uint16Array(aligned.buffer, aligned.byteOffset, aligned.byteLength / 2)
    : new Uint32Array(aligned.buffer, aligned.byteOffset, aligned.byteLength / 4);
}

/** Codes that grow at the end, in number and in width. Views taken earlier stay as they were. */
export class GrowableCodes {
  #codes: Codes = new Uint8Array(64);
  #limit = 0x100;
  #count = 0;
  #max = 0;

  get count(): number {
    return this.#count;
  }

  get max(): number {
    return this.#max;
  }

  get byteLength(): number {
    return this.#codes.byteLength;
  }

  push(code: number): void {
    if (code >= this.#limit || this.#count === this.#codes.length) this.#grow(code, this.#count + 1);
    this.#codes[this.#count] = code;
    this.#count += 1;
    if (code > this.#max) this.#max = code;
  }

  pushAll(codes: Uint32Array, from: number, count: number): void {
    const end = from + count;
    let max = 0;
    for (let at = from; at < end; at += 1) if (codes[at]! > max) max = codes[at]!;
    if (max >= this.#limit || this.#count + count > this.#codes.length) this.#grow(max, this.#count + count);
    // Slots beyond the last code are already 0.
    if (max > 0) this.#codes.set(codes.subarray(from, end), this.#count);
    this.#count += count;
    if (max > this.#max) this.#max = max;
  }

  /** The codes so far, without a copy: codes pushed later lie beyond its end. */
  view(): Codes {
    return this.#codes.subarray(0, this.#count);
  }

  #grow(code: number, count: number): void {
    let capacity = this.#codes.length;
    while (capacity < count) capacity *= 2;
    const next = allocateCodes(capacity, Math.max(code, this.#limit - 1));
    next.set(this.#codes.subarray(0, this.#count));
    this.#codes = next;
    this.#limit = next.BYTES_PER_ELEMENT === 4 ? Infinity : 2 ** (8 * next.BYTES_PER_ELEMENT);
  }
}
