/* eslint-disable @typescript-eslint/no-non-null-assertion -- identities are below the length once there is room for them */
import type { Turns } from "../../base/turn.js";
import { grown } from "./grown.js";

/** What memory for one costs, in values. */
const VALUES_PER_IDENTITY = 12;

/** The session of each identity that was made last, and when the latest event of the identity lies: each event looks at both. */
export class LatestSessions {
  /** By identity: 1 more than the session; 0 for none. */
  #sessions = new Uint32Array(1_024);
  /** Epoch ms of the latest event, whatever its project. */
  #ends = new Float64Array(1_024);

  /** Identities that have one are below it. */
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

  /** Of an identity that has one. */
  endOf(identity: number): number {
    return this.#ends[identity]!;
  }

  /** A session was made. @param ms when an event of it lies */
  put(identity: number, session: number, ms: number): void {
    if (identity >= this.#sessions.length) this.reserve(identity + 1);
    if (this.#sessions[identity] === 0) this.#ends[identity] = ms;
    this.#sessions[identity] = session + 1;
    this.goOn(identity, ms);
  }

  /** Somebody who has one did something more. */
  goOn(identity: number, ms: number): void {
    if (ms > this.#ends[identity]!) this.#ends[identity] = ms;
  }

  /** As `reserve`, in turns, where none has one as yet: identities come in any order, and memory touched for the first time makes the first slow. */
  async reserveInTurns(count: number, turns: Turns): Promise<void> {
    this.reserve(count);
    await turns.inPieces(this.end, (from, to) => {
      for (const column of [this.#sessions, this.#ends]) column.fill(0, from, to);
    }, VALUES_PER_IDENTITY);
  }

  /** Makes room for identities below a number. */
  reserve(count: number): void {
    this.#sessions = grown(this.#sessions, count);
    this.#ends = grown(this.#ends, count);
  }
}
