/* eslint-disable @typescript-eslint/no-non-null-assertion -- positions are bounded by the list */
import type { Steps } from "../../core/base/steps.js";

/** Collects the first `count` of the offered items in an order. Most of the others cost one comparison. */
export class FirstInOrder<T> {
  readonly items: T[] = [];

  constructor(
    readonly count: number,
    readonly order: (a: T, b: T) => number,
  ) {}

  /** Null while there is room for more. */
  get last(): T | null {
    return this.items.length < this.count ? null : (this.items[this.count - 1] ?? null);
  }

  offer(item: T): void {
    const { items, count, order } = this;
    if (items.length === count && (count === 0 || order(item, items[count - 1]!) > 0)) return;
    let low = 0;
    let high = items.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (order(items[middle]!, item) < 0) low = middle + 1;
      else high = middle;
    }
    items.splice(low, 0, item);
    if (items.length > count) items.pop();
  }
}

/** The first `count` of some numbers in an order. */
export function firstInOrder(numbers: readonly number[], count: number, order: (a: number, b: number) => number): number[] {
  const first = new FirstInOrder(count, order);
  for (let at = 0; at < numbers.length; at += 1) first.offer(numbers[at]!);
  return first.items;
}

/** Positions per step: each may be compared by its text. */
const RANKED_PLACES_PER_STEP = 2_048;

/** The first `count` of the positions `[0, placeCount)` in an order. */
export function* firstPlaces(placeCount: number, count: number, order: (a: number, b: number) => number): Steps<number[]> {
  const first = new FirstInOrder(count, order);
  for (let place = 0; place < placeCount; place += 1) {
    first.offer(place);
    if (place % RANKED_PLACES_PER_STEP === RANKED_PLACES_PER_STEP - 1) yield;
  }
  return first.items;
}
