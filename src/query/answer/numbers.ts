/* eslint-disable @typescript-eslint/no-non-null-assertion -- indexes are bounded by their lists */
import { countBefore } from "../../core/base/search.js";
import { inPieces, Yielder } from "../../core/base/yield.js";
import { sortNumbers } from "../../core/base/arrays.js";
import type { NumericMeasureType } from "../plan/input.js";

const SIGNIFICAND_BITS = 53;
/** The smallest double above 0 is 2 to the power of −1074: no quotient needs finer bits. */
const FINEST_BITS = 1_074;

/** The double nearest to an exact quotient, ties to even; limited to the largest double; never −0. @param denominator above 0 */
export function nearestDouble(numerator: bigint, denominator: bigint): number {
  if (numerator === 0n) return 0;
  const size = nearestAboveZero(numerator < 0n ? -numerator : numerator, denominator);
  return numerator < 0n && size !== 0 ? -size : size;
}

function nearestAboveZero(numerator: bigint, denominator: bigint): number {
  // This shift gives the quotient at least one bit more than a double has, unless it is below all normal doubles.
  const shift = Math.min(SIGNIFICAND_BITS + 1 - (bitLength(numerator) - bitLength(denominator)), FINEST_BITS);
  const [up, down] = shift >= 0 ? [numerator << BigInt(shift), denominator] : [numerator, denominator << BigInt(-shift)];
  const quotient = up / down;
  const dropped = Math.max(0, bitLength(quotient) - SIGNIFICAND_BITS);
  const unit = down << BigInt(dropped);
  const kept = quotient >> BigInt(dropped);
  const twice = (up - kept * unit) * 2n;
  const rounded = twice > unit || (twice === unit && (kept & 1n) === 1n) ? kept + 1n : kept;
  return Math.min(scaled(Number(rounded), dropped - shift), Number.MAX_VALUE);
}

/** Multiplies by a power of two in two steps, because the power alone may be no double. */
function scaled(value: number, exponent: number): number {
  const half = Math.trunc(exponent / 2);
  return value * 2 ** half * 2 ** (exponent - half);
}

function bitLength(value: bigint): number {
  const hex = value.toString(16);
  return (hex.length - 1) * 4 + (32 - Math.clz32(parseInt(hex.charAt(0), 16)));
}

/** A number as the decimal that JavaScript prints for it: an integer of 10 to the power of −digits. */
interface Decimal {
  readonly units: bigint;
  readonly digits: number;
}

/** Numbers with a common count of decimals, as integers of the last one. */
interface Decimals {
  readonly units: readonly bigint[] | Float64Array;
  readonly digits: number;
}

const USUAL_DIGITS = [0, 2, 4, 6];
/** Below it, doubles distinguish all decimals, so the shortest one that names a double is the exact one. */
const EXACT_UNITS = 10 ** 15;

/** The decimals that JavaScript prints for finite numbers, on one scale: as doubles if these are exact, else as bigints. */
function decimalsOf(numbers: Float64Array): Decimals {
  for (const digits of USUAL_DIGITS) {
    const units = unitsOf(numbers, 10 ** digits);
    if (units !== null) return { units, digits };
  }
  const decimals = Array.from(numbers, decimalOf);
  const digits = decimals.reduce((most, decimal) => Math.max(most, decimal.digits), 0);
  return { units: decimals.map((decimal) => decimal.units * 10n ** BigInt(digits - decimal.digits)), digits };
}

function unitsOf(numbers: Float64Array, scale: number): Float64Array | null {
  const units = new Float64Array(numbers.length);
  for (let at = 0; at < numbers.length; at += 1) {
    const number = numbers[at] ?? 0;
    const scaled = Math.round(number * scale);
    if (scaled / scale !== number || Math.abs(scaled) >= EXACT_UNITS) return null;
    units[at] = scaled;
  }
  return units;
}

function decimalOf(number: number): Decimal {
  const [mantissa = "0", exponent = "0"] = String(number).split("e");
  const [whole = "0", fraction = ""] = mantissa.split(".");
  const units = BigInt(whole + fraction);
  const digits = fraction.length - Number(exponent);
  return digits >= 0 ? { units, digits } : { units: units * 10n ** BigInt(-digits), digits: 0 };
}

