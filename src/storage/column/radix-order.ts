/* eslint-disable @typescript-eslint/no-non-null-assertion -- indexes are bounded by the lists */

const DIGIT_BITS = 11;
const DIGIT_END = 2 ** DIGIT_BITS;

/** Stable. Cost: two passes for each 11 bits of the greatest key. @param take returns memory for that many numbers */
export function radixOrder(places: Uint32Array, keys: Uint32Array, take: (count: number) => Uint32Array = (count) => new Uint32Array(count)): Uint32Array {
  let max = 0;
  for (let at = 0; at < places.length; at += 1) if (keys[places[at]!]! > max) max = keys[places[at]!]!;
  let from = places;
  let into = take(places.length);
  const ends = new Uint32Array(DIGIT_END);
  for (let shift = 0; shift < 32 && max >>> shift > 0; shift += DIGIT_BITS) {
    ends.fill(0);
    for (let at = 0; at < from.length; at += 1) ends[(keys[from[at]!]! >>> shift) & (DIGIT_END - 1)]! += 1;
    for (let digit = 0, sum = 0; digit < DIGIT_END; digit += 1) {
      const count = ends[digit]!;
      ends[digit] = sum;
      sum += count;
    }
    for (let at = 0; at < from.length; at += 1) {
      const place = from[at]!;
      const digit = (keys[place]! >>> shift) & (DIGIT_END - 1);
      into[ends[digit]!] = place;
      ends[digit]! += 1;
    }
    [from, into] = [into, from === places ? take(places.length) : from];
  }
  return from;
}
