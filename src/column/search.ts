/* eslint-disable @typescript-eslint/no-non-null-assertion -- places are bounded by the values */
import type { Codes } from "./codes.js";

/** First place from `from` on whose value is at least `value`, of values in order; their number where there is none. */
export function firstAtLeast(values: Codes | Int32Array | Float64Array, value: number, from = 0): number {
  let low = from;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (values[middle]! < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
