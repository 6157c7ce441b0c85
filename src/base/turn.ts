import { LIMITS } from "./limits.js";

/** Where there is one: much sooner than a timer of 0 ms. */
const { setImmediate } = globalThis as { setImmediate?: (run: () => void) => unknown };

/** Lets everything else that is due run first: callbacks, input and output, timers. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    if (setImmediate === undefined) setTimeout(resolve, 0);
    else setImmediate(resolve);
  });
}

/** Milliseconds of a slice where the turns of others are as long or longer. */
const LONG_SLICE_MS = 40;

/**
 * A pause that gives others a turn where the thread was held for a slice: for steps that take a microsecond or a millisecond, as the data is. Where
 * the turns of others are long, slices are too, or whoever ingests all the time would leave nothing to queries.
 */
export function pauseAfterSlices(): () => Promise<void> {
  let startMs = performance.now();
  let sliceMs: number = LIMITS.sliceMs;
  return async () => {
    const endMs = performance.now();
    if (endMs - startMs < sliceMs) return;
    await nextTurn();
    startMs = performance.now();
    sliceMs = Math.min(Math.max(startMs - endMs, LIMITS.sliceMs), LONG_SLICE_MS);
  };
}

/** What a piece costs however small it is, in values: thousands of short columns are long work too. */
const PIECE_VALUE_COUNT = 512;

/** How many pieces become one when somebody waits for the end. */
const HURRIED_PIECE_COUNT = 8;

/** The pace of long work in the background. */
export interface Turns {
  /** Values worked on before others have a turn. */
  readonly pieceLength: number;
  /** Somebody waits for the end: where the turns of others are long, short pieces would keep them waiting. */
  hurry(): void;
  /** Tells that so many values were worked on; resolves when the next may be. */
  took(valueCount: number): Promise<void>;
  /** Calls `act` with one piece of `[0, count)` after the other. @param valuesPerItem what one item costs, in values */
  inPieces(count: number, act: (from: number, to: number) => void, valuesPerItem?: number): Promise<void>;
}

/**
 * Long work in pieces of about a millisecond: after each others have a turn. Pieces are
 * counted in values and not timed, so that the same work is interrupted at the same places each time.
 */
class CountedTurns implements Turns {
  #valueCount = 0;
  #isHurried = false;

  constructor(
    readonly pieceLength: number = LIMITS.turnValueCount,
    readonly turn: () => Promise<void> = nextTurn,
  ) {}

  hurry(): void {
    this.#isHurried = true;
  }

  get #length(): number {
    return this.#isHurried ? this.pieceLength * HURRIED_PIECE_COUNT : this.pieceLength;
  }

  async took(valueCount: number): Promise<void> {
    this.#valueCount += valueCount + PIECE_VALUE_COUNT;
    if (this.#valueCount < this.#length) return;
    this.#valueCount = 0;
    await this.turn();
  }

  async inPieces(count: number, act: (from: number, to: number) => void, valuesPerItem = 1): Promise<void> {
    for (let from = 0; from < count; ) {
      const to = Math.min(from + Math.ceil(this.#length / valuesPerItem), count);
      act(from, to);
      await this.took((to - from) * valuesPerItem);
      from = to;
    }
  }
}

/** By default pieces take about a millisecond, then `nextTurn`. An interface to others: the types of two copies of the package must fit. */
export const Turns: new (pieceLength?: number, turn?: () => Promise<void>) => Turns = CountedTurns;
