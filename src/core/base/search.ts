/* eslint-disable @typescript-eslint/no-non-null-assertion -- indexes are bounded by the values */

/** The first index from `from` on whose value is at least `value`, in sorted values; their length if there is none. */
export function firstAtLeast(values: Uint8Array | Uint16Array | Uint32Array | Int32Array | Float64Array, value: number, from = 0): number {
  let low = from;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (values[middle]! < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Whether two ascending lists have a common value. Cost: a search in the longer one for each value of the shorter, up to the first match. */
export function haveCommon(a: Uint32Array, b: Uint32Array): boolean {
  const [few, many] = a.length < b.length ? [a, b] : [b, a];
  let from = 0;
  for (let at = 0; at < few.length && from < many.length; at += 1) {
    from = firstAtLeast(many, few[at]!, from);
    if (many[from] === few[at]) return true;
  }
  return false;
}

/** Merges two sorted lists. Cost: a binary search for each item of `b`, and a copy. @param isBefore whether an item of `a` precedes one of `b` */
export function mergeInto(whole: Uint32Array, a: Uint32Array, b: Uint32Array, isBefore: (own: number, other: number) => boolean): Uint32Array {
  let from = 0;
  for (let next = 0; next < b.length; next += 1) {
    const item = b[next]!;
    const place = from + countBefore(a.length - from, (at) => isBefore(a[from + at]!, item));
    whole.set(a.subarray(from, place), from + next);
    whole[place + next] = item;
    from = place;
  }
  whole.set(a.subarray(from), from + b.length);
  return whole;
}

/** The number of items before the first that is not `isBefore`, among `count` items of which those that are come first. */
export function countBefore(count: number, isBefore: (at: number) => boolean): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isBefore(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}
