/* eslint-disable @typescript-eslint/no-non-null-assertion -- indexes are bounded by the lengths computed here */
import { Yielder } from "../../core/base/yield.js";
import type { Codes } from "../column/codes.js";

/** Splits numbers into byte planes, least significant bytes of all numbers first: similar bytes deflate better together. */
export async function toPlanes(numbers: Codes, yielder = new Yielder()): Promise<Uint8Array> {
  if (numbers instanceof Uint8Array) return numbers;
  const width = numbers.BYTES_PER_ELEMENT;
  const count = numbers.length;
  const bytes = new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength);
  const planes = new Uint8Array(numbers.byteLength);
  await yielder.inPieces(count, (from, to) => {
    for (let plane = 0; plane < width; plane += 1)
      for (let at = plane * count + from, byte = from * width + plane, end = plane * count + to; at < end; at += 1, byte += width) planes[at] = bytes[byte]!;
  });
  return planes;
}

/** The inverse of `toPlanes`. Works number by number, several times as fast as byte by byte. */
export function fromPlanes(planes: Uint8Array, width: number): Uint8Array {
  if (width === 1) return planes;
  const count = planes.length / width;
  if (width === 2) return new Uint8Array(joinTwo(planes, count).buffer);
  return new Uint8Array(joinFour(planes, count).buffer);
}

function joinTwo(planes: Uint8Array, count: number): Uint16Array {
  const numbers = new Uint16Array(count);
  for (let at = 0; at < count; at += 1) numbers[at] = planes[at]! | (planes[count + at]! << 8);
  return numbers;
}

function joinFour(planes: Uint8Array, count: number): Uint32Array {
  const numbers = new Uint32Array(count);
  const [second, third, fourth] = [count, 2 * count, 3 * count];
  for (let at = 0; at < count; at += 1)
    numbers[at] = planes[at]! | (planes[second + at]! << 8) | (planes[third + at]! << 16) | (planes[fourth + at]! << 24);
  return numbers;
}

/** Differences of neighbours, zigzag-coded so that small ones of either sign stay small. */
export async function toDeltas(values: Int32Array | Uint32Array, yielder = new Yielder()): Promise<Uint32Array> {
  const deltas = new Uint32Array(values.length);
  await yielder.inPieces(values.length, (from, to) => {
    let previous = from === 0 ? 0 : values[from - 1]!;
    for (let at = from; at < to; at += 1) {
      const delta = (values[at]! - previous) | 0;
      deltas[at] = (delta << 1) ^ (delta >> 31);
      previous = values[at]!;
    }
  });
  return deltas;
}

/** The inverse of `toDeltas`, modulo 2^32, in place. */
export function fromDeltas(deltas: Uint32Array): Uint32Array {
  let previous = 0;
  for (let at = 0; at < deltas.length; at += 1) {
    const coded = deltas[at]!;
    previous = (previous + ((coded >>> 1) ^ -(coded & 1))) | 0;
    deltas[at] = previous;
  }
  return deltas;
}
