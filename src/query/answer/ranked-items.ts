/* eslint-disable @typescript-eslint/no-non-null-assertion -- indexes are bounded by their lists */
import { grown } from "../../core/base/arrays.js";
import { countBefore } from "../../core/base/search.js";
import { compareCodePoints, sortedCodes, sortedCodesYielding } from "../../core/base/text-order.js";
import { runAtOnce, runYielding, piecesOf, Yielder, type Steps } from "../../core/base/yield.js";
import type { AggregateItem } from "../plan/input.js";
import { parameterError, type DaybookError } from "../../core/base/errors.js";
import { LIMITS } from "../../core/base/limits.js";

export interface Ranked {
  propertyOf(place: number): string;
  /** All positions sorted by the code points of their property, if that is cheaper than sorting `shownCount` of them; otherwise null. */
  placesInOrder?(shownCount: number): Uint32Array | null;
}

/** Count descending, then property by code point. With a limit, only the shown items and those tied with the last are sorted. 50 ns an item. */
export function rankCounts(counts: Uint32Array, ranked: Ranked, limit: number | null): AggregateItem[] {
  return runAtOnce(ranking(counts, ranked, limit));
}

const PLACES_PER_STEP = 256 * 1024;
const ITEMS_PER_STEP = 16_384;

export function* ranking(counts: Uint32Array, ranked: Ranked, limit: number | null): Steps<AggregateItem[]> {
  if (limit === null) return yield* allItems(counts, ranked);
  const top = yield* topCounted(counts, ranked, limit);
  const itemCount = Math.min(top.places.length, limit);
  return Array.from({ length: itemCount }, (_, at) => ({ property: ranked.propertyOf(top.places[at]!), count: top.counts[at]! }));
}

const VALUES_PER_TEXT = 32;

/** The same, yielding: when all of very many items are shown, their texts are sorted first. */
export async function rankedYielding(counts: Uint32Array, propertyOf: (place: number) => string, limit: number | null, pause: () => Promise<void>): Promise<AggregateItem[]> {
  const order = limit === null && counts.length > ITEMS_PER_STEP ? await placesByText(counts.length, propertyOf, new Yielder(undefined, pause)) : null;
  return await runYielding(ranking(counts, { propertyOf, placesInOrder: () => order }, limit), pause);
}

async function placesByText(count: number, textOf: (place: number) => string, yielder: Yielder): Promise<Uint32Array> {
  const texts = new Array<string>(count);
  const read = (from: number, to: number) => {
    for (let place = from; place < to; place += 1) texts[place] = textOf(place);
  };
  await yielder.inPieces(count, read, VALUES_PER_TEXT);
  return await sortedCodesYielding(texts, 0, count, yielder);
}

function* allItems(counts: Uint32Array, ranked: Ranked): Steps<AggregateItem[]> {
  const shownCount = shownCountOf(counts);
  yield;
  const order = ranked.placesInOrder?.(shownCount) ?? null;
  yield;
  // Allocated at its final length: growing takes twice as long with some hundred thousand items.
  const items = new Array<AggregateItem>(shownCount);
  if (order === null) {
    const { places } = sortTies(byCountDescending(shownOf(counts, shownCount)), ranked);
    yield;
    yield* piecesOf(shownCount, ITEMS_PER_STEP, (from, to) => {
      for (let at = from; at < to; at += 1) items[at] = { property: ranked.propertyOf(places[at]!), count: counts[places[at]!]! };
    });
  } else {
    const ranks = ranksOf(counts, order, shownCount);
    yield;
    // By position, so that properties are read in the order of memory.
    yield* piecesOf(counts.length, ITEMS_PER_STEP, (from, to) => {
      for (let place = from; place < to; place += 1) if (counts[place] !== 0) items[ranks[place]!] = { property: ranked.propertyOf(place), count: counts[place]! };
    });
  }
  return items;
}

function shownCountOf(counts: Uint32Array): number {
  let shownCount = 0;
  for (let place = 0; place < counts.length; place += 1) if (counts[place] !== 0) shownCount += 1;
  return shownCount;
}

function shownOf(counts: Uint32Array, shownCount: number): Counted {
  const shown: Counted = { places: new Uint32Array(shownCount), counts: new Uint32Array(shownCount) };
  for (let place = 0, into = 0; into < shownCount; place += 1) {
    if (counts[place] === 0) continue;
    shown.places[into] = place;
    shown.counts[into] = counts[place]!;
    into += 1;
  }
  return shown;
}

