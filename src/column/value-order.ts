/* eslint-disable @typescript-eslint/no-non-null-assertion -- places are bounded by the lists */
import { compareCodePoints } from "../base/order.js";

/** A sort key is the first characters of a value, of this many values each, above the value's code. */
const CHAR_SPAN = 256;
/** Codes below this leave room for four characters within the 53 bits of a key, others for three. */
const SMALL_CODE_SPAN = 2 ** 21;
const CODE_SPAN = 2 ** 24;

/**
 * Codes `[from, to)` in the order of their values by code point. Most are told apart by a few characters behind what all
 * have in common: about 150 ns a value, where comparing texts takes 1,500.
 */
export function sortedCodes(values: readonly string[], from: number, to: number): Uint32Array {
  const span = to <= SMALL_CODE_SPAN ? SMALL_CODE_SPAN : CODE_SPAN;
  const charCount = span === SMALL_CODE_SPAN ? 4 : 3;
  const prefixLength = commonPrefixLength(values, from, to);
  const keys = new Float64Array(to - from);
  for (let code = from; code < to; code += 1) keys[code - from] = leadOf(values[code]!, prefixLength, charCount) * span + code;
  keys.sort();
  const codes = new Uint32Array(keys.length);
  for (let start = 0, end = 0; start < keys.length; start = end) {
    const lead = Math.floor(keys[start]! / span);
    for (; end < keys.length && Math.floor(keys[end]! / span) === lead; end += 1) codes[end] = keys[end]! - lead * span;
    if (end - start > 1) codes.subarray(start, end).sort((a, b) => compareCodePoints(values[a]!, values[b]!));
  }
  return codes;
}

/** Behind a character that does not fit into its bits nothing counts: only the texts themselves tell those values apart. */
function leadOf(value: string, start: number, charCount: number): number {
  let lead = 0;
  let isCut = false;
  for (let at = start; at < start + charCount; at += 1) {
    const unit: number = isCut || at >= value.length ? 0 : value.charCodeAt(at);
    isCut ||= unit >= CHAR_SPAN - 1;
    lead = lead * CHAR_SPAN + Math.min(unit, CHAR_SPAN - 1);
  }
  return lead;
}

/** Of all values but the empty one, which comes first by any of its characters. */
function commonPrefixLength(values: readonly string[], from: number, to: number): number {
  const first = values[from] || values[from + 1] || "";
  let length = first.length;
  for (let code = from; code < to && length > 0; code += 1) {
    const value = values[code]!;
    if (value === "") continue;
    if (value.length < length) length = value.length;
    for (let at = 0; at < length; at += 1) if (value.charCodeAt(at) !== first.charCodeAt(at)) length = at;
  }
  return length;
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
