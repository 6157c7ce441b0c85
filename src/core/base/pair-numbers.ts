/* eslint-disable @typescript-eslint/no-non-null-assertion -- numbers and slots are bounded by their lists */
import { hashOfPair } from "./pair-table.js";
import type { Scratch } from "./scratch.js";

const FIRST_LENGTH = 1024;

/** An array of counts, 0 at first, that grows in chunks. 4 bytes a count, and as much again for spare room. */
export class GrowingCounts {
  /** Replaced when it grows. */
  numbers: Uint32Array;

  constructor(readonly scratch: Scratch) {
    this.numbers = scratch.takeZeros(FIRST_LENGTH);
  }

  of(index: number): number {
    return this.numbers[index]!;
  }

  /** Makes room for indexes below `count`. */
  async reserve(count: number, pause: () => Promise<void>): Promise<void> {
    const { scratch, numbers } = this;
    if (count <= numbers.length) return;
    const longer = scratch.take(Math.max(count, numbers.length * 2));
    for (let at = 0; at < longer.length; at += PIECE_COUNT) {
      const end = Math.min(at + PIECE_COUNT, longer.length);
      const known = numbers.subarray(at, end);
      longer.set(known, at);
      longer.fill(0, at + known.length, end);
      await pause();
    }
    scratch.release(numbers);
    this.numbers = longer;
  }
}

/** At most this share of the slots is in use. */
const LOAD_SHARE = 1 / 2;
const FIRST_SLOT_COUNT = 4096;
/** Numbers copied and pairs moved between two pauses. */
const PIECE_COUNT = 16 * 1024;

/** Numbers pairs of numbers from 1 in order of arrival. 8 bytes a pair, 8 to 32 for its slots, and spare room. */
export class PairNumbers {
  readonly #firsts: GrowingCounts;
  readonly #seconds: GrowingCounts;
  #slots: Uint32Array;
  #end = 1;

  constructor(readonly scratch: Scratch) {
    this.#firsts = new GrowingCounts(scratch);
    this.#seconds = new GrowingCounts(scratch);
    this.#slots = scratch.takeZeros(FIRST_SLOT_COUNT);
  }

  /** One more than the greatest number of a pair. */
  get end(): number {
    return this.#end;
  }

  firstOf(pair: number): number {
    return this.#firsts.numbers[pair]!;
  }

  secondOf(pair: number): number {
    return this.#seconds.numbers[pair]!;
  }

  /** Makes room for the pairs below `end`, in chunks. */
  async reserve(end: number, pause: () => Promise<void>): Promise<void> {
    await this.#firsts.reserve(end, pause);
    await this.#seconds.reserve(end, pause);
    if (end > this.#slots.length * LOAD_SHARE) await this.#spreadOver(slotCountFor(end), pause);
  }

  /** The number of a pair; a new pair gets `end`, for which room must be reserved. */
  numberOf(first: number, second: number): number {
    const [slots, firsts, seconds] = [this.#slots, this.#firsts.numbers, this.#seconds.numbers];
    const mask = slots.length - 1;
    for (let slot = hashOfPair(first, second) & mask; ; slot = (slot + 1) & mask) {
      const pair = slots[slot]!;
      if (pair !== 0 && (firsts[pair] !== first || seconds[pair] !== second)) continue;
      if (pair !== 0) return pair;
      const made = this.#end;
      [slots[slot], firsts[made], seconds[made], this.#end] = [made, first, second, made + 1];
      return made;
    }
  }

  async #spreadOver(slotCount: number, pause: () => Promise<void>): Promise<void> {
    const slots = this.scratch.takeZeros(slotCount);
    const mask = slotCount - 1;
    for (let pair = 1; pair < this.#end; pair += 1) {
      let slot = hashOfPair(this.firstOf(pair), this.secondOf(pair)) & mask;
      while (slots[slot] !== 0) slot = (slot + 1) & mask;
      slots[slot] = pair;
      if (pair % PIECE_COUNT === 0) await pause();
    }
    this.scratch.release(this.#slots);
    this.#slots = slots;
  }
}

/** A power of two with spare room, as each growth places all pairs again. */
function slotCountFor(end: number): number {
  return 2 ** (Math.ceil(Math.log2(end / LOAD_SHARE)) + 1);
}
