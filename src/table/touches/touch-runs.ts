/* eslint-disable @typescript-eslint/no-non-null-assertion -- places are bounded by the lists */
import type { Touches } from "./touches.js";

/** Where the first touch at or after a time is in a list of places in order; its length for none. Cost: a binary search. */
export function firstTouchAt(touches: Touches, list: ArrayLike<number>, ms: number): number {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (touches.msOf(list[middle]!) < ms) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Places of a list that share the millisecond of the one at a place of it, from there on. */
export function touchesAtOnce(touches: Touches, list: ArrayLike<number>, at: number): number[] {
  const run: number[] = [];
  for (let next = at; next < list.length && touches.areAtOnce(list[at]!, list[next]!); next += 1) run.push(list[next]!);
  return run;
}

/** Whether it does not matter which of some touches is first. */
export function areOfOneLabel(touches: Touches, [first, ...others]: readonly number[]): boolean {
  return first === undefined || others.every((place) => touches.labelOf(place) === touches.labelOf(first));
}
