import { compareCodePoints } from "../base/order.js";
import type { AggregateItem } from "../plan/input.js";

/** Count descending, then property by code point; only the part that `limit` shows is put in order by property. */
export function rankedItems(counts: ReadonlyMap<string, number>, limit: number | null): AggregateItem[] {
  const items: AggregateItem[] = [];
  for (const [property, count] of counts) items.push({ property, count });
  const byCount = new Float64Array(items.length);
  items.forEach((item, index) => (byCount[index] = -item.count * 2 ** 26 + index));
  byCount.sort();
  const end = limit === null ? items.length : Math.min(limit, items.length);
  const ranked: AggregateItem[] = [];
  for (let at = 0; at < items.length && ranked.length < end; ) {
    const tied: AggregateItem[] = [];
    const count = countOf(byCount[at] as number);
    for (; at < items.length && countOf(byCount[at] as number) === count; at += 1) {
      const item = items[(byCount[at] as number) + count * 2 ** 26];
      if (item !== undefined) tied.push(item);
    }
    if (tied.length > 1) tied.sort((a, b) => compareCodePoints(a.property, b.property));
    for (const item of tied) ranked.push(item);
  }
  return ranked.slice(0, end);
}

/** The count that a sort key holds: keys are `index - count · 2^26`. */
function countOf(key: number): number {
  return Math.ceil(-key / 2 ** 26);
}
