import { etagOfBytes } from "./etag.js";

/** A text that is the same for all callers: its bytes and its tag are computed once, and shared by all answers on all threads. */
export class SharedText {
  readonly bytes: Uint8Array;
  readonly etag: Promise<string>;

  constructor(text: string) {
    const own = new TextEncoder().encode(text);
    this.bytes = sharedBytes(own);
    this.etag = etagOfBytes(own);
  }
}

/** Copies bytes to memory that threads share, if the platform has such memory. */
export function sharedBytes(bytes: Uint8Array): Uint8Array {
  if (typeof SharedArrayBuffer !== "function") return bytes;
  const shared = new Uint8Array(new SharedArrayBuffer(bytes.length));
  shared.set(bytes);
  return shared;
}
