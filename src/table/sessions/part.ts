/* eslint-disable @typescript-eslint/no-non-null-assertion -- places are bounded by the lists */
import { firstAtLeast } from "../../column/search.js";
import { dayStartMs } from "../../base/time.js";
import { HeadView, type Head } from "../../segment/head.js";
import type { Rows } from "../../segment/rows.js";
import type { Runs } from "./runs.js";

/** The sessions of a run's events are not all one: rows tell. */
export const BY_ROW = 0xffffffff;

/** What stays the same while rows are added: a segment, or the head of a view. */
export type PartKey = Rows | Head;

export function keyOfRows(rows: Rows): PartKey {
  return rows instanceof HeadView ? rows.head : rows;
}

const NO_ROWS = new Uint32Array(0);

/** One segment or head: its runs, and in which sessions they are. */
export class Part {
  readonly key: PartKey;
  readonly sealed: boolean;
  readonly startMs: number;
  /** By run: its session, or `BY_ROW`. */
  readonly sessionOfRun: Uint32Array;
  /** Rows of runs of several sessions, ascending, and their sessions. */
  #rows = NO_ROWS;
  #sessions = NO_ROWS;

  /** @param former what was known of fewer of its runs */
  constructor(
    rows: Rows,
    readonly runs: Runs,
    former: Part | null = null,
  ) {
    this.key = keyOfRows(rows);
    this.sealed = rows.sealed;
    this.startMs = dayStartMs(rows.day);
    this.sessionOfRun = new Uint32Array(runs.count);
    if (former === null) return;
    this.sessionOfRun.set(former.sessionOfRun);
    this.#rows = former.#rows;
    this.#sessions = former.#sessions;
  }

  get byteLength(): number {
    return this.runs.byteLength + this.sessionOfRun.byteLength + this.#rows.byteLength * 2;
  }

  /** Whether events of one run are in several sessions: of a union that may be longer than a session. */
  get isDivided(): boolean {
    return this.#rows.length > 0;
  }

  /** The sessions of the rows of some runs of several sessions. Cost: a look at each row of all such runs. */
  sessionsOfRows(isAsked: (row: number) => boolean): Uint32Array {
    return this.#sessions.filter((_session, at) => isAsked(this.#rows[at]!));
  }

  /** Forgets the rows whose sessions are no more. Cost: all such rows. */
  forgetRows(isAlive: (session: number) => boolean): void {
    this.#rows = this.#rows.filter((_row, at) => isAlive(this.#sessions[at]!));
    this.#sessions = this.#sessions.filter(isAlive);
  }

  /** Puts rows into sessions. Cost: these rows, and those that were put before. @param rows ascending, none of which was put */
  putRows(rows: Uint32Array, sessions: Uint32Array): void {
    const [oldRows, oldSessions] = [this.#rows, this.#sessions];
    const count = oldRows.length + rows.length;
    [this.#rows, this.#sessions] = [new Uint32Array(count), new Uint32Array(count)];
    for (let at = 0, old = 0, next = 0; at < count; at += 1) {
      const isOld = next === rows.length || (old < oldRows.length && oldRows[old]! < rows[next]!);
      this.#rows[at] = isOld ? oldRows[old]! : rows[next]!;
      this.#sessions[at] = isOld ? oldSessions[old]! : sessions[next]!;
      if (isOld) old += 1;
      else next += 1;
    }
  }

  /** The session of a row of a run of several sessions. */
  sessionOfRow(row: number): number {
    return this.#sessions[firstAtLeast(this.#rows, row)]!;
  }
}
