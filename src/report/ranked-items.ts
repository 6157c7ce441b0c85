/* eslint-disable @typescript-eslint/no-non-null-assertion -- places are bounded by the counts */
import { compareCodePoints } from "../base/order.js";
import type { AggregateItem } from "../plan/input.js";

/** What the counts are of, by place. */
export interface Ranked {
  propertyOf(place: number): string;
  /** All places by their property's code points, where that is at hand or worth the making. */
  placesInOrder?(): Uint32Array;
}

/** From this share of all places on, one order of all is cheaper than an order of what ties. */
const ORDER_SHARE = 1 / 8;

/**
 * Items for all counts that are not 0: count descending, then property by code point. With a limit only what it shows,
 * and what ties with its last item, is put in order. Cost: a few nanoseconds a place, and 50 an item.
 */
export function rankCounts(counts: Uint32Array, ranked: Ranked, limit: number | null): AggregateItem[] {
  const least = limit === null ? 1 : leastShown(counts, limit);
  let shownCount = 0;
  for (let place = 0; place < counts.length; place += 1) if (counts[place]! >= least) shownCount += 1;
  const order = ranked.placesInOrder !== undefined && shownCount >= counts.length * ORDER_SHARE ? ranked.placesInOrder() : null;
  const places = placesFrom(counts, least, shownCount, order);
  const ordered = byCountDescending(places, counts);
  if (order === null) sortTies(ordered, counts, ranked);
  const itemCount = Math.min(ordered.length, limit ?? ordered.length);
  const items = new Array<AggregateItem>(itemCount);
  for (let at = 0; at < itemCount; at += 1) items[at] = { property: ranked.propertyOf(ordered[at]!), count: counts[ordered[at]!]! };
  return items;
}

const LOW_SPAN = 2 ** 16;

/** The smallest count that the first `limit` items can have; at least 1. Two looks at each count: its upper half, its lower half. */
function leastShown(counts: Uint32Array, limit: number): number {
  const tallies = new Uint32Array(LOW_SPAN);
  for (let place = 0; place < counts.length; place += 1) if (counts[place] !== 0) tallies[counts[place]! >>> 16]! += 1;
  const [high, above] = tallyOf(tallies, limit);
  if (high === -1) return 1;
  tallies.fill(0);
  for (let place = 0; place < counts.length; place += 1)
    if (counts[place]! >>> 16 === high && counts[place] !== 0) tallies[counts[place]! & 0xffff]! += 1;
  const [low] = tallyOf(tallies, limit - above);
  return high * LOW_SPAN + low;
}

/** The greatest value at or above which there are `wanted`, and how many are above it; -1 where there are fewer in all. */
function tallyOf(tallies: Uint32Array, wanted: number): [value: number, above: number] {
  let above = 0;
  for (let value = tallies.length - 1; value >= 0; value -= 1) {
    if (above + tallies[value]! >= wanted) return [value, above];
    above += tallies[value]!;
  }
  return [-1, above];
}

function placesFrom(counts: Uint32Array, least: number, shownCount: number, order: Uint32Array | null): Uint32Array {
  const places = new Uint32Array(shownCount);
  let count = 0;
  for (let at = 0; at < counts.length; at += 1) {
    const place = order === null ? at : order[at]!;
    if (counts[place]! < least) continue;
    places[count] = place;
    count += 1;
  }
  return places;
}

const DIGIT_BITS = 11;
const DIGIT_SPAN = 2 ** DIGIT_BITS;

/** Counts descending; among equal counts the order stays. A radix sort: one pass for eleven bits of the greatest count. */
function byCountDescending(places: Uint32Array, counts: Uint32Array): Uint32Array {
  let max = 0;
  for (let at = 0; at < places.length; at += 1) max = Math.max(max, counts[places[at]!]!);
  let [from, into]: [Uint32Array, Uint32Array] = [places, new Uint32Array(places.length)];
  const starts = new Uint32Array(DIGIT_SPAN + 1);
  for (let shift = 0; shift < 32 && max >>> shift !== 0; shift += DIGIT_BITS) {
    starts.fill(0);
    for (let at = 0; at < from.length; at += 1) starts[digitBelow(counts[from[at]!]!, shift) + 1]! += 1;
    for (let digit = 0; digit < DIGIT_SPAN; digit += 1) starts[digit + 1]! += starts[digit]!;
    for (let at = 0; at < from.length; at += 1) {
      const digit = digitBelow(counts[from[at]!]!, shift);
      into[starts[digit]!] = from[at]!;
      starts[digit]! += 1;
    }
    [from, into] = [into, from];
  }
  return from;
}

/** Greater for smaller counts. */
function digitBelow(count: number, shift: number): number {
  return DIGIT_SPAN - 1 - ((count >>> shift) & (DIGIT_SPAN - 1));
}

function sortTies(places: Uint32Array, counts: Uint32Array, { propertyOf }: Ranked): void {
  for (let start = 0, end = 0; start < places.length; start = end) {
    const count = counts[places[start]!]!;
    while (end < places.length && counts[places[end]!] === count) end += 1;
    if (end - start > 1) sortByText(places.subarray(start, end), propertyOf);
  }
}

const beyondBasic = /[\ud800-\uffff]/;

/** Below U+D800 the order of UTF-16 units, which the engine compares fast, is that of code points. */
function sortByText(places: Uint32Array, propertyOf: (place: number) => string): void {
  const texts = Array.from(places, (place) => ({ place, text: propertyOf(place) }));
  const isBasic = !texts.some(({ text }) => beyondBasic.test(text));
  texts.sort(isBasic ? (a, b) => (a.text < b.text ? -1 : a.text > b.text ? 1 : 0) : (a, b) => compareCodePoints(a.text, b.text));
  texts.forEach(({ place }, at) => (places[at] = place));
}
