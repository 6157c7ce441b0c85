/* eslint-disable @typescript-eslint/no-non-null-assertion -- indexes are bounded by the length */
import { Yielder } from "../../core/base/yield.js";
import { toHex, digestOf } from "../../core/base/hash.js";
import type * as Fflate from "fflate";
import { DaybookError } from "../../core/base/errors.js";
import { onePerProcess } from "../../core/base/one-per-process.js";
import type { Codec, Storage } from "./storage.js";

/** Codecs that are available in other threads. */
export type CodecName = "zlib" | "runs";

// Not a member of the codec: a codec derived from it would inherit the name.
const names = onePerProcess("codec names", () => new WeakMap<Codec, CodecName>());

/** Registers a codec under a name and returns it. Calls may be marked pure: an unused codec needs no name. */
export function named(name: CodecName, codec: Codec): Codec {
  names.set(codec, name);
  return codec;
}

/** The name of a codec in other threads; null if it is not available there. */
export function nameOf(codec: Codec): CodecName | null {
  return names.get(codec) ?? null;
}

export function damagedBlock(expectedByteLength: number, cause?: unknown): DaybookError {
  const message = `a deflated block is damaged: expected ${expectedByteLength} bytes`;
  return new DaybookError("corruption", message, {}, { cause });
}

/** Loaded with the first block: not needed where Node provides the codec. */
let fflate: typeof Fflate | null = null;

function withFflate(act: (loaded: typeof Fflate) => Uint8Array): Uint8Array | Promise<Uint8Array> {
  return fflate === null ? import("fflate").then((loaded) => act((fflate = loaded))) : act(fflate);
}

function inflateBy({ inflateSync }: typeof Fflate, bytes: Uint8Array, byteLength: number): Uint8Array {
  // fflate accepts an empty stream and silently writes past the end of `out`: one spare byte reveals a stream that is too long.
  if (bytes.length === 0) throw damagedBlock(byteLength);
  let inflated: Uint8Array;
  try {
    inflated = inflateSync(bytes, { out: new Uint8Array(byteLength + 1) });
  } catch (error) {
    throw damagedBlock(byteLength, error);
  }
  if (inflated.length !== byteLength) throw damagedBlock(byteLength);
  return inflated;
}

/** Inflates on the calling thread: as the codec does or, if it cannot, in plain JavaScript, which reads what every codec deflated. */
export async function inflaterOf({ inflateNow }: Codec): Promise<NonNullable<Codec["inflateNow"]>> {
  if (inflateNow !== undefined) return inflateNow;
  const loaded = (fflate ??= await import("fflate"));
  return (bytes, byteLength) => inflateBy(loaded, bytes, byteLength);
}

/** Raw deflate, level 1, in plain JavaScript: deflates about 35 MB/s and inflates 90 MB/s on one core. @throws corruption */
export const defaultCodec: Codec = {
  deflate: (bytes) => withFflate(({ deflateSync }) => deflateSync(bytes, { level: 1 })),
  inflate: (bytes, byteLength) => withFflate((loaded) => inflateBy(loaded, bytes, byteLength)),
};

/** For storage in memory, where nothing waits for a disk: deflates only long runs. @throws corruption */
export const memoryCodec: Codec = /* @__PURE__ */ named("runs", { deflate: deflateRuns, inflate: (bytes, byteLength) => defaultCodec.inflate(bytes, byteLength) });

/** Maximum length of a deflate match. */
const MATCH_BYTES = 258;
/** Every run that is worth a match has the same byte at three positions this far apart. */
const STEP_BYTES = 64;
const STORED_BYTES_MAX = 0xffff;
/** Header of a block of fixed Huffman codes (RFC 1951, 3.2.6), least significant bit first. */
const RUN_BLOCK = 0b010;
const LONGEST_MATCH = { bits: 0xa3, bitCount: 13 };
const BLOCK_END_BIT_COUNT = 7;

