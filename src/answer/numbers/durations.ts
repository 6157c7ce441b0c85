/** Ms of durations. */
export type Durations = Uint32Array | Float64Array;

const UINT32_MAX = 2 ** 32 - 1;

/** Room for some durations, none of which is longer than `mostMs`: 4 bytes each where that is enough, else 8. */
export function roomForDurations(count: number, mostMs: number): Durations {
  return mostMs <= UINT32_MAX ? new Uint32Array(count) : new Float64Array(count);
}
