import type { Scratch } from "./scratch.js";

const FIRST_LENGTH = 1024;
/** Numbers copied between two pauses. */
const PIECE_COUNT = 16 * 1024;

/** An array of counts, 0 at first, that grows in chunks. 4 bytes a count, and as much again for spare room. */
export class GrowingCounts {
  /** Replaced when it grows. */
  numbers: Uint32Array;

  constructor(readonly scratch: Scratch) {
    this.numbers = scratch.takeZeros(FIRST_LENGTH);
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
