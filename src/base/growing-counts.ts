import type { Scratch } from "./scratch.js";

const FIRST_LENGTH = 1024;
/** What is put elsewhere between two turns. */
const PIECE_COUNT = 16 * 1024;

/** Numbers by place, 0 where nothing was counted; they grow in pieces. 4 bytes a place, and as much for what is free. */
export class GrowingCounts {
  /** Anew where they grow. */
  numbers: Uint32Array;

  constructor(readonly scratch: Scratch) {
    this.numbers = scratch.takeZeros(FIRST_LENGTH);
  }

  /** Makes room for the places below `count`. */
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
