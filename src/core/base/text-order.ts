/* eslint-disable @typescript-eslint/no-non-null-assertion -- indexes are bounded by their lists */
import { sortNumbers } from "./arrays.js";
import { mergeInto } from "./search.js";
import type { Yielder } from "./yield.js";

/** Sort keys are integers below this: the ranks of some characters, then, as the low part, the position of the value. */
const KEY_SPAN = 2 ** 53;
/** Keys do not distinguish characters from this unit on. */
const CHAR_SPAN = 256;
/** Most characters of a key: each takes at least one bit. */
const KEY_CHAR_COUNT = 53;
/** Up to this many values are compared instead of being given keys. */
const FEW_VALUES = 24;

/** Codes `[from, to)` by code points: sorts keys of some characters, then ties. About 150 ns a value, where comparing texts takes 1,500. */
export function sortedCodes(values: readonly string[], from: number, to: number): Uint32Array {
  const codes = new Uint32Array(to - from);
  for (let at = 0; at < codes.length; at += 1) codes[at] = from + at;
  sortCodes(codes, values, 0);
  return codes;
}

/** Like `sortedCodes`, yielding in between. Cost: half as much again. */
export async function sortedCodesYielding(values: readonly string[], from: number, to: number, yielder: Yielder): Promise<Uint32Array> {
  const codes = new Uint32Array(to - from);
  for (let at = 0; at < codes.length; at += 1) codes[at] = from + at;
  await sortYielding(codes, values, 0, yielder);
  return codes;
}

export function sortCodesByText(codes: Uint32Array, values: readonly string[]): void {
  sortCodes(codes, values, 0);
}

/** @param knownLength length of a prefix that all values but empty ones are known to share */
function sortCodes(codes: Uint32Array, values: readonly string[], knownLength: number): void {
  if (codes.length <= FEW_VALUES) return compareAll(codes, values);
  const prefixLength = commonLength(codes, values, { first: firstText(codes, values), length: Infinity, knownLength }, 0, codes.length);
  const ranks = new Uint16Array(CHAR_SPAN);
  markUnits(ranks, codes, values, prefixLength, 0, codes.length);
  const prefixes = prefixesOf(codes.length, prefixLength, ranks);
  const keys = new Float64Array(codes.length);
  fillKeys(keys, codes, values, prefixes, 0, codes.length);
  for (const tied of tiesOf(codes, keys.sort(), prefixes.span)) {
    // If all keys are equal, the next ones would be too.
    if (tied.length === codes.length) compareAll(tied, values);
    else sortCodes(tied, values, prefixLength);
  }
}

/** Values sorted without yielding: some tenths of a millisecond. */
const TURN_VALUES = 2_048;
/** Cost of a value in each step, and of sorting it among a few, in numbers read. */
const [LENGTH_COST, UNITS_COST, KEY_COST, ORDER_COST] = [2, 6, 10, 24];

async function sortYielding(codes: Uint32Array, values: readonly string[], knownLength: number, yielder: Yielder): Promise<void> {
  if (codes.length <= TURN_VALUES) {
    sortCodes(codes, values, knownLength);
    return await yielder.yieldAfter(codes.length * ORDER_COST);
  }
  const common = { first: firstText(codes, values), length: Infinity, knownLength };
  await yielder.inPieces(codes.length, (from, to) => (common.length = commonLength(codes, values, common, from, to)), LENGTH_COST);
  const ranks = new Uint16Array(CHAR_SPAN);
  await yielder.inPieces(codes.length, (from, to) => markUnits(ranks, codes, values, common.length, from, to), UNITS_COST);
  const prefixes = prefixesOf(codes.length, common.length, ranks);
  const keys = new Float64Array(codes.length);
  await yielder.inPieces(codes.length, (from, to) => fillKeys(keys, codes, values, prefixes, from, to), KEY_COST);
  for (const tied of tiesOf(codes, await sortNumbers(keys, yielder), prefixes.span)) {
    if (tied.length < codes.length) await sortYielding(tied, values, common.length, yielder);
    else compareAll(tied, values);
  }
}

/** Values may be dropped while their codes are sorted in turns: whoever drops them discards the order. */
function textOf(values: readonly string[], code: number): string {
  return values[code] ?? "";
}

function compareAll(codes: Uint32Array, values: readonly string[]): void {
  codes.sort((a, b) => compareCodePoints(textOf(values, a), textOf(values, b)));
}

