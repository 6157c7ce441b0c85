/* eslint-disable @typescript-eslint/no-non-null-assertion -- sessions and places are bounded by their lists */
import { sortNumbers } from "../../base/sort-numbers.js";
import type { Turns } from "../../base/turn.js";
import { firstAtLeast } from "../../column/search.js";

/** What finding the place of a session costs, in values. */
const VALUES_PER_PLACE = 32;

/** The sessions of `[first, end)` by their starts. Cost: a sort of numbers, and a search for each. */
export function byStart(starts: Float64Array, first: number, end: number): Uint32Array {
  const order = new OrderByStart(starts, starts.slice(first, end).sort());
  order.put(first, end);
  return order.sessions;
}

/** The same of many, in turns. */
export async function byStartInTurns(starts: Float64Array, first: number, end: number, turns: Turns): Promise<Uint32Array> {
  const order = new OrderByStart(starts, await sortNumbers(starts.slice(first, end), turns));
  await turns.inPieces(end - first, (from, to) => order.put(first + from, first + to), VALUES_PER_PLACE);
  return order.sessions;
}

class OrderByStart {
  readonly sessions: Uint32Array;
  /** By the first place of a start: how many sessions were put there and behind it. */
  readonly #taken: Uint32Array;

  constructor(
    readonly starts: Float64Array,
    /** The starts of those that are put, ascending. */
    readonly sorted: Float64Array,
  ) {
    this.sessions = new Uint32Array(sorted.length);
    this.#taken = new Uint32Array(sorted.length);
  }

  put(from: number, to: number): void {
    for (let session = from; session < to; session += 1) {
      const place = firstAtLeast(this.sorted, this.starts[session]!);
      this.sessions[place + this.#taken[place]!] = session;
      this.#taken[place]! += 1;
    }
  }
}

/** Two lists of sessions, each by start, as one. Cost: a search for each of `b`, and a copy of both. @param take memory for so many */
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

/** Place of the first of some sessions, from one on, that starts after an instant. */
function placeBehind(sessions: Uint32Array, from: number, starts: Float64Array, ms: number): number {
  let [low, high] = [from, sessions.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (starts[sessions[middle]!]! <= ms) low = middle + 1;
    else high = middle;
  }
  return low;
}
