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

/** Codes up to `max` with as many bits each as that needs, least significant first, in words of 32 bits. Unpacking takes 1 to 2 ns a code. */
export async function packCodes(codes: Codes, max: number, yielder: Yielder): Promise<Uint8Array> {
  const bits = codeBitsOf(max);
  const words = new Uint32Array(wordCountOf(codes.length, bits));
  await yielder.inPieces(codes.length, (from, to) => packInto(words, 0, codes, from, to, bits));
  return new Uint8Array(words.buffer);
}

/** Codes of one, two or four bytes share the memory of `bytes` if the alignment allows. Null: the length is not that of so many codes. */
export function unpackCodes(bytes: Uint8Array, count: number, max: number): Codes | null {
  const bits = codeBitsOf(max);
  if (bytes.length !== wordCountOf(count, bits) * 4) return null;
  if (bits % 8 === 0 && bits !== 24) return codesOfBytes(bytes, bits / 8).subarray(0, count);
  const codes = allocateCodes(count, max);
  unpack(wordsOf(bytes), 0, bits, codes, 0, count);
  return codes;
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

/** The numbers whose deltas were packed, modulo 2^32; null: the bytes are not those of so many deltas. */
export function unpackDeltas(bytes: Uint8Array, count: number): Uint32Array | null {
  const chunkCount = Math.ceil(count / CHUNK_COUNT);
  let start = Math.ceil(chunkCount / 4);
  if (bytes.length % 4 !== 0 || bytes.length < start * 4) return null;
  const words = wordsOf(bytes);
  const deltas = new Uint32Array(count);
  for (let chunk = 0; chunk < chunkCount; chunk += 1) {
    const [from, to, bits] = [chunk * CHUNK_COUNT, Math.min((chunk + 1) * CHUNK_COUNT, count), bytes[chunk]!];
    const end = start + wordCountOf(to - from, bits);
    if (bits === 0 || bits > WORD_BITS || end > words.length) return null;
    unpack(words, start, bits, deltas, from, to);
    start = end;
  }
  return start === words.length ? fromDeltas(deltas) : null;
}

function wordsOf(bytes: Uint8Array): Uint32Array {
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

/** @param start word of the first number @param from index of the first number */
function unpack(words: Uint32Array, start: number, bits: number, numbers: Codes, from: number, to: number): void {
  // Shifts by 32 bits are shifts by none.
  if (bits === WORD_BITS) return numbers.set(words.subarray(start, start + to - from), from);
  const mask = 2 ** bits - 1;
  let [word, left, rest] = [start, WORD_BITS, words[start]!];
  for (let at = from; at < to; at += 1) {
    if (left >= bits) {
      numbers[at] = rest & mask;
      rest >>>= bits;
      left -= bits;
    } else {
      const next = words[(word += 1)]!;
      numbers[at] = (rest | (next << left)) & mask;
      rest = next >>> (bits - left);
      left += WORD_BITS - bits;
    }
  }
}