/** Turns some characters after the common prefix into a number. */
interface KeyPrefixes {
  /** By unit below `CHAR_SPAN` that occurs, from 1; 0 is the end of a value, greater units share the last rank. */
  readonly ranks: Uint16Array;
  readonly rankCount: number;
  readonly start: number;
  readonly charCount: number;
  /** Positions are below it. */
  readonly span: number;
}

/** @param marks of units that occur; replaced by their ranks */
function prefixesOf(count: number, start: number, marks: Uint16Array): KeyPrefixes {
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

function markUnits(marks: Uint16Array, codes: Uint32Array, values: readonly string[], prefixLength: number, from: number, to: number): void {
  for (let at = from; at < to; at += 1) {
    const value = textOf(values, codes[at]!);
    const end = Math.min(value.length, prefixLength + KEY_CHAR_COUNT);
    for (let place = prefixLength; place < end; place += 1) {
      const unit = value.charCodeAt(place);
      if (unit < CHAR_SPAN) marks[unit] = 1;
    }
  }
}

function fillKeys(keys: Float64Array, codes: Uint32Array, values: readonly string[], prefixes: KeyPrefixes, from: number, to: number): void {
  for (let at = from; at < to; at += 1) keys[at] = prefixOf(textOf(values, codes[at]!), prefixes) * prefixes.span + at;
}

/** Nothing counts after a character without a rank of its own: only comparing the texts distinguishes such values. */
function prefixOf(value: string, { ranks, rankCount, start, charCount }: KeyPrefixes): number {
  let prefix = 0;
  let isCut = false;
  for (let at = start; at < start + charCount; at += 1) {
    const unit: number = isCut || at >= value.length ? -1 : value.charCodeAt(at);
    prefix = prefix * rankCount + (unit === -1 ? 0 : unit < CHAR_SPAN ? ranks[unit]! : rankCount - 1);
    isCut ||= unit >= CHAR_SPAN;
  }
  return prefix;
}

/** Sorts codes by their keys; returns each run of codes with equal keys. */
function tiesOf(codes: Uint32Array, keys: Float64Array, span: number): Uint32Array[] {
  const unsorted = codes.slice();
  const ties: Uint32Array[] = [];
  for (let start = 0, end = 0; start < keys.length; start = end) {
    const prefix = Math.floor(keys[start]! / span);
    for (; end < keys.length && Math.floor(keys[end]! / span) === prefix; end += 1) codes[end] = unsorted[keys[end]! - prefix * span]!;
    if (end - start > 1) ties.push(codes.subarray(start, end));
  }
  return ties;
}

/** The text that values are compared with, and the length of the prefix known to be shared. */
interface Common {
  readonly first: string;
  readonly length: number;
  readonly knownLength: number;
}

/** The length of the prefix of all values but the empty one, which sorts first anyway. */
function commonLength(codes: Uint32Array, values: readonly string[], { first, length: before, knownLength }: Common, from: number, to: number): number {
  let length = Math.min(before, first.length);
  for (let at = from; at < to && length > knownLength; at += 1) {
    const value = textOf(values, codes[at]!);
    if (value === "") continue;
    if (value.length < length) length = value.length;
    for (let place = knownLength; place < length; place += 1) if (value.charCodeAt(place) !== first.charCodeAt(place)) length = place;
  }
  return length;
}

function firstText(codes: Uint32Array, values: readonly string[]): string {
  return textOf(values, codes[0]!) || textOf(values, codes[1]!);
}

/** Merges two sorted lists of codes. Cost: a binary search for each code of the shorter list, and a copy. */
export function mergeCodes(values: readonly string[], long: Uint32Array, short: Uint32Array): Uint32Array {
  return mergeInto(new Uint32Array(long.length + short.length), long, short, (own, other) => compareCodePoints(values[own]!, values[other]!) < 0);
}

/** By Unicode code point, which is UTF-8 byte order; in UTF-16, surrogates (D800–DFFF) stand for code points above E000–FFFF. */
export function compareCodePoints(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at += 1) {
    const x = a.charCodeAt(at);
    const y = b.charCodeAt(at);
    if (x !== y) return liftSurrogate(x) - liftSurrogate(y);
  }
  return a.length - b.length;
}

function liftSurrogate(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x2000 : unit >= 0xe000 ? unit - 0x800 : unit;
}
