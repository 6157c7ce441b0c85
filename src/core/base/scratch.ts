/* eslint-disable @typescript-eslint/no-non-null-assertion -- indexes are bounded by their lists */
import { inPieces } from "./yield.js";

/** Shorter arrays are not pooled: the runtime reuses their memory. */
const KEPT_COUNT_MIN = 4 * 1024;
/** Limits of the pool, in bytes and in arrays. */
const KEPT_BYTES_MAX = 96 * 1024 * 1024;
const KEPT_ARRAYS_MAX = 64;

const kept: Uint32Array[] = [];
let keptByteLength = 0;

/**
 * Memory for so many bytes that are read. Its owner uses it again some time after the read has settled: a storage must not keep it, share it with
 * another read, or write to it later.
 */
export type Allocate = (byteLength: number) => Uint8Array;

/** What reads numbers into memory of its caller takes it from here. */
export interface NumberMemory {
  /** Returns `count` numbers of any value. */
  take(count: number): Uint32Array;
  /** Calls `act` once this memory is released. */
  whenReleased(act: () => void): void;
}

/** Pooled memory for what queries count, read and decode: the first use of new memory takes up to 5 ms a megabyte, as long as many queries take. */
export class Scratch implements NumberMemory {
  readonly #taken: Uint32Array[] = [];
  readonly #whenReleased: (() => void)[] = [];

  /** Calls `use`, then releases what it took: its result must not refer to that memory. */
  static async of<T>(use: (scratch: Scratch) => Promise<T>): Promise<T> {
    const scratch = new Scratch();
    try {
      return await use(scratch);
    } finally {
      scratch.releaseAll();
    }
  }

  static atOnce<T>(use: (scratch: Scratch) => T): T {
    const scratch = new Scratch();
    try {
      return use(scratch);
    } finally {
      scratch.releaseAll();
    }
  }

  /** Returns `count` numbers of any value. */
  take(count: number): Uint32Array {
    return this.#kept(count) ?? this.#made(count);
  }

  /** Returns `count` bytes of any value. */
  takeBytes(count: number): Uint8Array {
    return new Uint8Array(this.take(Math.ceil(count / 4)).buffer, 0, count);
  }

  whenReleased(act: () => void): void {
    this.#whenReleased.push(act);
  }

  /** Like `take`, for writes in any order: touches new memory in chunks, because the first writes would block for all of that time. */
  async takeTouched(count: number, pause: () => Promise<void>): Promise<Uint32Array> {
    const kept = this.#kept(count);
    if (kept !== null) return kept;
    const made = this.#made(count);
    await inPieces(count, pause, (from, to) => made.fill(0, from, to));
    return made;
  }

  /** Returns `count` numbers of 64 bits, of any value. */
  takeFloats(count: number): Float64Array {
    return new Float64Array(this.take(count * 2).buffer, 0, count);
  }

  /** Releases numbers before the end; they must not be read afterwards. */
  release(numbers: Uint32Array): void {
    const at = this.#taken.findIndex(({ buffer }) => buffer === numbers.buffer);
    for (const taken of at < 0 ? [] : this.#taken.splice(at, 1)) keep(taken);
  }

  /** Releases everything, for callers with several scratches that end at different times. */
  releaseAll(): void {
    for (const numbers of this.#taken.splice(0)) keep(numbers);
    for (const act of this.#whenReleased.splice(0)) act();
  }

  takeZeros(count: number): Uint32Array {
    return this.take(count).fill(0);
  }

  /** Like `takeZeros`, in chunks: the first use of much memory takes long. */
  async zerosYielding(count: number, pause: () => Promise<void>): Promise<Uint32Array> {
    const zeros = this.take(count);
    await inPieces(count, pause, (from, to) => zeros.fill(0, from, to));
    return zeros;
  }

  /** Pooled numbers, at least `count`; null if there are none. */
  #kept(count: number): Uint32Array | null {
    const numbers = count < KEPT_COUNT_MIN ? null : fitting(count);
    return numbers === null ? null : this.#lent(numbers, count);
  }

  #made(count: number): Uint32Array {
    if (count < KEPT_COUNT_MIN) return new Uint32Array(count);
    return this.#lent(new Uint32Array(Math.ceil(count / KEPT_COUNT_MIN) * KEPT_COUNT_MIN), count);
  }

  #lent(numbers: Uint32Array, count: number): Uint32Array {
    this.#taken.push(numbers);
    return numbers.subarray(0, count);
  }
}

function fitting(count: number): Uint32Array | null {
  let best = -1;
  for (const [at, { length }] of kept.entries()) if (length >= count && (best < 0 || length < kept[best]!.length)) best = at;
  if (best < 0) return null;
  const [numbers] = kept.splice(best, 1);
  keptByteLength -= numbers!.byteLength;
  return numbers!;
}

/** Evicts the shortest arrays first: queries that need much memory gain most. */
function keep(numbers: Uint32Array): void {
  if (numbers.byteLength > KEPT_BYTES_MAX) return;
  kept.push(numbers);
  kept.sort((a, b) => a.length - b.length);
  keptByteLength += numbers.byteLength;
  while (keptByteLength > KEPT_BYTES_MAX || kept.length > KEPT_ARRAYS_MAX) keptByteLength -= kept.shift()!.byteLength;
}
