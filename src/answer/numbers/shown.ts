/* How figures are rounded where they are shown. */

/** A share with four decimals; null of nothing. */
export function rateOf(part: number, whole: number): number | null {
  return whole === 0 ? null : Math.round((part / whole) * 10_000) / 10_000;
}

/** The seconds of an exact quotient of milliseconds, half up to the millisecond. */
export function secondsOf(sumMs: number, divisor: number): number {
  return Math.floor((2 * sumMs + divisor) / (2 * divisor)) / 1000;
}

/** A percentile of ascending durations by linear interpolation, in seconds; null of nothing. */
export function percentileSecondsOf(ascendingMs: Float64Array, percent: number): number | null {
  const last = ascendingMs.length - 1;
  if (last < 0) return null;
  const place = last * percent;
  const rest = place % 100;
  const low = ascendingMs[Math.floor(place / 100)] ?? 0;
  const high = ascendingMs[Math.ceil(place / 100)] ?? 0;
  return secondsOf(low * (100 - rest) + high * rest, 100);
}
