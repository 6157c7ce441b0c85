/* eslint-disable @typescript-eslint/no-non-null-assertion -- places are bounded by the list */
import { inPieces } from "./in-pieces.js";

/** Fewer numbers are made anew: their memory is used again as it is. */
const KEPT_COUNT_MIN = 4 * 1024;
/** Bytes that are kept for whoever comes next, and arrays. */
const KEPT_BYTES_MAX = 96 * 1024 * 1024;
const KEPT_ARRAYS_MAX = 64;

const kept: Uint32Array[] = [];
let keptByteLength = 0;

/**
 * Memory for what a question counts with, which the next question uses again: memory that is touched for the first time costs the system
 * as much as many a question, up to 4 ms a megabyte.
 */
export class Scratch {
  readonly #taken: Uint32Array[] = [];

  /** Calls `use`; nobody reads what it took once it has ended. */
  static async of<T>(use: (scratch: Scratch) => Promise<T>): Promise<T> {
    const scratch = new Scratch();
    try {
      return await use(scratch);
    } finally {
      scratch.releaseAll();
    }
  }

  /** The same within one turn. */
  static atOnce<T>(use: (scratch: Scratch) => T): T {
    const scratch = new Scratch();
    try {
      return use(scratch);
    } finally {
      scratch.releaseAll();
    }
  }

  /** So many numbers, of any value. */
  take(count: number): Uint32Array {
    return this.#kept(count) ?? this.#made(count);
  }

  /** The same for who writes in any order: memory that was never touched is touched in turns, for the first writes would take all of that time. */
  async takeTouched(count: number, pause: () => Promise<void>): Promise<Uint32Array> {
    const kept = this.#kept(count);
    if (kept !== null) return kept;
    const made = this.#made(count);
    await inPieces(count, pause, (from, to) => made.fill(0, from, to));
    return made;
  }

  /** So many numbers of 64 bits, of any value. */
  takeFloats(count: number): Float64Array {
    return new Float64Array(this.take(count * 2).buffer, 0, count);
  }

  /** Gives back what it took before the end: nobody reads it any more. */
  release(numbers: Uint32Array): void {
    const at = this.#taken.findIndex(({ buffer }) => buffer === numbers.buffer);
    for (const taken of at < 0 ? [] : this.#taken.splice(at, 1)) keep(taken);
  }

  /** Gives back all that it took: for whoever has several at the same time, each with an end of its own. */
  releaseAll(): void {
    for (const numbers of this.#taken.splice(0)) keep(numbers);
  }

  /** So many zeros. */
  takeZeros(count: number): Uint32Array {
    return this.take(count).fill(0);
  }

  /** The same of many: they may be touched for the first time. */
  async zerosInTurns(count: number, pause: () => Promise<void>): Promise<Uint32Array> {
    const zeros = this.take(count);
    await inPieces(count, pause, (from, to) => zeros.fill(0, from, to));
    return zeros;
  }

  /** Numbers of others, if there are so many. */
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

/** The shortest that is long enough. */
function fitting(count: number): Uint32Array | null {
  let best = -1;
  for (const [at, { length }] of kept.entries()) if (length >= count && (best < 0 || length < kept[best]!.length)) best = at;
  if (best < 0) return null;
  const [numbers] = kept.splice(best, 1);
  keptByteLength -= numbers!.byteLength;
  return numbers!;
}

/** Where there is too much, what is long stays: a question that needs much gains most. */
function keep(numbers: Uint32Array): void {
  if (numbers.byteLength > KEPT_BYTES_MAX) return;
  kept.push(numbers);
  kept.sort((a, b) => a.length - b.length);
  keptByteLength += numbers.byteLength;
  while (keptByteLength > KEPT_BYTES_MAX || kept.length > KEPT_ARRAYS_MAX) keptByteLength -= kept.shift()!.byteLength;
}
