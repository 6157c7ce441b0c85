/* eslint-disable @typescript-eslint/no-non-null-assertion -- places are bounded by the list */

/** The first `count` of some numbers in an order. One comparison for most of those that are not among them. */
export function firstInOrder(numbers: readonly number[], count: number, order: (a: number, b: number) => number): number[] {
  const first: number[] = [];
  for (let at = 0; at < numbers.length; at += 1) {
    const number = numbers[at]!;
    if (first.length === count && (count === 0 || order(number, first[count - 1]!) > 0)) continue;
    let low = 0;
    let high = first.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (order(first[middle]!, number) < 0) low = middle + 1;
      else high = middle;
    }
    first.splice(low, 0, number);
    if (first.length > count) first.pop();
  }
  return first;
}
