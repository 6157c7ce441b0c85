/* eslint-disable @typescript-eslint/no-non-null-assertion -- places are bounded by the matches */
import type { Matches } from "../../answer/insights/chain.js";
import type { Scratch } from "../../base/scratch.js";

/** Matches of one entity that are put in order one by one. */
const FEW_MATCHES = 32;
const LENGTH_MIN = 32 * 1024;
const EXACT_MAX = 2 ** 53;

/** Matches in the places where they are looked at, one entity after the other: 16 bytes each. */
export class PlacedMatches implements Matches {
  ms: Float64Array = new Float64Array(0);
  masks: Uint32Array = new Uint32Array(0);
  /** Over all lists. */
  numbers: Uint32Array = new Uint32Array(0);

  constructor(readonly scratch: Scratch) {}

  /** Makes room for so many; what was there is gone. */
  reserve(count: number): void {
    if (count <= this.masks.length) return;
    const length = 2 ** Math.ceil(Math.log2(Math.max(count, LENGTH_MIN)));
    this.ms = this.scratch.takeFloats(length);
    this.masks = this.scratch.take(length);
    this.numbers = this.scratch.take(length);
  }

  /** Puts the matches `[from, to)` of one entity in the order of their times. */
  sortByTime(from: number, to: number): void {
    const { ms } = this;
    for (let slot = from + 1; slot < to; slot += 1) {
      if (ms[slot]! >= ms[slot - 1]!) continue;
      if (to - from > FEW_MATCHES) return this.reorder(from, orderOf(ms.subarray(from, to)));
      for (let at = slot; at > from && ms[at - 1]! > ms[at]!; at -= 1) this.#swap(at - 1, at);
    }
  }

  /** Puts the matches from a place on in another order. @param order places within them */
  reorder(from: number, order: ArrayLike<number>): void {
    for (const values of [this.ms, this.masks, this.numbers]) {
      const before = values.slice(from, from + order.length);
      for (let at = 0; at < order.length; at += 1) values[from + at] = before[order[at]!]!;
    }
  }

  #swap(slot: number, other: number): void {
    for (const values of [this.ms, this.masks, this.numbers]) {
      const before = values[slot]!;
      values[slot] = values[other]!;
      values[other] = before;
    }
  }
}

/** Places by time; those of one time stay in their order. */
function orderOf(ms: Float64Array): Uint32Array {
  const { length } = ms;
  let [first, last] = [Infinity, -Infinity];
  for (let at = 0; at < length; at += 1) {
    first = Math.min(first, ms[at]!);
    last = Math.max(last, ms[at]!);
  }
  if ((last - first + 1) * length > EXACT_MAX) return Uint32Array.from(ms.keys()).sort((a, b) => ms[a]! - ms[b]! || a - b);
  const keys = Float64Array.from(ms, (time, place) => (time - first) * length + place).sort();
  return Uint32Array.from(keys, (key) => key % length);
}