/** Distinct finite numbers, ascending, and the count of each. */
export interface Tally {
  readonly numbers: Float64Array;
  readonly counts: Float64Array;
}

/** A tally of numbers in any order, possibly repeated. */
export function tallyOf(numbers: Float64Array, counts: Float64Array): Tally {
  const order = Uint32Array.from(numbers.keys()).sort((a, b) => numbers[a]! - numbers[b]!);
  const tally = { numbers: new Float64Array(numbers.length), counts: new Float64Array(numbers.length) };
  let count = 0;
  for (let at = 0; at < order.length; at += 1) {
    // Adding 0 turns −0 into 0.
    const number = numbers[order[at]!]! + 0;
    if (count === 0 || tally.numbers[count - 1] !== number) {
      tally.numbers[count] = number;
      count += 1;
    }
    tally.counts[count - 1]! += counts[order[at]!]!;
  }
  return { numbers: tally.numbers.slice(0, count), counts: tally.counts.slice(0, count) };
}

export const NO_NUMBERS: Tally = { numbers: new Float64Array(0), counts: new Float64Array(0) };

export function bothTallies(a: Tally, b: Tally): Tally {
  if (a.numbers.length === 0 || b.numbers.length === 0) return a.numbers.length === 0 ? b : a;
  const all = { numbers: new Float64Array(a.numbers.length + b.numbers.length), counts: new Float64Array(a.numbers.length + b.numbers.length) };
  let count = 0;
  for (let left = 0, right = 0; left < a.numbers.length || right < b.numbers.length; count += 1) {
    const [first, second] = [a.numbers[left] ?? Infinity, b.numbers[right] ?? Infinity];
    all.numbers[count] = Math.min(first, second);
    if (first <= second) {
      all.counts[count]! += a.counts[left]!;
      left += 1;
    }
    if (second <= first) {
      all.counts[count]! += b.counts[right]!;
      right += 1;
    }
  }
  return { numbers: all.numbers.slice(0, count), counts: all.counts.slice(0, count) };
}

export function countOf({ counts }: Tally): number {
  return counts.reduce((sum, count) => sum + count, 0);
}

/** The exact sum, rounded once; 0 for an empty tally. */
export function sumOf(tally: Tally): number {
  const { units, scale } = exactSum(tally);
  return nearestDouble(units, scale);
}

/** The exact mean, rounded once; null for an empty tally. */
export function meanOf(tally: Tally): number | null {
  const count = countOf(tally);
  if (count === 0) return null;
  const { units, scale } = exactSum(tally);
  return nearestDouble(units, scale * BigInt(count));
}

/**
 * A percentile by linear interpolation between neighbours, as in R-7 (Hyndman and Fan, Sample Quantiles in Statistical Packages, 1996) and DuckDB's
 * `quantile_cont`; exact, rounded once; null for an empty tally.
 */
export function percentileOf(tally: Tally, percent: number): number | null {
  const count = countOf(tally);
  if (count === 0) return null;
  const place = (count - 1) * percent;
  const rest = place % 100;
  const [low, high] = [numberAt(tally, Math.floor(place / 100)), numberAt(tally, Math.ceil(place / 100))];
  if (low === high || rest === 0) return low;
  const { units, digits } = decimalsOf(Float64Array.of(low, high));
  const between = BigInt(units[0]!) * BigInt(100 - rest) + BigInt(units[1]!) * BigInt(rest);
  return nearestDouble(between, 100n * 10n ** BigInt(digits));
}

const PERCENTS = { min: 0, p25: 25, median: 50, p75: 75, p90: 90, p95: 95, p99: 99, max: 100 } as const;

/** A measure of numbers, exact and rounded once; null for an empty tally, whose sum is 0. */
export function numericFigure(tally: Tally, type: NumericMeasureType): number | null {
  if (type === "sum") return sumOf(tally);
  return type === "avg" ? meanOf(tally) : percentileOf(tally, PERCENTS[type]);
}

