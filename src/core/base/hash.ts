import { LARGE_BYTES, Sha256, sha256, sha256Start, INITIAL, compress, firstBytes, pad } from "./sha256.js";

export { crc32, useCrc32 } from "./crc32.js";
export { Sha256, sha256, useSha256 } from "./sha256.js";

const encoder = new TextEncoder();

/** HMAC-SHA-256 (RFC 2104), 32 bytes. */
export function hmacSha256(key: Uint8Array, bytes: Uint8Array): Uint8Array {
  const block = keyBlock(key);
  const inner = new Sha256().add(block.map((byte) => byte ^ INNER_PAD)).add(bytes);
  return new Sha256().add(block.map((byte) => byte ^ OUTER_PAD)).add(inner.digest()).digest();
}

const BLOCK_BYTES = 64;
const INNER_PAD = 0x36;
const OUTER_PAD = 0x5c;

function keyBlock(key: Uint8Array): Uint8Array {
  const block = new Uint8Array(BLOCK_BYTES);
  block.set(key.length > BLOCK_BYTES ? sha256(key) : key);
  return block;
}

export const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

/** Lower-case hex of bytes. */
export function toHex(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += 1) text += HEX[bytes[at] ?? 0] ?? "";
  return text;
}

/** Lower-case hex of SHA-256 over a text in UTF-8. */
export function sha256Hex(text: string): string {
  return toHex(sha256(encoder.encode(text)));
}

/** The first 16 bytes of SHA-256 over `kind`, a zero byte and `value` in UTF-8. */
export function hash128(kind: string, value: string): Uint8Array {
  return sha256Start(`${kind}\0${value}`);
}

/** SHA-256 of bytes, 32 bytes: large inputs use the platform's hash on its own thread if it has one; others use ours, at 5 ns a byte. */
export function digestOf(bytes: Uint8Array): Uint8Array | Promise<Uint8Array> {
  // Old runtimes do not declare it, and pages served over http have no `subtle`.
  const { crypto } = globalThis as { crypto?: { subtle?: SubtleCrypto } };
  if (bytes.length < LARGE_BYTES || crypto?.subtle === undefined) return sha256(bytes);
  return crypto.subtle.digest("SHA-256", bytes as Uint8Array<ArrayBuffer>).then((digest) => new Uint8Array(digest));
}

const DIGEST_BYTES = 32;

/** HMAC-SHA-256 (RFC 2104) of texts under one key, which is hashed once: a short text costs two to four blocks instead of four to six. */
export class KeyedHash {
  readonly #inner: Uint32Array;
  readonly #outer: Uint32Array;
  readonly #state = new Uint32Array(8);
  /** The hash input: a padded text, then the padded inner hash. */
  #bytes = new Uint8Array(8 * BLOCK_BYTES);

  constructor(key: Uint8Array) {
    const block = keyBlock(key);
    this.#inner = stateAfter(block, INNER_PAD);
    this.#outer = stateAfter(block, OUTER_PAD);
  }

  /** The first `byteLength` of the 32 bytes of the HMAC. */
  start(text: string, byteLength: number): Uint8Array {
    const bytesMax = text.length * 3 + 2 * BLOCK_BYTES;
    if (bytesMax > this.#bytes.length) this.#bytes = new Uint8Array(bytesMax);
    this.#hash(this.#inner, encoder.encodeInto(text, this.#bytes).written);
    firstBytes(this.#state, this.#bytes, DIGEST_BYTES);
    this.#hash(this.#outer, DIGEST_BYTES);
    const start = firstBytes(this.#state, new Uint8Array(byteLength));
    // The text may be personal, such as an address: leave no copy.
    this.#bytes.fill(0);
    return start;
  }

  /** Hashes the first bytes of the input, following one block of the key. */
  #hash(from: Uint32Array, byteLength: number): void {
    const [state, bytes] = [this.#state, this.#bytes];
    const end = Math.ceil((byteLength + 9) / BLOCK_BYTES) * BLOCK_BYTES;
    pad(bytes, byteLength, end, BLOCK_BYTES + byteLength);
    state.set(from);
    for (let at = 0; at < end; at += BLOCK_BYTES) compress(state, bytes, at);
  }
}

function stateAfter(key: Uint8Array, pad: number): Uint32Array {
  const state = INITIAL.slice();
  compress(state, key.map((byte) => byte ^ pad), 0);
  return state;
}
