/* eslint-disable @typescript-eslint/no-non-null-assertion -- sessions and rows are bounded by their columns */
import { firstStartAt } from "../../answer/visits/visits.js";
import { firstAtLeast } from "../../../core/base/search.js";
import type { IdentityView } from "../../../identity/identity-view.js";
import { HeadView } from "../../../storage/segment/head.js";
import type { Rows } from "../../../storage/segment/rows.js";
import type { StretchCache, SessionRange, CoveredDays } from "./stretch-cache.js";
import type { Continuations } from "./carried-events.js";
import { keyOfRows, NONE, type SessionPart, type PartKey } from "./session-part.js";
import type { SessionFacts } from "./session-columns.js";
import type { SessionEvent } from "./sessionizer.js";

/** An event in a segment that arrived after the snapshot of the sessions. */
export interface PendingEvent extends Omit<SessionEvent, "identity"> {
  /** Epoch ms of the start of its day. */
  readonly dayMs: number;
  readonly actor: number;
}

/** The snapshot that sessions belong to. */
export interface ViewSnapshot {
  /** The rows that were read; null when sessions refer to the segments of a snapshot, but lack some of its events. */
  readonly rows: readonly Rows[] | null;
  readonly identities: IdentityView;
  /** Events with a greater sequence were not consumed. */
  readonly sequence: number;
  /** Events of segments that were not consumed, including such as belong to no session. */
  readonly untaken: readonly PendingEvent[];
}

/** The sessions of some days in one snapshot; later changes do not affect it. */
export class SessionView {
  constructor(
    readonly facts: SessionFacts,
    /** Sessions of the view are numbered below it. */
    readonly count: number,
    /** Sessions below it are in order of their starts. */
    readonly orderedCount: number,
    /** The other live sessions, by start: those added since the last full build. */
    readonly others: Uint32Array,
    readonly identityEnd: number,
    /** Rows by the number of their part. */
    readonly rowsOf: readonly Rows[],
    readonly parts: readonly SessionPart[],
    readonly partNumbers: ReadonlyMap<PartKey, number>,
    readonly days: CoveredDays,
    readonly taken: ViewSnapshot,
    readonly cache: StretchCache,
    readonly continuations: Continuations,
  ) {}

  /** Whether the session exists and was not replaced. */
  isAlive(session: number): boolean {
    const replacement = this.facts.replacedBy[session]!;
    return replacement === 0 || replacement >= this.count;
  }

  /** The session, or its continuation in this snapshot; -1 when others replaced it. */
  nowOf(session: number): number {
    if (this.isAlive(session)) return session;
    const newest = this.continuations.newestOf(session, this.count);
    return this.isAlive(newest) ? newest : -1;
  }

  /** The result of `make` for ordered sessions, cached until one of them is replaced. @param name the same for results made in the same way */
  derive<T>(name: string, stretch: SessionRange, make: () => T, byteLength: (made: T) => number): T {
    return this.cache.derive(name, stretch, this.count, make, byteLength);
  }

  firstAt(ms: number): number {
    return firstAtLeast(this.facts.starts.subarray(0, this.orderedCount), ms);
  }

  firstOtherAt(ms: number): number {
    return firstStartAt(this.others, this.facts.starts, ms);
  }

  /** Returns a lookup of the sessions of rows of a segment or head. */
  rowSessions(rows: Rows): RowSessions {
    const part = this.parts[this.partNumbers.get(keyOfRows(rows)) ?? -1];
    if (part === undefined) throw new Error("expected rows of the snapshot that the sessions were built from");
    return new RowSessions(this, part, rows instanceof HeadView ? rows.first : 0);
  }
}

export class RowSessions {
  constructor(
    readonly view: SessionView,
    readonly part: SessionPart,
    /** The part's row that is row 0 here. */
    readonly firstRow: number,
  ) {}

  /** -1 for an event that is in no session. */
  of(row: number): number {
    const own = this.firstRow + row;
    const session = this.part.sessions[own]!;
    if (session === NONE) return -1;
    const now = this.view.nowOf(session);
    return now >= 0 ? now : this.view.nowOf(this.part.otherSessionOf(own));
  }
}
