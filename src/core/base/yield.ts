import { LIMITS } from "./limits.js";

/** Where available: runs much sooner than a timer of 0 ms. */
const { setImmediate } = globalThis as { setImmediate?: (run: () => void) => unknown };

/** Resolves after everything else that is due has run: callbacks, input and output, timers. */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => {
    if (setImmediate === undefined) setTimeout(resolve, 0);
    else setImmediate(resolve);
  });
}

export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** The longest slice, in milliseconds, however long other work takes. */
const LONG_SLICE_MS = 40;

/** Yields once the thread was held for a slice. Slices grow with other long work, or constant ingest would leave nothing to queries. */
export function yieldAfterSlices(): () => Promise<void> {
  let startMs = performance.now();
  let sliceMs: number = LIMITS.sliceMs;
  return async () => {
    const endMs = performance.now();
    if (endMs - startMs < sliceMs) return;
    await yieldToEventLoop();
    startMs = performance.now();
    sliceMs = Math.min(Math.max(startMs - endMs, LIMITS.sliceMs), LONG_SLICE_MS);
  };
}

/** The fixed cost of a chunk, in values: thousands of short columns are long work too. */
const PIECE_VALUE_COUNT = 512;

/** How many chunks become one when a caller waits for the end. */
const HURRIED_PIECE_COUNT = 8;

export interface Yielder {
  /** Values processed before yielding. */
  readonly pieceLength: number;
  /** Lengthens chunks because a caller waits for the end: where other work takes long, short chunks would delay it. */
  hurry(): void;
  /** Reports that so many values were processed; resolves when the work may continue. */
  yieldAfter(valueCount: number): Promise<void>;
  /** The same without a promise, for work in small steps: true if it must await `yield` now. */
  isDue(valueCount: number): boolean;
  yield(): Promise<void>;
  /** Calls `act` with one chunk of `[0, count)` after the other. @param valuesPerItem the cost of an item, in values */
  inPieces(count: number, act: (from: number, to: number) => void, valuesPerItem?: number): Promise<void>;
}

/** Yields after about a millisecond of work, counted in values rather than time, so that the same work is always interrupted at the same points. */
class CountingYielder implements Yielder {
  #valueCount = 0;
  #isHurried = false;

  constructor(
    readonly pieceLength: number = LIMITS.turnValueCount,
    readonly yieldNow: () => Promise<void> = yieldToEventLoop,
    readonly refuse: () => void = () => undefined,
  ) {}

  hurry(): void {
    this.#isHurried = true;
  }

  get #length(): number {
    return this.#isHurried ? this.pieceLength * HURRIED_PIECE_COUNT : this.pieceLength;
  }

  isDue(valueCount: number): boolean {
    this.refuse();
    this.#valueCount += valueCount;
    return this.#valueCount >= this.#length;
  }

  async yield(): Promise<void> {
    this.#valueCount = 0;
    await this.yieldNow();
    this.refuse();
  }

  async yieldAfter(valueCount: number): Promise<void> {
    if (this.isDue(valueCount + PIECE_VALUE_COUNT)) await this.yield();
  }

  async inPieces(count: number, act: (from: number, to: number) => void, valuesPerItem = 1): Promise<void> {
    for (let from = 0; from < count; ) {
      const to = Math.min(from + Math.ceil(this.#length / valuesPerItem), count);
      act(from, to);
      await this.yieldAfter((to - from) * valuesPerItem);
      from = to;
    }
  }
}

/**
 * By default yields with `yieldToEventLoop` after about a millisecond; `refuse` throws if the work must end. An interface, because the types of two
 * copies of the package must fit.
 */
export const Yielder: new (pieceLength?: number, yieldNow?: () => Promise<void>, refuse?: () => void) => Yielder = CountingYielder;

/** Long work that can be paused or abandoned between two steps. A step must leave nothing in a scratch that other work shares. */
export type Steps<T> = Generator<void, T, void>;

export function* piecesOf(count: number, pieceCount: number, act: (from: number, to: number) => void): Steps<void> {
  for (let from = 0; from < count; from += pieceCount) {
    act(from, Math.min(from + pieceCount, count));
    yield;
  }
}

export function runAtOnce<T>(steps: Steps<T>): T {
  let step = steps.next();
  while (step.done !== true) step = steps.next();
  return step.value;
}

/** Runs the steps one by one. @param pause yields to other work; what it throws ends the steps */
export async function runYielding<T>(steps: Steps<T>, pause: () => Promise<void>): Promise<T> {
  let step = steps.next();
  for (; step.done !== true; step = steps.next()) await pause();
  return step.value;
}

/** Items between two pauses: about 0.2 ms, or 10 ms where each lies in memory that is touched for the first time. */
const PIECE_COUNT = 32 * 1024;

export function inPieces(count: number, pause: () => Promise<void>, act: (from: number, to: number) => void, pieceCount = PIECE_COUNT): Promise<void> {
  return runYielding(piecesOf(count, pieceCount, act), pause);
}
