/* eslint-disable @typescript-eslint/no-non-null-assertion -- identities are below the length once there is room for them */
import type { Yielder } from "../../../core/base/yield.js";
import { mergeInto, firstAtLeast } from "../../../core/base/search.js";
import { withRoomFor } from "../../../core/base/arrays.js";
import type { SessionColumns } from "./session-columns.js";

/** What sessionizing needs to know of an identity's sessions so far. Sessions are not negative. */
export interface SessionsSoFar {
  /** The latest session created for an identity; -1 for none that an event may still continue. */
  of(identity: number): number;
  /** Epoch ms of the identity's latest event, in any project. The identity must have a session. */
  endOf(identity: number): number;
  /** Sets a new session. @param ms the time of one of its events */
  put(identity: number, session: number, ms: number): void;
  /** Notes another event of the identity. */
  goOn(identity: number, ms: number): void;
}

/** Room for identities that come later. */
const SPARE_FACTOR = 1.25;
const VALUES_PER_IDENTITY = 12;
const VALUES_PER_SESSION = 12;

/** All sessions of each identity, from the latest to the first, and the time of its latest event: 12 bytes an identity, 4 a session. */
export class LatestSessions implements SessionsSoFar {
  /** By identity: 1 more than the session; 0 for none. */
  #sessions: Uint32Array;
  /** Epoch ms of the latest event, in any project. */
  #ends: Float64Array;
  /** By session: 1 more than the previous session created for the same identity; 0 for none. */
  #previous: Uint32Array;

  /** Cost: all sessions, yielding. */
  static async of({ count, identities, starts, lengths }: SessionColumns, identityEnd: number, yielder: Yielder): Promise<LatestSessions> {
    const latest = await LatestSessions.none(identityEnd, count, yielder);
    await yielder.inPieces(count, (from, to) => {
      for (let session = from; session < to; session += 1) latest.put(identities[session]!, session, starts[session]! + lengths[session]!);
    }, VALUES_PER_SESSION);
    return latest;
  }

  /** Without any sessions. The memory of identities is touched: first touches in any order would block for all of that time. */
  static async none(identityEnd: number, sessionCount: number, yielder: Yielder): Promise<LatestSessions> {
    const latest = new LatestSessions(Math.ceil(identityEnd * SPARE_FACTOR), Math.ceil(sessionCount * SPARE_FACTOR));
    await yielder.inPieces(latest.end, (from, to) => {
      latest.#sessions.fill(0, from, to);
      latest.#ends.fill(0, from, to);
    }, VALUES_PER_IDENTITY);
    return latest;
  }

  constructor(identityEnd: number, sessionCount: number) {
    this.#sessions = new Uint32Array(identityEnd);
    this.#ends = new Float64Array(identityEnd);
    this.#previous = new Uint32Array(sessionCount);
  }

  /** Identities with a session are below it. */
  get end(): number {
    return this.#sessions.length;
  }

  get byteLength(): number {
    return this.#sessions.byteLength + this.#ends.byteLength + this.#previous.byteLength;
  }

  /** -1 for none. */
  of(identity: number): number {
    return identity < this.#sessions.length ? this.#sessions[identity]! - 1 : -1;
  }

  /** The session that was created for the same identity before another one; -1 for none. */
  before(session: number): number {
    return this.#previous[session]! - 1;
  }

  endOf(identity: number): number {
    return this.#ends[identity]!;
  }

  put(identity: number, session: number, ms: number): void {
    if (identity >= this.#sessions.length) {
      this.#sessions = withRoomFor(this.#sessions, identity + 1);
      this.#ends = withRoomFor(this.#ends, identity + 1);
    }
    if (session >= this.#previous.length) this.#previous = withRoomFor(this.#previous, session + 1);
    const known = this.#sessions[identity]!;
    if (known === 0) this.#ends[identity] = ms;
    this.#previous[session] = known;
    this.#sessions[identity] = session + 1;
    this.goOn(identity, ms);
  }

  goOn(identity: number, ms: number): void {
    if (ms > this.#ends[identity]!) this.#ends[identity] = ms;
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
