/* eslint-disable @typescript-eslint/no-non-null-assertion -- words and numbers are bounded by the lengths computed here */
import type { Yielder } from "../../core/base/yield.js";
import { allocateCodes, codesOfBytes, type Codes } from "../column/codes.js";
import { fromDeltas } from "./byte-planes.js";

/** Deltas that share a width: one long pause among a thousand rows does not widen the others. */
const CHUNK_COUNT = 1_024;
const WORD_BITS = 32;

/** Bits of each number up to `max`; at least 1. */
function bitsOf(max: number): number {
  return Math.max(1, WORD_BITS - Math.clz32(max));
}

function wordCountOf(count: number, bits: number): number {
  return Math.ceil((count * bits) / WORD_BITS);
}

/** Bits of each code up to `max`: whole bytes, which are read without unpacking, where they cost a seventh more at most. */
function codeBitsOf(max: number): number {
  const bits = bitsOf(max);
  return bits === 7 ? 8 : bits === 14 || bits === 15 ? 16 : bits;
}

/** Bytes of so many codes up to `max`. */
export function packedByteLength(count: number, max: number): number {
  return wordCountOf(count, codeBitsOf(max)) * 4;
}

/** Codes up to `max` with as many bits each as that needs, least significant first, in words of 32 bits. Unpacking takes 0.6 to 2 ns a code. */
export async function packCodes(codes: Codes, max: number, yielder: Yielder): Promise<Uint8Array> {
  const bits = codeBitsOf(max);
  const words = new Uint32Array(wordCountOf(codes.length, bits));
  await yielder.inPieces(codes.length, (from, to) => packInto(words, 0, codes, from, to, bits));
  return new Uint8Array(words.buffer);
}

/** Null: the length is not that of so many codes. */
export function unpackCodes(bytes: Uint8Array, count: number, max: number): Codes | null {
  const packed = PackedCodes.of(bytes, count, max);
  if (packed === null) return null;
  const { whole } = packed;
  if (whole !== null) return whole.slice();
  const codes = allocateCodes(count, max);
  unpackCodesInto(codes, packed.words, packed.bits);
  return codes;
}

/** Codes that are read without unpacking all of them, or into memory that is used again. */
export class PackedCodes {
  private constructor(
    readonly words: Uint32Array,
    readonly bits: number,
    readonly count: number,
    /** The codes themselves, if they have whole bytes. */
    readonly whole: Codes | null,
  ) {}

  /** Null: the length is not that of so many codes. */
  static of(bytes: Uint8Array, count: number, max: number): PackedCodes | null {
    const bits = codeBitsOf(max);
    if (bytes.length !== packedByteLength(count, max)) return null;
    const whole = bits % 8 === 0 && bits !== 24 ? codesOfBytes(bytes, bits / 8).subarray(0, count) : null;
    return new PackedCodes(wordsOf(bytes), bits, count, whole);
  }

  all(into: Uint32Array): void {
    if (this.whole !== null) into.set(this.whole);
    else unpackInto(into, this.words, 0, this.bits, 0, this.count);
  }

  /** Calls `take` with each row whose code leaves a remainder of 32 that has a bit in `remainders`. */
  eachCandidate(remainders: number, take: (row: number, code: number) => void): void {
    const { words, bits, count, whole } = this;
    if (whole !== null) return eachCandidate(whole, remainders, take);
    const mask = 2 ** bits - 1;
    const end = endWithNext(words, 0, bits, 0, count);
    for (let row = 0, bit = 0; row < end; row += 1, bit += bits) {
      const shift = bit & 31;
      const code = ((words[bit >>> 5]! >>> shift) | ((words[(bit >>> 5) + 1]! << 1) << (31 - shift))) & mask;
      if ((remainders >>> (code & 31)) & 1) take(row, code);
    }
    for (let row = end; row < count; row += 1) if ((remainders >>> (this.at(row) & 31)) & 1) take(row, this.at(row));
  }

