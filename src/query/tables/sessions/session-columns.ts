/* eslint-disable @typescript-eslint/no-non-null-assertion -- sessions are bounded by their columns */
import { roomForDurations, type Durations } from "../../answer/numbers.js";
import type { Yielder } from "../../../core/base/yield.js";
import { grown } from "../../../core/base/arrays.js";

/** Project codes are below it: with an identity they form one exact number. */
export const PROJECT_SPAN = 2 ** 24;

/** By session number. Columns only grow; facts stay, except `replacedBy`, and `firstParts` and `firstRows` when rows move to other segments. */
export interface SessionFacts {
  /** Epoch ms of the first event. */
  readonly starts: Float64Array;
  /** Ms from the first event to the last. */
  readonly lengths: Durations;
  /** The identity, as an actor. */
  readonly identities: Uint32Array;
  readonly projects: Uint32Array;
  readonly eventCounts: Uint32Array;
  readonly pageviewCounts: Uint32Array;
  /** The first event: number of its part, and its row there. */
  readonly firstParts: Uint32Array;
  readonly firstRows: Uint32Array;
  /** Code of the first event's url; 0 for none. */
  readonly entryUrls: Uint32Array;
  /** Code of the url of the last event that has one; 0 for none. */
  readonly exitUrls: Uint32Array;
  /**
   * 0 while the session is valid; else the number of the first session that replaced it. Older views share this column: they ignore numbers at or
   * above their own session count.
   */
  readonly replacedBy: Uint32Array;
}

const BYTES_PER_SESSION = 8 + 4 * 10;

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
  exitUrls = new Uint32Array(0);
  replacedBy = new Uint32Array(0);

  constructor(maxMs: number) {
    this.lengths = roomForDurations(0, maxMs);
  }

  get count(): number {
    return this.#count;
  }

  get byteLength(): number {
    return this.starts.length * (BYTES_PER_SESSION + this.lengths.BYTES_PER_ELEMENT - 4);
  }

  /** The current columns; later sessions are added after their end, or in other arrays. */
  facts(): SessionFacts {
    const { starts, lengths, identities, projects, eventCounts, pageviewCounts, replacedBy } = this;
    const { firstParts, firstRows, entryUrls, exitUrls } = this;
    return { starts, lengths, identities, projects, eventCounts, pageviewCounts, firstParts, firstRows, entryUrls, exitUrls, replacedBy };
  }

  /** Adds a session without events. */
  add(identity: number, project: number, startMs: number): number {
    const session = this.#count;
    if (session === this.starts.length) this.reserve(session + 1);
    this.#count = session + 1;
    this.starts[session] = startMs;
    this.identities[session] = identity;
    this.projects[session] = project;
    return session;
  }

  /** Adds a session with the facts of another one, except `replacedBy`. */
  addCopy(session: number): number {
    const copy = this.add(this.identities[session]!, this.projects[session]!, this.starts[session]!);
    this.lengths[copy] = this.lengths[session]!;
    this.eventCounts[copy] = this.eventCounts[session]!;
    this.pageviewCounts[copy] = this.pageviewCounts[session]!;
    this.firstParts[copy] = this.firstParts[session]!;
    this.firstRows[copy] = this.firstRows[session]!;
    this.entryUrls[copy] = this.entryUrls[session]!;
    this.exitUrls[copy] = this.exitUrls[session]!;
    return copy;
  }

  moveFirsts(parts: Uint32Array<ArrayBuffer>, rows: Uint32Array<ArrayBuffer>): void {
    this.firstParts = parts;
    this.firstRows = rows;
  }

  get capacity(): number {
    return this.starts.length;
  }

  reserve(capacity: number): void {
    for (const name of COLUMNS) growColumn(this, name, this.#count, capacity);
  }

  async reserveYielding(capacity: number, yielder: Yielder): Promise<void> {
    for (const name of COLUMNS) {
      growColumn(this, name, this.#count, capacity);
      await yielder.yieldAfter(this.#count);
    }
  }
}

const COLUMNS = [
  "starts", "lengths", "identities", "projects", "eventCounts", "pageviewCounts", "firstParts", "firstRows", "entryUrls", "exitUrls", "replacedBy",
] as const satisfies readonly (keyof SessionColumns)[];

function growColumn<K extends string>(columns: Record<K, Durations>, name: K, count: number, capacity: number): void {
  const column = columns[name];
  // Copying room without sessions would touch its memory for nothing.
  if (capacity > column.length) columns[name] = grown<Durations>(column.subarray(0, count), Math.max(capacity, column.length * 2));
}
