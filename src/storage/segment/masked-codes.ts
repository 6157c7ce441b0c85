/* eslint-disable @typescript-eslint/no-non-null-assertion -- words and codes are bounded by the lengths computed here */
import { Scratch } from "../../core/base/scratch.js";
import type { Yielder } from "../../core/base/yield.js";
import { popcount } from "../column/bitmap.js";
import { allocateCodes, type Codes } from "../column/codes.js";
import { PackedCodes, packCodes, packedByteLength, wordsOf } from "./packed-numbers.js";

/** Codes many of which are 0: a bit for each code, 1 unless it is 0, lowest first, in words of 32 bits; then the codes that are not 0, packed. */
export async function maskCodes(codes: Codes, max: number, yielder: Yielder): Promise<Uint8Array> {
  const maskByteLength = packedByteLength(codes.length, 1);
  const mask = new Uint32Array(maskByteLength / 4);
  const others = allocateCodes(codes.length, max);
  let count = 0;
  await yielder.inPieces(codes.length, (from, to) => {
    for (let row = from; row < to; row += 1) {
      if (codes[row] === 0) continue;
      mask[row >>> 5]! |= 1 << (row & 31);
      others[count] = codes[row]!;
      count += 1;
    }
  });
  const packed = await packCodes(others.subarray(0, count), max, yielder);
  const bytes = new Uint8Array(maskByteLength + packed.length);
  bytes.set(new Uint8Array(mask.buffer));
  bytes.set(packed, maskByteLength);
  return bytes;
}

/** Cost: 1 ns a code. Null: the bytes are not those of so many codes. @param into memory for as many codes */
export function unmaskCodes(bytes: Uint8Array, count: number, max: number, into: Uint32Array): Uint32Array | null {
  const maskByteLength = packedByteLength(count, 1);
  if (bytes.length < maskByteLength) return null;
  const mask = wordsOf(bytes.subarray(0, maskByteLength));
  const otherCount = bitCountOf(mask);
  const packed = PackedCodes.of(bytes.subarray(maskByteLength), otherCount, max);
  if (packed === null || (count % 32 !== 0 && mask.at(-1)! >>> (count % 32) !== 0)) return null;
  return Scratch.atOnce((scratch) => {
    // One more, which is read when no code follows.
    const others = scratch.take(otherCount + 1);
    packed.all(others);
    others[otherCount] = 0;
    for (let row = 0, at = 0; row < count; row += 1) {
      const bit = (mask[row >>> 5]! >>> (row & 31)) & 1;
      into[row] = others[at]! & -bit;
      at += bit;
    }
    return into;
  });
}

function bitCountOf(words: Uint32Array): number {
  let count = 0;
  for (let at = 0; at < words.length; at += 1) count += popcount(words[at]!);
  return count;
}
