/* How figures are rounded where they are shown. */

/** A share with four decimals; null of nothing. */
export function rateOf(part: number, whole: number): number | null {
  return whole === 0 ? null : Math.round((part / whole) * 10_000) / 10_000;
}

/** The seconds of an exact quotient of milliseconds, half up to the millisecond. */
export function secondsOf(sumMs: number, divisor: number): number {
  return Math.floor((2 * sumMs + divisor) / (2 * divisor)) / 1000;
}
