/* eslint-disable @typescript-eslint/no-non-null-assertion -- word indexes stay below the word count by construction */
import { countBits } from "./bitmap.js";

/** A growing set of codes, one bit each. */
export class BitSet {
  #words: Uint32Array;

  constructor(codeCount = 32_768) {
    this.#words = new Uint32Array((codeCount + 31) >>> 5);
  }

  /** One bit a code; codes beyond the last word are not in the set. Not to be changed. */
  get words(): Uint32Array {
    return this.#words;
  }

  /** Cost: linear in the words. */
  get count(): number {
    return countBits(this.#words);
  }

  has(code: number): boolean {
    return (code >>> 5) < this.#words.length && (this.#words[code >>> 5]! & (1 << (code & 31))) !== 0;
  }

  /** Returns true if the code is new in the set. */
  add(code: number): boolean {
    const word = code >>> 5;
    if (word >= this.#words.length) this.#grow(word + 1);
    const bit = 1 << (code & 31);
    if ((this.#words[word]! & bit) !== 0) return false;
    this.#words[word]! |= bit;
    return true;
  }

  remove(code: number): void {
    if (code >>> 5 < this.#words.length) this.#words[code >>> 5]! &= ~(1 << (code & 31));
  }

  /** Adds all codes of a bitmap: about half a nanosecond a word. */
  unite(words: Uint32Array): void {
    if (words.length > this.#words.length) this.#grow(words.length);
    const into = this.#words;
    for (let word = 0; word < words.length; word += 1) into[word]! |= words[word]!;
  }

  /** Empties the set; `codes` must list all its codes. Cost: their number. */
  clear(codes: Uint32Array): void {
    for (let at = 0; at < codes.length; at += 1) this.#words[codes[at]! >>> 5] = 0;
  }

  /** Calls `visit` with each code, in ascending order. */
  forEach(visit: (code: number) => void): void {
    for (let word = 0; word < this.#words.length; word += 1)
      for (let rest = this.#words[word]!; rest !== 0; rest &= rest - 1) visit(word * 32 + 31 - Math.clz32(rest & -rest));
  }

  #grow(wordCount: number): void {
    const words = new Uint32Array(2 ** Math.ceil(Math.log2(wordCount)));
    words.set(this.#words);
    this.#words = words;
  }
}
