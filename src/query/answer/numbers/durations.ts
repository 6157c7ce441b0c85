/** Durations in ms. */
export type Durations = Uint32Array | Float64Array;

const UINT32_MAX = 2 ** 32 - 1;

/** Allocates room for durations of at most `mostMs`: 4 bytes each if that is enough, else 8. */
export function roomForDurations(count: number, mostMs: number): Durations {
  return mostMs <= UINT32_MAX ? new Uint32Array(count) : new Float64Array(count);
}