  at(row: number): number {
    const { words, bits, whole } = this;
    return whole === null ? numberAt(words, row * bits, bits) : whole[row]!;
  }
}

/** Deltas in chunks: one byte a chunk with the bits of its numbers, up to a multiple of four, then the words of each chunk. */
export async function packDeltas(deltas: Uint32Array, yielder: Yielder): Promise<Uint8Array> {
  const chunkCount = Math.ceil(deltas.length / CHUNK_COUNT);
  const widths = new Uint8Array(Math.ceil(chunkCount / 4) * 4);
  let wordCount = widths.length / 4;
  for (let chunk = 0; chunk < chunkCount; chunk += 1) {
    const [from, to] = [chunk * CHUNK_COUNT, Math.min((chunk + 1) * CHUNK_COUNT, deltas.length)];
    let all = 0;
    for (let at = from; at < to; at += 1) all |= deltas[at]!;
    widths[chunk] = bitsOf(all >>> 0);
    wordCount += wordCountOf(to - from, widths[chunk]!);
  }
  await yielder.yieldAfter(deltas.length);
  const words = new Uint32Array(wordCount);
  new Uint8Array(words.buffer).set(widths);
  let start = widths.length / 4;
  for (let chunk = 0; chunk < chunkCount; chunk += 1) {
    const [from, to] = [chunk * CHUNK_COUNT, Math.min((chunk + 1) * CHUNK_COUNT, deltas.length)];
    packInto(words, start * WORD_BITS - from * widths[chunk]!, deltas, from, to, widths[chunk]!);
    start += wordCountOf(to - from, widths[chunk]!);
    await yielder.yieldAfter(to - from);
  }
  return new Uint8Array(words.buffer);
}

/** The numbers whose deltas were packed, modulo 2^32; null: the bytes are not those of so many deltas. @param into memory for so many numbers */
export function unpackDeltas(bytes: Uint8Array, count: number, into: (count: number) => Uint32Array = newNumbers): Uint32Array | null {
  const chunkCount = Math.ceil(count / CHUNK_COUNT);
  let start = Math.ceil(chunkCount / 4);
  if (bytes.length % 4 !== 0 || bytes.length < start * 4) return null;
  const words = wordsOf(bytes);
  const deltas = into(count);
  for (let chunk = 0; chunk < chunkCount; chunk += 1) {
    const [from, to, bits] = [chunk * CHUNK_COUNT, Math.min((chunk + 1) * CHUNK_COUNT, count), bytes[chunk]!];
    const end = start + wordCountOf(to - from, bits);
    if (bits === 0 || bits > WORD_BITS || end > words.length) return null;
    unpackInto(deltas, words, start, bits, from, to);
    start = end;
  }
  return start === words.length ? fromDeltas(deltas) : null;
}

export function eachCandidate(codes: Codes, remainders: number, take: (row: number, code: number) => void): void {
  for (let row = 0; row < codes.length; row += 1) if ((remainders >>> (codes[row]! & 31)) & 1) take(row, codes[row]!);
}

function newNumbers(count: number): Uint32Array {
  return new Uint32Array(count);
}

export function wordsOf(bytes: Uint8Array): Uint32Array {
  // Not `slice`: on a `Buffer` it returns a view of the same memory.
  const aligned = bytes.byteOffset % 4 === 0 ? bytes : new Uint8Array(bytes);
  return new Uint32Array(aligned.buffer, aligned.byteOffset, aligned.byteLength / 4);
}

/** @param firstBit of number 0 */
function packInto(words: Uint32Array, firstBit: number, numbers: Codes, from: number, to: number, bits: number): void {
  for (let at = from, bit = firstBit + from * bits; at < to; at += 1, bit += bits) {
    const [word, shift] = [Math.floor(bit / WORD_BITS), bit % WORD_BITS];
    words[word]! |= numbers[at]! << shift;
    if (shift + bits > WORD_BITS) words[word + 1]! |= numbers[at]! >>> (WORD_BITS - shift);
  }
}

