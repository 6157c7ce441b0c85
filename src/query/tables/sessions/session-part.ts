/* eslint-disable @typescript-eslint/no-non-null-assertion -- positions are bounded by the lists */
import { firstAtLeast } from "../../../core/base/search.js";
import { dayStartMs } from "../../../core/base/time.js";
import { HeadView, type Head } from "../../../storage/segment/head.js";
import type { Rows } from "../../../storage/segment/rows.js";
import { withRoomFor } from "../../../core/base/arrays.js";

/** No session, and no part. */
export const NONE = 0xffffffff;

/** What stays the same while rows are added: a segment, or the head of a view. */
export type PartKey = Rows | Head;

export function keyOfRows(rows: Rows): PartKey {
  return rows instanceof HeadView ? rows.head : rows;
}

const NO_ROWS = new Uint32Array(0);

/** One segment or head, and the sessions of its rows. 4 bytes a row. */
export class SessionPart {
  readonly key: PartKey;
  readonly sealed: boolean;
  readonly startMs: number;
  readonly rowCount: number;
  /** By row: the session that it was put into first; `NONE` for an event in no session. Parts of later snapshots share it. */
  readonly sessions: Uint32Array;
  /** Rows whose first session was replaced, ascending, and their sessions. */
  #rows = NO_ROWS;
  #others = NO_ROWS;

  /** @param former the same part with fewer rows, or as many */
  constructor(rows: Rows, former: SessionPart | null = null) {
    this.key = keyOfRows(rows);
    this.sealed = rows.sealed;
    this.startMs = dayStartMs(rows.day);
    this.rowCount = rows.rowCount;
    this.sessions = withRoomFor(former?.sessions ?? NO_ROWS, rows.rowCount);
    this.sessions.fill(NONE, former?.rowCount ?? 0, rows.rowCount);
    if (former === null) return;
    this.#rows = former.#rows;
    this.#others = former.#others;
  }

  get byteLength(): number {
    return this.sessions.byteLength + this.#rows.byteLength * 2;
  }

  /** The session of a row whose first session was replaced. Cost: a search among all such rows. */
  otherSessionOf(row: number): number {
    return this.#others[firstAtLeast(this.#rows, row)]!;
  }

  /** Cost: all rows whose first session was replaced. */
  forgetRows(isAlive: (session: number) => boolean): void {
    this.#rows = this.#rows.filter((_row, at) => isAlive(this.#others[at]!));
    this.#others = this.#others.filter(isAlive);
  }

  /** Puts rows into other sessions. Cost: these rows, and those that were put before. @param rows ascending, none of which was put before */
  putRows(rows: Uint32Array, sessions: Uint32Array): void {
    const [oldRows, oldOthers] = [this.#rows, this.#others];
    const count = oldRows.length + rows.length;
    [this.#rows, this.#others] = [new Uint32Array(count), new Uint32Array(count)];
    for (let at = 0, old = 0, next = 0; at < count; at += 1) {
      const isOld = next === rows.length || (old < oldRows.length && oldRows[old]! < rows[next]!);
      this.#rows[at] = isOld ? oldRows[old]! : rows[next]!;
      this.#others[at] = isOld ? oldOthers[old]! : sessions[next]!;
      if (isOld) old += 1;
      else next += 1;
    }
  }
}
