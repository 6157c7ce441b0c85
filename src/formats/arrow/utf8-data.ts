import { Bool, Float64, Utf8, makeData, type Data } from "apache-arrow";
import type { Codes } from "../../storage/column/codes.js";

const encoder = new TextEncoder();

/** Converts texts to an Arrow Utf8 array; null is not set. Cost: encodes each text once. */
export function utf8Data(texts: readonly (string | null)[]): Data<Utf8> {
  const valueOffsets = new Int32Array(texts.length + 1);
  const validity = new Validity(texts.length);
  let data = new Uint8Array(1024);
  let end = 0;
  for (let at = 0; at < texts.length; at += 1) {
    const text = texts[at] ?? null;
    if (text !== null) {
      validity.set(at);
      const needed = end + text.length * 3;
      if (needed > data.length) data = longer(data, needed);
      end += encoder.encodeInto(text, data.subarray(end)).written;
    }
    valueOffsets[at + 1] = end;
  }
  const { nullBitmap, nullCount } = validity.done();
  return makeData({ type: new Utf8(), length: texts.length, nullCount, nullBitmap, valueOffsets, data: data.subarray(0, end) });
}

function longer(data: Uint8Array, byteLength: number): Uint8Array<ArrayBuffer> {
  const grown = new Uint8Array(Math.max(byteLength, data.length * 2));
  grown.set(data);
  return grown;
}

/** Records which entries of an Arrow array are set. */
export class Validity {
  readonly bits: Uint8Array;
  #setCount = 0;

  constructor(readonly length: number) {
    this.bits = new Uint8Array((length + 7) >>> 3);
  }

  /** Must be called at most once per entry. */
  set(at: number): void {
    this.bits[at >>> 3] = (this.bits[at >>> 3] ?? 0) | (1 << (at & 7));
    this.#setCount += 1;
  }

  /** The bitmap is null if every entry is set. */
  done(): { readonly nullBitmap: Uint8Array | null; readonly nullCount: number } {
    const nullCount = this.length - this.#setCount;
    return { nullBitmap: nullCount === 0 ? null : this.bits, nullCount };
  }
}

/** Which codes are set: all but 0. */
export function validityOf(codes: Codes): Validity {
  const validity = new Validity(codes.length);
  for (let at = 0; at < codes.length; at += 1) if (codes[at] !== 0) validity.set(at);
  return validity;
}

export function flagData(codes: Codes, trueCode: number): Data<Bool> {
  const flags = new Validity(codes.length);
  for (let at = 0; at < codes.length; at += 1) if (codes[at] === trueCode) flags.set(at);
  return makeData({ type: new Bool(), length: codes.length, nullCount: 0, data: flags.bits });
}

export function numberData(codes: Codes, valueOf: (code: number) => number): Data<Float64> {
  const values = new Float64Array(codes.length);
  for (let at = 0; at < codes.length; at += 1) if (codes[at] !== 0) values[at] = valueOf(codes[at] as number);
  return makeData({ type: new Float64(), length: codes.length, ...validityOf(codes).done(), data: values });
}
