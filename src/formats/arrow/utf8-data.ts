import { Utf8, makeData, type Data } from "apache-arrow";

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
