import { roomForDurations, type Durations } from "../../answer/numbers/durations.js";
import { grown } from "./grown.js";
import { NONE } from "./runs.js";

/** What is known of sessions, by their number. Columns only grow; but `heirs`, what is said of a session stays. */
export interface SessionFacts {
  /** Epoch ms of the first event. */
  readonly starts: Float64Array;
  /** Ms from the first event to the last one. */
  readonly lengths: Durations;
  /** The identity, as an actor. */
  readonly identities: Uint32Array;
  readonly projects: Uint32Array;
  readonly eventCounts: Uint32Array;
  readonly pageviewCounts: Uint32Array;
  /** The first event: number of its part, and its row there. */
  readonly firstParts: Uint32Array;
  readonly firstRows: Uint32Array;
  /** Code of its url; 0 for none. */
  readonly entryUrls: Uint32Array;
  /** The last event with a url, and its code; part `NONE` and code 0 where no event has one. */
  readonly exitParts: Uint32Array;
  readonly exitRows: Uint32Array;
  readonly exitUrls: Uint32Array;
  /** Ms from the first event to that one. */
  readonly exitOffsets: Durations;
  /**
   * 0 for a session that is; else it was, until sessions from this number on took its place. An older view shares the column: these numbers are
   * no less than its count, and so the session still is for it.
   */
  readonly heirs: Uint32Array;
}

const BYTES_PER_SESSION = 8 + 4 * 13;

/** Where an event lies. */
export interface Place {
  readonly part: number;
  readonly row: number;
}

/** Sessions that become more. */
export class SessionColumns implements SessionFacts {
  #count = 0;
  starts = new Float64Array(0);
  lengths: Durations;
  identities = new Uint32Array(0);
  projects = new Uint32Array(0);
  eventCounts = new Uint32Array(0);
  pageviewCounts = new Uint32Array(0);
  firstParts = new Uint32Array(0);
  firstRows = new Uint32Array(0);
  entryUrls = new Uint32Array(0);
  exitParts = new Uint32Array(0);
  exitRows = new Uint32Array(0);
  exitUrls = new Uint32Array(0);
  exitOffsets: Durations;
  heirs = new Uint32Array(0);

  /** @param maxMs greatest length of a session */
  constructor(maxMs: number) {
    this.lengths = roomForDurations(0, maxMs);
    this.exitOffsets = roomForDurations(0, maxMs);
  }

  get count(): number {
    return this.#count;
  }

  get byteLength(): number {
    return this.starts.length * (BYTES_PER_SESSION + (this.lengths.BYTES_PER_ELEMENT - 4) * 2);
  }

  /** The columns as they are now: later sessions lie behind them, or in other ones. */
  facts(): SessionFacts {
    const { starts, lengths, identities, projects, eventCounts, pageviewCounts, heirs } = this;
    const { firstParts, firstRows, entryUrls, exitParts, exitRows, exitUrls, exitOffsets } = this;
    return { starts, lengths, identities, projects, eventCounts, pageviewCounts, firstParts, firstRows, entryUrls, exitParts, exitRows, exitUrls, exitOffsets, heirs };
  }

  /** A session of nothing as yet, with no exit. */
  add(identity: number, project: number, startMs: number): number {
    const session = this.#count;
    if (session === this.starts.length) this.reserve(session + 1);
    this.#count = session + 1;
    this.starts[session] = startMs;
    this.identities[session] = identity;
    this.projects[session] = project;
    this.exitParts[session] = NONE;
    return session;
  }

  reserve(count: number): void {
    this.starts = grown(this.starts, count);
    this.lengths = grown(this.lengths, count);
    this.identities = grown(this.identities, count);
    this.projects = grown(this.projects, count);
    this.eventCounts = grown(this.eventCounts, count);
    this.pageviewCounts = grown(this.pageviewCounts, count);
    this.firstParts = grown(this.firstParts, count);
    this.firstRows = grown(this.firstRows, count);
    this.entryUrls = grown(this.entryUrls, count);
    this.exitParts = grown(this.exitParts, count);
    this.exitRows = grown(this.exitRows, count);
    this.exitUrls = grown(this.exitUrls, count);
    this.exitOffsets = grown(this.exitOffsets, count);
    this.heirs = grown(this.heirs, count);
  }
}