/** Compresses only long runs of one byte: next to no cost (fflate: 20 ns a byte), readable by any inflate. Longer than `bytes` without runs. */
export function deflateRuns(bytes: Uint8Array): Uint8Array {
  const stream = new DeflateStream(bytes.length);
  let from = 0;
  for (let at = 0; at + 2 * STEP_BYTES < bytes.length; at += STEP_BYTES) {
    const byte = bytes[at]!;
    if (bytes[at + STEP_BYTES] !== byte || bytes[at + 2 * STEP_BYTES] !== byte) continue;
    let start = at;
    while (start > from && bytes[start - 1] === byte) start -= 1;
    let end = at + 1;
    while (end < bytes.length && bytes[end] === byte) end += 1;
    const matchCount = Math.floor((end - start - 1) / MATCH_BYTES);
    if (matchCount > 0) {
      stream.putStored(bytes.subarray(from, start), false);
      stream.putRun(byte, matchCount);
      from = start + 1 + matchCount * MATCH_BYTES;
    }
    at = Math.max(at, end - STEP_BYTES);
  }
  stream.putStored(bytes.subarray(from), true);
  return stream.bytes();
}

class DeflateStream {
  readonly #bytes: Uint8Array;
  #byteLength = 0;
  #bits = 0;
  #bitCount = 0;

  constructor(rawByteLength: number) {
    // A run saves more than its block and the header of the next block cost.
    const headerCount = Math.ceil(rawByteLength / STORED_BYTES_MAX) + 1;
    this.#bytes = new Uint8Array(rawByteLength + 5 * headerCount);
  }

  /** Stores bytes uncompressed. @param isLast ends the stream */
  putStored(bytes: Uint8Array, isLast: boolean): void {
    if (bytes.length === 0 && !isLast) return;
    let from = 0;
    do {
      const part = bytes.subarray(from, from + STORED_BYTES_MAX);
      from += part.length;
      this.#put(isLast && from === bytes.length ? 1 : 0, 3);
      this.#align();
      this.#put(part.length, 16);
      this.#put(part.length ^ 0xffff, 16);
      this.#bytes.set(part, this.#byteLength);
      this.#byteLength += part.length;
    } while (from < bytes.length);
  }

  /** Writes a byte, then `matchCount` matches of maximum length. */
  putRun(byte: number, matchCount: number): void {
    this.#put(RUN_BLOCK, 3);
    if (byte < 144) this.#put(reversed(0x30 + byte, 8), 8);
    else this.#put(reversed(0x190 + byte - 144, 9), 9);
    for (let match = 0; match < matchCount; match += 1) this.#put(LONGEST_MATCH.bits, LONGEST_MATCH.bitCount);
    this.#put(0, BLOCK_END_BIT_COUNT);
  }

  bytes(): Uint8Array {
    this.#align();
    return this.#bytes.slice(0, this.#byteLength);
  }

  #put(bits: number, bitCount: number): void {
    this.#bits |= bits << this.#bitCount;
    this.#bitCount += bitCount;
    for (; this.#bitCount >= 8; this.#bitCount -= 8) {
      this.#bytes[this.#byteLength] = this.#bits & 255;
      this.#byteLength += 1;
      this.#bits >>>= 8;
    }
  }

  #align(): void {
    if (this.#bitCount > 0) this.#put(0, 8 - this.#bitCount);
  }
}

/** Reverses the bits of a code: deflate writes codes most significant bit first. */
function reversed(code: number, bitCount: number): number {
  let bits = 0;
  for (let bit = 0; bit < bitCount; bit += 1) bits |= ((code >>> bit) & 1) << (bitCount - 1 - bit);
  return bits;
}

export function codecOf(storage: Storage): Codec {
  return storage.codec ?? defaultCodec;
}

/** SHA-256 in hex; yields while hashing, or hashes in another thread. */
export async function sha256Of(codec: Pick<Codec, "createSha256">, bytes: Uint8Array, yielder = new Yielder()): Promise<string> {
  const hash = codec.createSha256?.();
  if (hash === undefined) return toHex(await digestOf(bytes));
  await yielder.inPieces(bytes.length, (from, to) => hash.add(bytes.subarray(from, to)));
  return toHex(hash.digest());
}
