/* eslint-disable @typescript-eslint/no-non-null-assertion -- places are bounded by the lists */
import { compareCodePoints } from "./order.js";
import { sortNumbers } from "./sort-numbers.js";
import type { Turns } from "./turn.js";

/** Sort keys are whole numbers below this: some characters, told by their place in the alphabet of the values, above the value's place. */
const KEY_SPAN = 2 ** 53;
/** Characters from this unit on are not told apart by a key. */
const CHAR_SPAN = 256;
/** No key tells of more characters: each takes a bit at least. */
const KEY_CHAR_COUNT = 53;
/** So few values are compared rather than given keys. */
const FEW_VALUES = 24;

/**
 * Codes `[from, to)` in the order of their values by code point. Most are told apart by some characters behind what all have
 * in common, nine of them where these are digits; those that are not, by what follows: about 150 ns a value, where comparing
 * texts takes 1,500.
 */
export function sortedCodes(values: readonly string[], from: number, to: number): Uint32Array {
  const codes = new Uint32Array(to - from);
  for (let at = 0; at < codes.length; at += 1) codes[at] = from + at;
  sortCodes(codes, values, 0);
  return codes;
}

/** The same in turns of others. Cost: half as much again. */
export async function sortedCodesInTurns(values: readonly string[], from: number, to: number, turns: Turns): Promise<Uint32Array> {
  const codes = new Uint32Array(to - from);
  for (let at = 0; at < codes.length; at += 1) codes[at] = from + at;
  await sortInTurns(codes, values, 0, turns);
  return codes;
}

/** Puts any codes in the order of their values by code point, in their place. */
export function sortCodesByText(codes: Uint32Array, values: readonly string[]): void {
  sortCodes(codes, values, 0);
}

/** @param knownLength so many characters all values are known to have in common, but for empty ones */
function sortCodes(codes: Uint32Array, values: readonly string[], knownLength: number): void {
  if (codes.length <= FEW_VALUES) return compareAll(codes, values);
  const prefixLength = commonLength(codes, values, { first: firstText(codes, values), length: Infinity, knownLength }, 0, codes.length);
  const ranks = new Uint16Array(CHAR_SPAN);
  markUnits(ranks, codes, values, prefixLength, 0, codes.length);
  const leads = leadsOf(codes.length, prefixLength, ranks);
  const keys = new Float64Array(codes.length);
  fillKeys(keys, codes, values, leads, 0, codes.length);
  for (const tied of tiesOf(codes, keys.sort(), leads.span)) {
    // Where no key differs from another, the next ones would not either.
    if (tied.length === codes.length) compareAll(tied, values);
    else sortCodes(tied, values, prefixLength);
  }
}

/** So many values are ordered in one turn: some tenths of a millisecond. */
const TURN_VALUES = 2_048;
/** What a value costs in each of the steps, and what ordering it among a few does, in looks at a number. */
const [LENGTH_COST, UNITS_COST, KEY_COST, ORDER_COST] = [2, 6, 10, 24];

async function sortInTurns(codes: Uint32Array, values: readonly string[], knownLength: number, turns: Turns): Promise<void> {
  if (codes.length <= TURN_VALUES) {
    sortCodes(codes, values, knownLength);
    return await turns.took(codes.length * ORDER_COST);
  }
  const common = { first: firstText(codes, values), length: Infinity, knownLength };
  await turns.inPieces(codes.length, (from, to) => (common.length = commonLength(codes, values, common, from, to)), LENGTH_COST);
  const ranks = new Uint16Array(CHAR_SPAN);
  await turns.inPieces(codes.length, (from, to) => markUnits(ranks, codes, values, common.length, from, to), UNITS_COST);
  const leads = leadsOf(codes.length, common.length, ranks);
  const keys = new Float64Array(codes.length);
  await turns.inPieces(codes.length, (from, to) => fillKeys(keys, codes, values, leads, from, to), KEY_COST);
  for (const tied of tiesOf(codes, await sortNumbers(keys, turns), leads.span)) {
    if (tied.length < codes.length) await sortInTurns(tied, values, common.length, turns);
    else compareAll(tied, values);
  }
}

function compareAll(codes: Uint32Array, values: readonly string[]): void {
  codes.sort((a, b) => compareCodePoints(values[a]!, values[b]!));
}

/** Makes a number of some characters behind what all values have in common. */
interface Leads {
  /** Of each unit below `CHAR_SPAN` that occurs, from 1; 0 is the end of a value, greater units share the last. */
  readonly ranks: Uint16Array;
  readonly rankCount: number;
  readonly start: number;
  readonly charCount: number;
  /** Places are below it. */
  readonly span: number;
}

