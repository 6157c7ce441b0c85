/** Where something stands in the one order of events and records: its time, then the 128 bits of its id. */
export interface Moment {
  readonly createdAtMs: number;
  /** Canonical UUID. */
  readonly id: string;
}

/** Orders by time, then by the 128 bits of the id. */
export function byMoment(a: Moment, b: Moment): number {
  if (a.createdAtMs !== b.createdAtMs) return a.createdAtMs - b.createdAtMs;
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
}