function exactSum({ numbers, counts }: Tally): { units: bigint; scale: bigint } {
  const { units, digits } = decimalsOf(numbers);
  let sum = 0n;
  // Adds doubles while that is exact.
  let small = 0;
  for (let at = 0; at < units.length; at += 1) {
    const unit = units[at]!;
    const next = typeof unit === "number" ? small + unit * counts[at]! : NaN;
    if (Number.isSafeInteger(next)) small = next;
    else sum += BigInt(unit) * BigInt(counts[at]!);
  }
  return { units: sum + BigInt(small), scale: 10n ** BigInt(digits) };
}

function numberAt({ numbers, counts }: Tally, place: number): number {
  let before = 0;
  for (let at = 0; at < counts.length; at += 1) {
    before += counts[at]!;
    if (place < before) return numbers[at]!;
  }
  return numbers.at(-1) ?? 0;
}

/* Rounding of shown figures. */

/** A share with four decimals; null when the whole is 0. */
export function rateOf(part: number, whole: number): number | null {
  return whole === 0 ? null : Math.round((part / whole) * 10_000) / 10_000;
}

/** A quotient of milliseconds in seconds, rounded half up to the millisecond. */
export function secondsOf(sumMs: number, divisor: number): number {
  return Math.floor((2 * sumMs + divisor) / (2 * divisor)) / 1000;
}

/** Durations in ms. */
export type Durations = Uint32Array | Float64Array;

const UINT32_MAX = 2 ** 32 - 1;

/** Allocates room for durations of at most `mostMs`: 4 bytes each if that is enough, else 8. */
export function roomForDurations(count: number, mostMs: number): Durations {
  return mostMs <= UINT32_MAX ? new Uint32Array(count) : new Float64Array(count);
}

const FEW = 8_192;

/** Significant bits of a bin: values below `EXACT_BELOW` have a bin each; greater ones share one with those of the same leading bits. */
const MANTISSA_BITS = 8;
const EXACT_BELOW = 2 ** MANTISSA_BITS;
const BIN_COUNT = (33 - MANTISSA_BITS) * EXACT_BELOW;

/**
 * Percentiles of the durations at some positions, in any order, by linear interpolation, in seconds; null without durations.
 * Cost: a read of each to bin it, and another one to collect those of the requested bins; a sort when they do not fit 32 bits.
 * @param places null: all
 */
export async function percentilesOf(
  durations: Durations,
  places: Uint32Array | null,
  percents: readonly number[],
  pause: () => Promise<void>,
): Promise<(number | null)[]> {
  const count = places?.length ?? durations.length;
  const ranks = ranksOf(count, percents);
  const isBinned = count > FEW && durations instanceof Uint32Array;
  const values = isBinned ? await binnedAt(durations, places, ranks, pause) : await sortedAt(durations, places, ranks, pause);
  return percentilesAtRanks(count, percents, values);
}

/** The same, with durations of 0 ms only counted and the others in ascending lists. Cost: about 30 searches in each list for each percentile. */
export function percentilesOfLists(zeroCount: number, lists: readonly Durations[], percents: readonly number[]): (number | null)[] {
  const count = lists.reduce((sum, { length }) => sum + length, zeroCount);
  return percentilesAtRanks(count, percents, ranksOf(count, percents).map((rank) => (rank < zeroCount ? 0 : valueAt(lists, rank - zeroCount))));
}

/** For each percentile the ranks of the two values that it lies between. */
function ranksOf(count: number, percents: readonly number[]): number[] {
  const last = count - 1;
  return percents.flatMap((percent) => [Math.floor((last * percent) / 100), Math.ceil((last * percent) / 100)]);
}

/** Percentiles in seconds; null of no values. @param values in ms, at the ranks below and above each percentile, which may be the same */
export function percentilesAtRanks(count: number, percents: readonly number[], values: readonly number[]): (number | null)[] {
  const last = count - 1;
  if (last < 0) return percents.map(() => null);
  return percents.map((percent, at) => {
    const rest = (last * percent) % 100;
    return secondsOf(values[at * 2]! * (100 - rest) + values[at * 2 + 1]! * rest, 100);
  });
}

