/* eslint-disable @typescript-eslint/no-non-null-assertion -- identities are below the length once there is room for them */
import type { Turns } from "../../base/turn.js";
import { grown } from "./grown.js";

/** What memory for one costs, in values. */
const VALUES_PER_IDENTITY = 16;

/** The latest session of each identity, as far as sessions are stitched: its end and project stand beside it, for each run looks at them. */
export class LatestSessions {
  /** By identity: 1 more than the session; 0 for none. */
  #sessions = new Uint32Array(1_024);
  /** Epoch ms of its last event. */
  #ends = new Float64Array(1_024);
  #projects = new Uint32Array(1_024);

  /** Identities that have one are below it. */
  get end(): number {
    return this.#sessions.length;
  }

  get byteLength(): number {
    return this.#sessions.byteLength + this.#ends.byteLength + this.#projects.byteLength;
  }

  /** -1 for none. There is room for the identity afterwards. */
  of(identity: number): number {
    if (identity >= this.#sessions.length) this.reserve(identity + 1);
    return this.#sessions[identity]! - 1;
  }

  /** Of an identity that has one. */
  endOf(identity: number): number {
    return this.#ends[identity]!;
  }

  projectOf(identity: number): number {
    return this.#projects[identity]!;
  }

  /** Room was made for the identity. */
  put(identity: number, session: number, project: number, endMs: number): void {
    this.#sessions[identity] = session + 1;
    this.#projects[identity] = project;
    this.#ends[identity] = endMs;
  }

  /** It goes on up to a later event. */
  goOn(identity: number, endMs: number): void {
    this.#ends[identity] = endMs;
  }

  forget(identity: number): void {
    if (identity < this.#sessions.length) this.#sessions[identity] = 0;
  }

  /** As `reserve`, in turns, where none has one as yet: identities come in any order, and memory touched for the first time makes the first slow. */
  async reserveInTurns(count: number, turns: Turns): Promise<void> {
    this.reserve(count);
    await turns.inPieces(this.end, (from, to) => {
      for (const column of [this.#sessions, this.#ends, this.#projects]) column.fill(0, from, to);
    }, VALUES_PER_IDENTITY);
  }

  /** Makes room for identities below a number. */
  reserve(count: number): void {
    this.#sessions = grown(this.#sessions, count);
    this.#ends = grown(this.#ends, count);
    this.#projects = grown(this.#projects, count);
  }
}
