/* eslint-disable @typescript-eslint/no-non-null-assertion -- positions are bounded by the lists */
import type { Touches } from "./touches.js";

/** Index of the first touch at or after a time in an ordered list of positions; the list's length for none. Cost: a binary search. */
export function firstTouchAt(touches: Touches, list: ArrayLike<number>, ms: number): number {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (touches.msOf(list[middle]!) < ms) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The positions of a list from index `at` on that share its millisecond. */
export function touchesAtOnce(touches: Touches, list: ArrayLike<number>, at: number): number[] {
  const run: number[] = [];
  for (let next = at; next < list.length && touches.areAtOnce(list[at]!, list[next]!); next += 1) run.push(list[next]!);
  return run;
}

/** Whether the order of some touches does not matter, because all have one label. */
export function areOfOneLabel(touches: Touches, [first, ...others]: readonly number[]): boolean {
  return first === undefined || others.every((place) => touches.labelOf(place) === touches.labelOf(first));
}