/** Index up to which each number has a word after its own. Up to there no branch is needed; a branch would take half of the time again. */
function endWithNext(words: Uint32Array, start: number, bits: number, from: number, to: number): number {
  return Math.max(from, Math.min(to, from + Math.floor(((words.length - 1 - start) * WORD_BITS) / bits)));
}

function unpackCodesInto(codes: Codes, words: Uint32Array, bits: number): void {
  if (codes instanceof Uint32Array) unpackInto(codes, words, 0, bits, 0, codes.length);
  else if (codes instanceof Uint16Array) unpackShorts(codes, words, bits);
  else unpackBytes(codes, words, bits);
}

// One function for each kind of array: the compiler does not optimize a function that gets several kinds.

/** Reads four codes at once, which takes a quarter of the time. */
function unpackBytes(codes: Uint8Array, words: Uint32Array, bits: number): void {
  const mask = 2 ** bits - 1;
  const quads = new Uint32Array(codes.buffer, codes.byteOffset, codes.length >>> 2);
  const end = endWithNext(words, 0, bits, 0, codes.length) >>> 2;
  for (let at = 0, bit = 0; at < end; at += 1, bit += bits * 4) {
    const shift = bit & 31;
    const four = (words[bit >>> 5]! >>> shift) | ((words[(bit >>> 5) + 1]! << 1) << (31 - shift));
    quads[at] = (four & mask) | (((four >>> bits) & mask) << 8) | (((four >>> (bits * 2)) & mask) << 16) | (((four >>> (bits * 3)) & mask) << 24);
  }
  for (let at = end * 4; at < codes.length; at += 1) codes[at] = numberAt(words, at * bits, bits);
}

/** Reads two codes at once, which takes half of the time. */
function unpackShorts(codes: Uint16Array, words: Uint32Array, bits: number): void {
  const mask = 2 ** bits - 1;
  const pairs = new Uint32Array(codes.buffer, codes.byteOffset, codes.length >>> 1);
  const end = endWithNext(words, 0, bits, 0, codes.length) >>> 1;
  for (let at = 0, bit = 0; at < end; at += 1, bit += bits * 2) {
    const shift = bit & 31;
    const two = (words[bit >>> 5]! >>> shift) | ((words[(bit >>> 5) + 1]! << 1) << (31 - shift));
    pairs[at] = (two & mask) | (((two >>> bits) & mask) << 16);
  }
  for (let at = end * 2; at < codes.length; at += 1) codes[at] = numberAt(words, at * bits, bits);
}

/** @param start word of the first number @param from index of the first number */
function unpackInto(numbers: Uint32Array, words: Uint32Array, start: number, bits: number, from: number, to: number): void {
  // Shifts by 32 bits are shifts by none.
  if (bits === WORD_BITS) return numbers.set(words.subarray(start, start + to - from), from);
  const mask = 2 ** bits - 1;
  const end = endWithNext(words, start, bits, from, to);
  let [at, bit] = [from, start * WORD_BITS];
  for (; at < end; at += 1, bit += bits) {
    const shift = bit & 31;
    numbers[at] = ((words[bit >>> 5]! >>> shift) | ((words[(bit >>> 5) + 1]! << 1) << (31 - shift))) & mask;
  }
  for (; at < to; at += 1, bit += bits) numbers[at] = numberAt(words, bit, bits);
}

/** The number that begins at a bit. */
function numberAt(words: Uint32Array, bit: number, bits: number): number {
  const [word, shift] = [bit >>> 5, bit & 31];
  const low = words[word]! >>> shift;
  return (shift + bits > WORD_BITS ? low | (words[word + 1]! << (WORD_BITS - shift)) : low) & (2 ** bits - 1);
}