/** @param marks of units that occur; they become ranks */
function leadsOf(count: number, start: number, marks: Uint16Array): Leads {
  let rankCount = 1;
  for (let unit = 0; unit < CHAR_SPAN; unit += 1) {
    if (marks[unit] === 0) continue;
    marks[unit] = rankCount;
    rankCount += 1;
  }
  rankCount += 1;
  const span = 2 ** Math.ceil(Math.log2(count));
  return { ranks: marks, rankCount, start, span, charCount: Math.floor(Math.log(KEY_SPAN / span) / Math.log(rankCount)) };
}

/** Marks the units that occur in the characters behind a prefix. */
function markUnits(marks: Uint16Array, codes: Uint32Array, values: readonly string[], prefixLength: number, from: number, to: number): void {
  for (let at = from; at < to; at += 1) {
    const value = values[codes[at]!]!;
    const end = Math.min(value.length, prefixLength + KEY_CHAR_COUNT);
    for (let place = prefixLength; place < end; place += 1) {
      const unit = value.charCodeAt(place);
      if (unit < CHAR_SPAN) marks[unit] = 1;
    }
  }
}

function fillKeys(keys: Float64Array, codes: Uint32Array, values: readonly string[], leads: Leads, from: number, to: number): void {
  for (let at = from; at < to; at += 1) keys[at] = leadOf(values[codes[at]!]!, leads) * leads.span + at;
}

/** Behind a character that has no rank of its own nothing counts: only the texts themselves tell those values apart. */
function leadOf(value: string, { ranks, rankCount, start, charCount }: Leads): number {
  let lead = 0;
  let isCut = false;
  for (let at = start; at < start + charCount; at += 1) {
    const unit: number = isCut || at >= value.length ? -1 : value.charCodeAt(at);
    lead = lead * rankCount + (unit === -1 ? 0 : unit < CHAR_SPAN ? ranks[unit]! : rankCount - 1);
    isCut ||= unit >= CHAR_SPAN;
  }
  return lead;
}

/** Puts codes in the order of their keys; answers those in a row that no key tells apart. */
function tiesOf(codes: Uint32Array, keys: Float64Array, span: number): Uint32Array[] {
  const unsorted = codes.slice();
  const ties: Uint32Array[] = [];
  for (let start = 0, end = 0; start < keys.length; start = end) {
    const lead = Math.floor(keys[start]! / span);
    for (; end < keys.length && Math.floor(keys[end]! / span) === lead; end += 1) codes[end] = unsorted[keys[end]! - lead * span]!;
    if (end - start > 1) ties.push(codes.subarray(start, end));
  }
  return ties;
}

/** What the characters of values are compared with, and how many are known to be the same. */
interface Common {
  readonly first: string;
  /** Of the values that were looked at. */
  readonly length: number;
  readonly knownLength: number;
}

/** Of all values but the empty one, which comes first by any of its characters. */
function commonLength(codes: Uint32Array, values: readonly string[], { first, length: before, knownLength }: Common, from: number, to: number): number {
  let length = Math.min(before, first.length);
  for (let at = from; at < to && length > knownLength; at += 1) {
    const value = values[codes[at]!]!;
    if (value === "") continue;
    if (value.length < length) length = value.length;
    for (let place = knownLength; place < length; place += 1) if (value.charCodeAt(place) !== first.charCodeAt(place)) length = place;
  }
  return length;
}

function firstText(codes: Uint32Array, values: readonly string[]): string {
  return values[codes[0]!]! || values[codes[1]!]!;
}

/** Two lists of codes in order as one. Cost: a search for each of the shorter list, and a copy. */
export function mergeCodes(values: readonly string[], long: Uint32Array, short: Uint32Array): Uint32Array {
  const merged = new Uint32Array(long.length + short.length);
  let from = 0;
  for (let at = 0; at < short.length; at += 1) {
    const place = firstBehind(values, long, short[at]!, from);
    merged.set(long.subarray(from, place), from + at);
    merged[place + at] = short[at]!;
    from = place;
  }
  merged.set(long.subarray(from), from + short.length);
  return merged;
}

function firstBehind(values: readonly string[], codes: Uint32Array, code: number, from: number): number {
  let low = from;
  let high = codes.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compareCodePoints(values[codes[middle]!]!, values[code]!) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}