/** The least whole number that more values than `rank` do not exceed; it is one of the values. */
function valueAt(lists: readonly Durations[], rank: number): number {
  const [only, ...others] = lists;
  if (others.length === 0) return only?.[rank] ?? 0;
  let low = 0;
  let high = lists.reduce((most, list) => Math.max(most, list.at(-1) ?? 0), 0);
  while (low < high) {
    const middle = low + Math.floor((high - low) / 2);
    if (countUpTo(lists, middle) > rank) high = middle;
    else low = middle + 1;
  }
  return low;
}

function countUpTo(lists: readonly Durations[], value: number): number {
  return lists.reduce((count, list) => count + countBefore(list.length, (at) => list[at]! <= value), 0);
}

async function sortedAt(durations: Durations, places: Uint32Array | null, ranks: readonly number[], pause: () => Promise<void>): Promise<number[]> {
  const values = new Float64Array(places?.length ?? durations.length);
  if (places === null) values.set(durations);
  else
    await inPieces(values.length, pause, (from, to) => {
      for (let at = from; at < to; at += 1) values[at] = durations[places[at]!]!;
    });
  const sorted = await sortNumbers(values, new Yielder(undefined, pause));
  return ranks.map((rank) => sorted[rank]!);
}

async function binnedAt(durations: Uint32Array, places: Uint32Array | null, ranks: readonly number[], pause: () => Promise<void>): Promise<number[]> {
  const count = places?.length ?? durations.length;
  const counts = new Uint32Array(BIN_COUNT);
  await inPieces(count, pause, (from, to) => {
    for (let at = from; at < to; at += 1) counts[binOf(durations[places === null ? at : places[at]!]!)]! += 1;
  });
  const ends = counts.slice();
  for (let bin = 1; bin < BIN_COUNT; bin += 1) ends[bin]! += ends[bin - 1]!;
  const binsOfRanks = ranks.map((rank) => ends.findIndex((end) => end > rank));
  // All values of a bin below `EXACT_BELOW` are equal.
  const shared = [...new Set(binsOfRanks)].filter((bin) => bin >= EXACT_BELOW);
  const lists = await sortedBins(durations, places, shared.map((bin) => ({ bin, values: new Float64Array(counts[bin]!) })), pause);
  return ranks.map((rank, at) => {
    const bin = binsOfRanks[at]!;
    return bin < EXACT_BELOW ? bin : lists[shared.indexOf(bin)]![rank - (ends[bin]! - counts[bin]!)]!;
  });
}

interface Bin {
  readonly bin: number;
  readonly values: Float64Array;
}

async function sortedBins(
  durations: Uint32Array,
  places: Uint32Array | null,
  bins: readonly Bin[],
  pause: () => Promise<void>,
): Promise<Float64Array[]> {
  if (bins.length === 0) return [];
  /** By bin: 1 more than its index in `bins`; 0 for others. */
  const placesOfBins = new Uint8Array(BIN_COUNT);
  for (const [place, { bin }] of bins.entries()) placesOfBins[bin] = place + 1;
  const ends = new Uint32Array(bins.length);
  await inPieces(places?.length ?? durations.length, pause, (from, to) => {
    for (let at = from; at < to; at += 1) {
      const duration = durations[places === null ? at : places[at]!]!;
      const place = placesOfBins[binOf(duration)]! - 1;
      if (place < 0) continue;
      bins[place]!.values[ends[place]!] = duration;
      ends[place]! += 1;
    }
  });
  const sorted: Float64Array[] = [];
  const yielder = new Yielder(undefined, pause);
  for (const { values } of bins) sorted.push(await sortNumbers(values, yielder));
  return sorted;
}

/** Bins ascend with their values. */
function binOf(duration: number): number {
  if (duration < EXACT_BELOW) return duration;
  const shift = 32 - MANTISSA_BITS - 1 - Math.clz32(duration);
  return (shift + 1) * EXACT_BELOW + ((duration >>> shift) & (EXACT_BELOW - 1));
}
