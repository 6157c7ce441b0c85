/* Rounding of shown figures. */

/** A share with four decimals; null when the whole is 0. */
export function rateOf(part: number, whole: number): number | null {
  return whole === 0 ? null : Math.round((part / whole) * 10_000) / 10_000;
}

/** A quotient of milliseconds in seconds, rounded half up to the millisecond. */
export function secondsOf(sumMs: number, divisor: number): number {
  return Math.floor((2 * sumMs + divisor) / (2 * divisor)) / 1000;
}
