import { dividedHalfEven, scaled } from "../decimal.js";

/** `under` is positive. */
export interface Fraction {
  readonly over: bigint;
  readonly under: bigint;
}

/** No number has digits below 10^-324. */
const DIGITS = 330;
const ONE = 10n ** BigInt(DIGITS);

/** The decimal that JavaScript prints for a number, as a whole number of 10^-330. */
export function decimalOf(number: number): bigint {
  return scaled(number, DIGITS);
}

/** The nearest double to a fraction of 10^-330. */
export function shownDecimal({ over, under }: Fraction): number {
  return nearestDouble({ over, under: under * ONE });
}

export function sumOf(values: readonly bigint[]): bigint {
  return values.reduce((sum, value) => sum + value, 0n);
}

/** Null for nothing. */
export function averageOf(values: readonly bigint[]): Fraction | null {
  return values.length === 0 ? null : { over: sumOf(values), under: BigInt(values.length) };
}

/** linear between the two neighbours of the rank (n - 1)p. 0 gives the least value, 100 the greatest; null for nothing. */
export function percentileOf(values: readonly bigint[], percent: number): Fraction | null {
  const ascending = [...values].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  const hundredths = (ascending.length - 1) * percent;
  const below = ascending[Math.floor(hundredths / 100)];
  const above = ascending[Math.ceil(hundredths / 100)];
  if (below === undefined || above === undefined) return null;
  return { over: below * 100n + (above - below) * BigInt(hundredths % 100), under: 100n };
}

/** Halves go to the even neighbour, what lies beyond the largest double is the largest, and there is no -0. */
export function nearestDouble({ over, under }: Fraction): number {
  if (over < 0n) return 0 - nearestDouble({ over: -over, under });
  // In units of the least double, 2^-1074; of these 53 binary digits are kept.
  const least = over << 1_074n;
  const surplus = Math.max(0, (least / under).toString(2).length - 53);
  const digits = dividedHalfEven(least, under << BigInt(surplus));
  return Math.min(Number(digits) * 2 ** (surplus - 1_074), Number.MAX_VALUE);
}

/** Four decimals; null where nothing is divided by. */
export function rateOf(part: number, whole: number): number | null {
  return whole === 0 ? null : Math.round((part / whole) * 10_000) / 10_000;
}

/** Seconds with three decimals of exact milliseconds, which are not negative. */
export function secondsOf({ over, under }: Fraction): number {
  return Number((2n * over + under) / (2n * under)) / 1_000;
}