/** Counts below it have a bucket each, which fit into the CPU cache together. The few items with greater counts are sorted. */
const BUCKET_COUNT = 2_048;

/** The rank of each position with a count above 0, by count descending, then by the order of `order`, which lists each position once. */
function ranksOf(counts: Uint32Array, order: Uint32Array, shownCount: number): Uint32Array {
  const starts = new Uint32Array(BUCKET_COUNT);
  for (let place = 0; place < counts.length; place += 1) if (counts[place]! < BUCKET_COUNT) starts[counts[place]!]! += 1;
  let start = shownCount;
  for (let count = 1; count < BUCKET_COUNT; count += 1) {
    start -= starts[count]!;
    starts[count] = start;
  }
  const ranks = new Uint32Array(counts.length);
  const greater: number[] = [];
  for (let at = 0; at < order.length; at += 1) {
    const place = order[at]!;
    const count = counts[place]!;
    if (count >= BUCKET_COUNT) greater.push(place);
    else if (count > 0) {
      ranks[place] = starts[count]!;
      starts[count]! += 1;
    }
  }
  greater.sort((a, b) => counts[b]! - counts[a]!);
  greater.forEach((place, rank) => (ranks[place] = rank));
  return ranks;
}

function* topCounted(counts: Uint32Array, ranked: Ranked, limit: number): Steps<Counted> {
  let top = yield* topPlaces(counts, limit);
  if (limit <= FEW_ITEMS && top.length > CANDIDATE_COUNT) top = yield* withoutLateTies(top, counts, ranked, limit);
  const order = ranked.placesInOrder?.(top.length) ?? null;
  const places = order === null ? top : inOrder(top, order, counts.length);
  const shown = byCountDescending({ places, counts: countsOf(places, counts) });
  return order === null ? sortTies(shown, ranked) : shown;
}

/** Number of collected positions at which those that cannot be shown are dropped. */
const CANDIDATE_COUNT = 4_096;

/** Up to this limit, ties with the last item are decided while reading their texts, without sorting them. */
const FEW_ITEMS = 1_024;
const TEXTS_PER_STEP = 8_192;

/** Drops ties with the least of the greatest counts, except the first ones by text. */
function* withoutLateTies(top: Uint32Array, counts: Uint32Array, { propertyOf }: Ranked, limit: number): Steps<Uint32Array> {
  let least = Infinity;
  for (const place of top) least = Math.min(least, counts[place]!);
  const greater = top.filter((place) => counts[place]! > least);
  const first = new FirstInOrder<{ readonly place: number; readonly text: string }>(limit - greater.length, (a, b) => compareCodePoints(a.text, b.text));
  const ties = top.filter((place) => counts[place] === least);
  yield;
  yield* piecesOf(ties.length, TEXTS_PER_STEP, (from, to) => {
    for (let at = from; at < to; at += 1) first.offer({ place: ties[at]!, text: propertyOf(ties[at]!) });
  });
  return Uint32Array.from([...greater, ...first.items.map(({ place }) => place)]).sort();
}

/** The positions of the `limit` greatest counts above 0, and of all that tie with the last of them. Reads each count once. */
function* topPlaces(counts: Uint32Array, limit: number): Steps<Uint32Array> {
  const top = new TopPlaces(counts, limit);
  yield* piecesOf(counts.length, PLACES_PER_STEP, (from, to) => top.add(from, to));
  return top.places();
}

class TopPlaces {
  #candidates: Uint32Array<ArrayBuffer>;
  #candidateCount = 0;
  /** Lesser counts cannot be shown. */
  #least = 1;

  constructor(
    readonly counts: Uint32Array,
    readonly limit: number,
  ) {
    this.#candidates = new Uint32Array(Math.max(CANDIDATE_COUNT, limit * 4));
  }

