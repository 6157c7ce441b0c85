/* eslint-disable @typescript-eslint/no-non-null-assertion -- word indexes stay below the word count by construction */
import { grown } from "../../core/base/arrays.js";
import { Scratch } from "../../core/base/scratch.js";
import { wideCodes, type Codes } from "./codes.js";

/** One bit per row: bit `row & 31` of word `row >>> 5`. Bits beyond the last row are 0. */
export type Bitmap = Uint32Array;

export function wordCount(rowCount: number): number {
  return (rowCount + 31) >>> 5;
}

export function emptyBitmap(rowCount: number): Bitmap {
  return new Uint32Array(wordCount(rowCount));
}

export function rangeBitmap(rowCount: number, from: number, to: number): Bitmap {
  const bits = new Uint32Array(wordCount(rowCount));
  if (from >= to) return bits;
  const first = from >>> 5;
  const last = (to - 1) >>> 5;
  bits.fill(0xffffffff, first, last + 1);
  bits[first]! &= 0xffffffff << (from & 31);
  if ((to & 31) !== 0) bits[last]! &= 0xffffffff >>> (32 - (to & 31));
  return bits;
}

export function intersect(into: Bitmap, other: Bitmap): void {
  for (let word = 0; word < into.length; word += 1) into[word]! &= other[word]!;
}

export function subtract(into: Bitmap, other: Bitmap): void {
  for (let word = 0; word < into.length; word += 1) into[word]! &= ~other[word]!;
}

export function unite(into: Bitmap, other: Bitmap): void {
  for (let word = 0; word < into.length; word += 1) into[word]! |= other[word]!;
}

export function complement(bits: Bitmap, rowCount: number): void {
  for (let word = 0; word < bits.length; word += 1) bits[word] = ~bits[word]!;
  if ((rowCount & 31) !== 0) bits[bits.length - 1]! &= 0xffffffff >>> (32 - (rowCount & 31));
}

export function popcount(word: number): number {
  let v = word - ((word >>> 1) & 0x55555555);
  v = (v & 0x33333333) + ((v >>> 2) & 0x33333333);
  return Math.imul((v + (v >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/** Number of rows in the bitmap: about 1 ns per word. */
export function countBits(bits: Bitmap): number {
  let count = 0;
  for (let word = 0; word < bits.length; word += 1) count += popcount(bits[word]!);
  return count;
}

export function countCommonBits(bitmaps: readonly Bitmap[]): number {
  const [first, second, third] = bitmaps;
  if (first === undefined) return 0;
  if (second === undefined) return countBits(first);
  let count = 0;
  if (third === undefined || bitmaps.length > 3) {
    for (let word = 0; word < first.length; word += 1) {
      let common = first[word]! & second[word]!;
      for (let at = 2; at < bitmaps.length; at += 1) common &= bitmaps[at]![word]!;
      count += popcount(common);
    }
    return count;
  }
  for (let word = 0; word < first.length; word += 1) count += popcount(first[word]! & second[word]! & third[word]!);
  return count;
}

/** Writes the rows of the bitmap to `rows` (large enough), ascending; returns their number. About 2 ns per row. */
export function rowsOfBits(bits: Bitmap, rows: Uint32Array): number {
  let count = 0;
  for (let word = 0; word < bits.length; word += 1) {
    let rest = bits[word]!;
    const base = word << 5;
    while (rest !== 0) {
      const lowest = rest & -rest;
      rows[count] = base + 31 - Math.clz32(lowest);
      count += 1;
      rest ^= lowest;
    }
  }
  return count;
}

export function hasBit(bits: Bitmap, row: number): boolean {
  return ((bits[row >>> 5]! >>> (row & 31)) & 1) === 1;
}

/** Bitmap of the rows with code `code`: branchless, about 1 ns per row, or a quarter of that for codes of one byte. */
export function bitsOfCode(codes: Codes, code: number): Bitmap {
  const bits = emptyBitmap(codes.length);
  if (codes instanceof Uint8Array) {
    if (code < 0x100) Scratch.atOnce((scratch) => markBytes(bits, codes, code, scratch));
    return bits;
  }
  Scratch.atOnce((scratch) => markCode(bits, wideCodes(codes, scratch), code));
  return bits;
}

function markCode(bits: Bitmap, codes: Uint32Array, code: number): void {
  const whole = codes.length >>> 5;
  let row = 0;
  for (let word = 0; word < whole; word += 1) {
    let packed = 0;
    for (let bit = 0; bit < 32; bit += 1, row += 1) packed |= (codes[row] === code ? 1 : 0) << bit;
    bits[word] = packed;
  }
  for (; row < codes.length; row += 1) if (codes[row] === code) bits[row >>> 5]! |= 1 << (row & 31);
}

/** Compares four codes at a time, from a copy that is aligned and has as many as the bits. */
function markBytes(bits: Bitmap, codes: Uint8Array, code: number, scratch: Scratch): void {
  const fours = scratch.take(bits.length * 8);
  new Uint8Array(fours.buffer).set(codes);
  const wanted = Math.imul(code, 0x01010101);
  for (let word = 0, at = 0; word < bits.length; word += 1) {
    let packed = 0;
    for (let bit = 0; bit < 32; bit += 4, at += 1) {
      const other = fours[at]! ^ wanted;
      // The highest bit of each byte that is 0 in `other`, moved to four neighbouring bits.
      const equal = ~((((other & 0x7f7f7f7f) + 0x7f7f7f7f) | 0) | other | 0x7f7f7f7f);
      packed |= (Math.imul(equal >>> 7, 0x00204081) >>> 21 & 15) << bit;
    }
    bits[word] = packed;
  }
  if ((codes.length & 31) !== 0) bits[bits.length - 1]! &= 0xffffffff >>> (32 - (codes.length & 31));
}

/** Bitmap of the rows whose code has a 1 in `table`, in one pass: about 1.2 ns per row. */
export function bitsOfTable(codes: Codes, table: Uint8Array): Bitmap {
  const bits = emptyBitmap(codes.length);
  Scratch.atOnce((scratch) => markTable(bits, wideCodes(codes, scratch), table));
  return bits;
}

function markTable(bits: Bitmap, codes: Uint32Array, table: Uint8Array): void {
  const whole = codes.length >>> 5;
  let row = 0;
  for (let word = 0; word < whole; word += 1) {
    let packed = 0;
    for (let bit = 0; bit < 32; bit += 1, row += 1) packed |= table[codes[row]!]! << bit;
    bits[word] = packed;
  }
  for (; row < codes.length; row += 1) bits[row >>> 5]! |= table[codes[row]!]! << (row & 31);
}

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
    this.#words = grown(this.#words, 2 ** Math.ceil(Math.log2(wordCount)));
  }
}

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
