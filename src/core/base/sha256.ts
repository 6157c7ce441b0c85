/** Round constants of SHA-256: fractional parts of the cube roots of the first 64 primes (FIPS 180-4, 4.2.2). */
const K = new Uint32Array(64);
/** Initial state: fractional parts of the square roots of the first 8 primes (FIPS 180-4, 5.3.3). */
export const INITIAL = new Uint32Array(8);

{
  let count = 0;
  for (let candidate = 2; count < 64; candidate += 1) {
    let prime = true;
    for (let divisor = 2; divisor * divisor <= candidate; divisor += 1) if (candidate % divisor === 0) prime = false;
    if (!prime) continue;
    K[count] = fraction32(Math.cbrt(candidate));
    if (count < 8) INITIAL[count] = fraction32(Math.sqrt(candidate));
    count += 1;
  }
}

function fraction32(value: number): number {
  return Math.floor((value - Math.floor(value)) * 2 ** 32);
}

// Shared by all calls: hashing is synchronous, so no two calls overlap.
const schedule = new Uint32Array(64);

/** From this size on, the platform's hash is faster than ours, at 5 ns a byte. */
export const LARGE_BYTES = 4_096;

let ofLarge: ((bytes: Uint8Array) => Uint8Array) | null = null;

/** Makes `sha256` use the platform's implementation for large inputs from now on. */
export function useSha256(own: (bytes: Uint8Array) => Uint8Array): void {
  ofLarge = own;
}

/** SHA-256 of bytes (FIPS 180-4), 32 bytes. Synchronous, so that the core runs in a browser without promises. */
export function sha256(bytes: Uint8Array): Uint8Array {
  return ofLarge !== null && bytes.length >= LARGE_BYTES ? ofLarge(bytes) : new Sha256().add(bytes).digest();
}

// Shared by all short texts.
const encoder = new TextEncoder();
const shortBlock = new Uint8Array(64);
const shortState = new Uint32Array(8);
/** Bytes of text that fit into one block beside the end mark and the length. */
const SHORT_BYTES = 55;

/** The first 16 bytes of SHA-256 over a text in UTF-8. A text of at most 55 bytes allocates only the result. */
export function sha256Start(text: string): Uint8Array {
  const { read, written } = encoder.encodeInto(text, shortBlock);
  if (read < text.length || written > SHORT_BYTES) return sha256(encoder.encode(text)).slice(0, 16);
  pad(shortBlock, written, 64, written);
  shortState.set(INITIAL);
  compress(shortState, shortBlock, 0);
  return firstBytes(shortState, new Uint8Array(16));
}

/** Ends a message of `totalByteLength` bytes, the last `byteLength` of which begin `bytes`, with the mark and the length in bits (5.1.1). */
export function pad(bytes: Uint8Array, byteLength: number, end: number, totalByteLength: number): void {
  bytes.fill(0, byteLength, end);
  bytes[byteLength] = 0x80;
  for (let at = end - 1, bits = totalByteLength * 8; bits > 0; at -= 1, bits = Math.floor(bits / 256)) bytes[at] = bits & 255;
}

export function firstBytes(state: Uint32Array, into: Uint8Array, byteLength = into.length): Uint8Array {
  for (let at = 0; at < byteLength; at += 1) into[at] = (state[at >>> 2] ?? 0) >>> (24 - (at & 3) * 8);
  return into;
}

export class Sha256 {
  readonly #state = INITIAL.slice();
  /** Bytes that do not fill a block yet. */
  #rest: Uint8Array = new Uint8Array(0);
  #byteLength = 0;

  add(bytes: Uint8Array): this {
    this.#byteLength += bytes.length;
    let from = 0;
    if (this.#rest.length > 0) {
      from = Math.min(64 - this.#rest.length, bytes.length);
      this.#rest = Uint8Array.of(...this.#rest, ...bytes.subarray(0, from));
      if (this.#rest.length < 64) return this;
      compress(this.#state, this.#rest, 0);
    }
    const wholeBlocks = (bytes.length - from) >> 6;
    for (let block = 0; block < wholeBlocks; block += 1) compress(this.#state, bytes, from + (block << 6));
    this.#rest = bytes.slice(from + (wholeBlocks << 6));
    return this;
  }

  /** The 32 bytes; call it once, after the last `add`. */
  digest(): Uint8Array {
    const rest = this.#rest;
    const tail = new Uint8Array(rest.length < 56 ? 64 : 128);
    tail.set(rest);
    pad(tail, rest.length, tail.length, this.#byteLength);
    for (let at = 0; at < tail.length; at += 64) compress(this.#state, tail, at);
    return firstBytes(this.#state, new Uint8Array(32));
  }
}

/* eslint-disable @typescript-eslint/no-non-null-assertion -- indexes below are bounded by the fixed sizes above */
/** Compresses a block of 64 bytes into a state (FIPS 180-4, 6.2.2). */
export function compress(state: Uint32Array, bytes: Uint8Array, offset: number): void {
  const w = schedule;
  for (let i = 0; i < 16; i += 1) {
    const at = offset + i * 4;
    w[i] = (bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!;
  }
  for (let i = 16; i < 64; i += 1) {
    const x = w[i - 15]!;
    const y = w[i - 2]!;
    const s0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3);
    const s1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10);
    w[i] = (w[i - 16]! + s0 + w[i - 7]! + s1) | 0;
  }
  let a = state[0]! | 0;
  let b = state[1]! | 0;
  let c = state[2]! | 0;
  let d = state[3]! | 0;
  let e = state[4]! | 0;
  let f = state[5]! | 0;
  let g = state[6]! | 0;
  let h = state[7]! | 0;
  for (let i = 0; i < 64; i += 1) {
    const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
    const t1 = (h + s1 + ((e & f) ^ (~e & g)) + K[i]! + w[i]!) | 0;
    const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
    const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + t1) | 0;
    d = c;
    c = b;
    b = a;
    a = (t1 + t2) | 0;
  }
  state[0] = state[0]! + a;
  state[1] = state[1]! + b;
  state[2] = state[2]! + c;
  state[3] = state[3]! + d;
  state[4] = state[4]! + e;
  state[5] = state[5]! + f;
  state[6] = state[6]! + g;
  state[7] = state[7]! + h;
}
