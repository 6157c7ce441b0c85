import { sha256, INITIAL, compress } from "./sha256.js";

const BLOCK_BYTES = 64;
const DIGEST_BYTES = 32;
const encoder = new TextEncoder();

/** HMAC-SHA-256 (RFC 2104) of texts under one key, which is hashed once: a short text costs two to four blocks instead of four to six. */
export class KeyedHash {
  readonly #inner: Uint32Array;
  readonly #outer: Uint32Array;
  readonly #state = new Uint32Array(8);
  /** The hash input: a padded text, then the padded inner hash. */
  #bytes = new Uint8Array(8 * BLOCK_BYTES);

  constructor(key: Uint8Array) {
    const block = new Uint8Array(BLOCK_BYTES);
    block.set(key.length > BLOCK_BYTES ? sha256(key) : key);
    this.#inner = stateAfter(block, 0x36);
    this.#outer = stateAfter(block, 0x5c);
  }

  /** The first `byteLength` of the 32 bytes of the HMAC. */
  start(text: string, byteLength: number): Uint8Array {
    const bytesMax = text.length * 3 + 2 * BLOCK_BYTES;
    if (bytesMax > this.#bytes.length) this.#bytes = new Uint8Array(bytesMax);
    this.#hash(this.#inner, encoder.encodeInto(text, this.#bytes).written);
    this.#writeState(DIGEST_BYTES, this.#bytes);
    this.#hash(this.#outer, DIGEST_BYTES);
    const start = new Uint8Array(byteLength);
    this.#writeState(byteLength, start);
    // The text may be personal, such as an address: leave no copy.
    this.#bytes.fill(0);
    return start;
  }

  /** Hashes the first bytes of the input, following one block of the key. */
  #hash(from: Uint32Array, byteLength: number): void {
    const [state, bytes] = [this.#state, this.#bytes];
    const end = Math.ceil((byteLength + 9) / BLOCK_BYTES) * BLOCK_BYTES;
    bytes.fill(0, byteLength, end);
    bytes[byteLength] = 0x80;
    const bitLength = (BLOCK_BYTES + byteLength) * 8;
    for (let at = 1; at <= 4; at += 1) bytes[end - at] = bitLength >>> (8 * (at - 1));
    state.set(from);
    for (let at = 0; at < end; at += BLOCK_BYTES) compress(state, bytes, at);
  }

  #writeState(byteLength: number, into: Uint8Array): void {
    for (let at = 0; at < byteLength; at += 1) into[at] = (this.#state[at >>> 2] ?? 0) >>> (24 - (at & 3) * 8);
  }
}

function stateAfter(key: Uint8Array, pad: number): Uint32Array {
  const state = INITIAL.slice();
  compress(state, key.map((byte) => byte ^ pad), 0);
  return state;
}
