/* eslint-disable @typescript-eslint/no-non-null-assertion -- sessions and positions are bounded by their lists */
import { firstAtLeast } from "../../../storage/column/search.js";

/** The sessions of `[first, end)` by start. Cost: a sort of numbers, and a search for each. */
export function byStart(starts: Float64Array, first: number, end: number): Uint32Array {
  const sorted = starts.slice(first, end).sort();
  const sessions = new Uint32Array(sorted.length);
  /** By the first index of a start: how many sessions with this start were placed. */
  const taken = new Uint32Array(sorted.length);
  for (let session = first; session < end; session += 1) {
    const place = firstAtLeast(sorted, starts[session]!);
    sessions[place + taken[place]!] = session;
    taken[place]! += 1;
  }
  return sessions;
}

/** Merges two lists of sessions by start. Cost: a search for each of `b`, and a copy of both. @param take allocates the result */
export function mergedByStart(a: Uint32Array, b: Uint32Array, starts: Float64Array, take: (length: number) => Uint32Array = (length) => new Uint32Array(length)): Uint32Array {
  if (a.length === 0 || b.length === 0) return a.length === 0 ? b : a;
  const all = take(a.length + b.length);
  let at = 0;
  for (let next = 0; next < b.length; next += 1) {
    const place = placeBehind(a, at, starts, starts[b[next]!]!);
    all.set(a.subarray(at, place), at + next);
    all[place + next] = b[next]!;
    at = place;
  }
  all.set(a.subarray(at), at + b.length);
  return all;
}

/** Index of the first session, from index `from` on, that starts after an instant. */
function placeBehind(sessions: Uint32Array, from: number, starts: Float64Array, ms: number): number {
  let [low, high] = [from, sessions.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (starts[sessions[middle]!]! <= ms) low = middle + 1;
    else high = middle;
  }
  return low;
}
