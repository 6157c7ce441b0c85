import { byCodePoint } from "./json.js";

/** Where something stands in the one order of events and records: its time, then the 128 bits of its id, then its project. */
export interface Moment {
  readonly createdAtMs: number;
  /** Canonical UUID. */
  readonly id: string;
  /** Records have none. */
  readonly project?: string;
}

/** Orders by time, then by the 128 bits of the id, then by the project's code points. */
export function byMoment(a: Moment, b: Moment): number {
  if (a.createdAtMs !== b.createdAtMs) return a.createdAtMs - b.createdAtMs;
  if (a.id !== b.id) return a.id < b.id ? -1 : 1;
  return byCodePoint(a.project ?? "", b.project ?? "");
}
