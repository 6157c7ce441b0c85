/* eslint-disable @typescript-eslint/no-non-null-assertion -- words are bounded by the loops */
import { popcount } from "./bitmap.js";

/** A set of codes with the rank of each, from 0 for the least: 8 bytes for 32 codes below the greatest. */
export class RankedBits {
  /** By word: the number of codes in all words before it. */
  readonly #before: Uint32Array;
  readonly count: number;

  /** @param words one bit a code; must not change any more */
  constructor(readonly words: Uint32Array) {
    this.#before = new Uint32Array(words.length);
    let count = 0;
    for (let word = 0; word < words.length; word += 1) {
      this.#before[word] = count;
      count += popcount(words[word]!);
    }
    this.count = count;
  }

  get byteLength(): number {
    return this.words.byteLength + this.#before.byteLength;
  }

  /** The rank of a code that is in the set. */
  rankOf(code: number): number {
    const word = code >>> 5;
    return this.#before[word]! + popcount(this.words[word]! & ((1 << (code & 31)) - 1));
  }

  /** Visits the ranks of the codes that are also in another set, ascending. Cost: the words, and the codes. */
  eachRankIn(others: Uint32Array, visit: (rank: number) => void): void {
    const end = Math.min(this.words.length, others.length);
    for (let word = 0; word < end; word += 1) {
      const own = this.words[word]!;
      for (let rest = own & others[word]!; rest !== 0; rest &= rest - 1) visit(this.#before[word]! + popcount(own & ((rest & -rest) - 1)));
    }
  }
}
