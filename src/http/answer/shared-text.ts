import { etagOfBytes } from "./etag.js";

/** A text that everybody gets: its bytes and its tag are made once, and all answers on all threads share them. */
export class SharedText {
  readonly bytes: Uint8Array;
  readonly etag: Promise<string>;

  constructor(text: string) {
    const own = new TextEncoder().encode(text);
    this.bytes = sharedBytes(own);
    this.etag = etagOfBytes(own);
  }
}

/** Bytes that threads share, where the platform has such memory. */
export function sharedBytes(bytes: Uint8Array): Uint8Array {
  if (typeof SharedArrayBuffer !== "function") return bytes;
  const shared = new Uint8Array(new SharedArrayBuffer(bytes.length));
  shared.set(bytes);
  return shared;
}
