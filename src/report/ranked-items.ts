/* eslint-disable @typescript-eslint/no-non-null-assertion -- places are bounded by the counts */
import { compareCodePoints } from "../base/order.js";
import type { AggregateItem } from "../plan/input.js";

/** Places below 2^26 and counts below 2^27 share the 53 bits of a sort key. */
const PLACE_SPAN = 2 ** 26;

/**
 * Items for all counts that are not 0: count descending, then property by code point. With a limit only what it shows,
 * and what ties with its last item, is put in order.
 */
export function rankCounts(counts: Float64Array, propertyOf: (place: number) => string, limit: number | null): AggregateItem[] {
  const least = limit === null ? 1 : leastShown(counts, limit);
  let keyCount = 0;
  const keys = new Float64Array(counts.length);
  for (let place = 0; place < counts.length; place += 1) {
    if (counts[place]! < least) continue;
    keys[keyCount] = place - counts[place]! * PLACE_SPAN;
    keyCount += 1;
  }
  const ordered = keys.subarray(0, keyCount).sort();
  const items: AggregateItem[] = [];
  for (let at = 0; at < keyCount; ) {
    const count = Math.ceil(-ordered[at]! / PLACE_SPAN);
    const start = items.length;
    for (; at < keyCount && Math.ceil(-ordered[at]! / PLACE_SPAN) === count; at += 1)
      items.push({ property: propertyOf(ordered[at]! + count * PLACE_SPAN), count });
    if (items.length - start > 1) sortTied(items, start);
  }
  return limit !== null && items.length > limit ? items.slice(0, limit) : items;
}

/** The smallest count that the first `limit` items can have; at least 1. */
function leastShown(counts: Float64Array, limit: number): number {
  const shown = counts.filter((count) => count > 0);
  if (shown.length <= limit) return 1;
  return shown.sort()[shown.length - limit] ?? 1;
}

const beyondBasic = /[\ud800-\uffff]/;

/** Below U+D800 the order of UTF-16 units, which the engine compares fast, is that of code points. */
function sortTied(items: AggregateItem[], start: number): void {
  const tied = items.slice(start);
  const isBasic = !tied.some((item) => beyondBasic.test(item.property));
  tied.sort(isBasic ? compareUnits : (a, b) => compareCodePoints(a.property, b.property));
  for (let at = 0; at < tied.length; at += 1) items[start + at] = tied[at]!;
}

function compareUnits(a: AggregateItem, b: AggregateItem): number {
  return a.property < b.property ? -1 : a.property > b.property ? 1 : 0;
}
