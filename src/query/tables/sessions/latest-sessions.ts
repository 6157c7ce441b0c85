/* eslint-disable @typescript-eslint/no-non-null-assertion -- identities are below the length once there is room for them */
import type { Turns } from "../../../core/base/turn.js";
import { grown } from "./grown.js";

/** Cost of the memory of an identity, in values read. */
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

  /** Notes an event of an identity that has a session. */
  goOn(identity: number, ms: number): void {
    if (ms > this.#ends[identity]!) this.#ends[identity] = ms;
  }

  /** Like `reserve`, yielding, before any session exists. Also touches the memory, so that first touches do not slow down the first events. */
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
