/* eslint-disable @typescript-eslint/no-non-null-assertion -- identities are below the length once there is room for them */
import type { Yielder } from "../../../core/base/yield.js";
import { mergeInto, firstAtLeast } from "../../../core/base/search.js";
import { withRoomFor } from "../../../core/base/arrays.js";

const VALUES_PER_IDENTITY = 12;

/** The latest session created for each identity, and the time of its latest event: each event reads both. */
export class LatestSessions {
  /** By identity: 1 more than the session; 0 for none. */
  #sessions = new Uint32Array(1_024);
  /** Epoch ms of the latest event, in any project. */
  #ends = new Float64Array(1_024);

  /** Identities with a session are below it. */
  get end(): number {
    return this.#sessions.length;
  }

  get byteLength(): number {
    return this.#sessions.byteLength + this.#ends.byteLength;
  }

  /** -1 for none. */
  of(identity: number): number {
    return identity < this.#sessions.length ? this.#sessions[identity]! - 1 : -1;
  }

  /** The identity must have a session. */
  endOf(identity: number): number {
    return this.#ends[identity]!;
  }

  /** Sets a new session. @param ms the time of one of its events */
  put(identity: number, session: number, ms: number): void {
    if (identity >= this.#sessions.length) this.reserve(identity + 1);
    if (this.#sessions[identity] === 0) this.#ends[identity] = ms;
    this.#sessions[identity] = session + 1;
    this.goOn(identity, ms);
  }

  goOn(identity: number, ms: number): void {
    if (ms > this.#ends[identity]!) this.#ends[identity] = ms;
  }

  /** Like `reserve`, yielding, before any session exists. Also touches the memory, so that first touches do not slow down the first events. */
  async reserveYielding(count: number, yielder: Yielder): Promise<void> {
    this.reserve(count);
    await yielder.inPieces(this.end, (from, to) => {
      for (const column of [this.#sessions, this.#ends]) column.fill(0, from, to);
    }, VALUES_PER_IDENTITY);
  }

  reserve(count: number): void {
    this.#sessions = withRoomFor(this.#sessions, count);
    this.#ends = withRoomFor(this.#ends, count);
  }
}

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
  return mergeInto(take(a.length + b.length), a, b, (own, other) => starts[own]! <= starts[other]!);
}