  add(from: number, to: number): void {
    const { counts } = this;
    for (let place = from; place < to; place += 1) {
      if (counts[place]! < this.#least) continue;
      this.#candidates[this.#candidateCount] = place;
      this.#candidateCount += 1;
      if (this.#candidateCount === this.#candidates.length) this.#drop();
    }
  }

  places(): Uint32Array {
    this.#drop();
    return this.#candidates.slice(0, this.#candidateCount);
  }

  #drop(): void {
    const { counts, limit } = this;
    const candidates = this.#candidates.subarray(0, this.#candidateCount);
    const shown = countsOf(candidates, counts).sort();
    if (limit > 0 && limit <= shown.length) this.#least = Math.max(this.#least, shown[shown.length - limit]!);
    this.#candidateCount = 0;
    for (let at = 0; at < candidates.length; at += 1) {
      if (counts[candidates[at]!]! < this.#least) continue;
      candidates[this.#candidateCount] = candidates[at]!;
      this.#candidateCount += 1;
    }
    // Most of them tie.
    if (this.#candidateCount > this.#candidates.length / 2) this.#candidates = grown(this.#candidates, this.#candidates.length * 2);
  }
}

/** A plain loop: a callback per place takes many times as long. */
function countsOf(places: Uint32Array, counts: Uint32Array): Uint32Array {
  const own = new Uint32Array(places.length);
  for (let at = 0; at < places.length; at += 1) own[at] = counts[places[at]!]!;
  return own;
}

function inOrder(places: Uint32Array, order: Uint32Array, placeCount: number): Uint32Array {
  const isShown = new Uint8Array(placeCount);
  for (let at = 0; at < places.length; at += 1) isShown[places[at]!] = 1;
  const ordered = new Uint32Array(places.length);
  for (let at = 0, into = 0; at < order.length; at += 1) {
    if (isShown[order[at]!] !== 1) continue;
    ordered[into] = order[at]!;
    into += 1;
  }
  return ordered;
}

/** Bits of a radix digit, at least, unless counts have fewer. */
const DIGIT_BITS = 11;

interface Counted {
  readonly places: Uint32Array;
  readonly counts: Uint32Array;
}

/** Sorts by count descending, keeping the order of equal counts: a radix sort with digits about as long as the number of items. */
function byCountDescending(shown: Counted): Counted {
  let max = 0;
  for (let at = 0; at < shown.counts.length; at += 1) if (shown.counts[at]! > max) max = shown.counts[at]!;
  const countBits = 32 - Math.clz32(max);
  const itemBits = 32 - Math.clz32(shown.counts.length);
  const digitBits = countBits <= itemBits ? countBits : Math.max(DIGIT_BITS, Math.min(itemBits, 16));
  let from = shown;
  let into: Counted = { places: new Uint32Array(shown.places.length), counts: new Uint32Array(shown.places.length) };
  for (let shift = 0; shift < countBits; shift += digitBits) {
    sortByDigit(from, into, shift, digitBits);
    [from, into] = [into, from];
  }
  return from;
}

function sortByDigit(from: Counted, into: Counted, shift: number, digitBits: number): void {
  const last = 2 ** digitBits - 1;
  const starts = new Uint32Array(last + 2);
  // Greater digits come first.
  for (let at = 0; at < from.counts.length; at += 1) starts[last - ((from.counts[at]! >>> shift) & last) + 1]! += 1;
  for (let digit = 0; digit <= last; digit += 1) starts[digit + 1]! += starts[digit]!;
  for (let at = 0; at < from.counts.length; at += 1) {
    const count = from.counts[at]!;
    const digit = last - ((count >>> shift) & last);
    const place = starts[digit]!;
    starts[digit] = place + 1;
    into.places[place] = from.places[at]!;
    into.counts[place] = count;
  }
}

function sortTies(shown: Counted, { propertyOf }: Ranked): Counted {
  const { places, counts } = shown;
  for (let start = 0, end = 0; start < places.length; start = end) {
    while (end < places.length && counts[end] === counts[start]) end += 1;
    if (end - start > 1) sortByText(places.subarray(start, end), propertyOf);
  }
  return shown;
}

function sortByText(places: Uint32Array, propertyOf: (place: number) => string): void {
  const unsorted = places.slice();
  const order = sortedCodes(Array.from(unsorted, propertyOf), 0, places.length);
  for (let at = 0; at < places.length; at += 1) places[at] = unsorted[order[at]!]!;
}

/** The error for too many values of a field whose values are unique to each event, or nearly. */
export function tooManyValues(field: "id" | "createdAt"): DaybookError {
  const narrower = field === "id" ? "fewer days, a filter or a limit" : "fewer days or a filter";
  const reason = `expected at most ${LIMITS.ownValueCount} values of ${field} among the matching events, got more; use ${narrower}`;
  return parameterError("too_many_values", "field", reason);
}

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
    items.splice(countBefore(items.length, (at) => order(items[at]!, item) < 0), 0, item);
    if (items.length > count) items.pop();
  }
}

/** The first `count` of some numbers in an order. */
export function firstInOrder(numbers: readonly number[], count: number, order: (a: number, b: number) => number): number[] {
  const first = new FirstInOrder(count, order);
  for (let at = 0; at < numbers.length; at += 1) first.offer(numbers[at]!);
  return first.items;
}

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
