/* eslint-disable @typescript-eslint/no-non-null-assertion -- positions are below the length */
/** Bits of a double's significand. */
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

/** Counts of decimals that suffice for most numbers. */
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

/** An empty tally. */
export const NO_NUMBERS: Tally = { numbers: new Float64Array(0), counts: new Float64Array(0) };

/** Merges two tallies, changing neither. Cost: both. */
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

/** The number of values in a tally. */
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

/** The number at an index of all values in order. */
function numberAt({ numbers, counts }: Tally, place: number): number {
  let before = 0;
  for (let at = 0; at < counts.length; at += 1) {
    before += counts[at]!;
    if (place < before) return numbers[at]!;
  }
  return numbers.at(-1) ?? 0;
}
/* eslint-enable @typescript-eslint/no-non-null-assertion */

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
