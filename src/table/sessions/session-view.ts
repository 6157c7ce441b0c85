/* eslint-disable @typescript-eslint/no-non-null-assertion -- sessions and rows are bounded by their columns */
import { firstStartAt } from "../../answer/visits/visits.js";
import { firstAtLeast } from "../../column/search.js";
import type { IdentityView } from "../../identity/identity-view.js";
import { HeadView } from "../../segment/head.js";
import type { Rows } from "../../segment/rows.js";
import type { KeptStretches, Stretch } from "./kept-stretches.js";
import type { Continuations } from "./continuations.js";
import type { CoveredDays } from "./covered-days.js";
import { keyOfRows, NONE, type SessionPart, type PartKey } from "./part.js";
import type { SessionFacts } from "./session-columns.js";
import type { SessionEvent } from "./stitcher.js";

/** An event that lies in a segment, and came after the moment of the sessions. */
export interface UntakenEvent extends Omit<SessionEvent, "identity"> {
  /** Epoch ms of the start of its day. */
  readonly dayMs: number;
  readonly actor: number;
}

/** Of what moment sessions are. */
export interface TakenMoment {
  /** Those that were looked at; null for sessions that lie in the segments of a moment, but are not all of it as yet. */
  readonly rows: readonly Rows[] | null;
  readonly identities: IdentityView;
  /** No event with a greater one was taken. */
  readonly sequence: number;
  /** Events of segments that were not, also such as take no part. */
  readonly untaken: readonly UntakenEvent[];
}

/** The sessions of some days, at one moment: what comes later does not change them. */
export class SessionView {
  constructor(
    readonly facts: SessionFacts,
    /** Sessions are numbered below it. */
    readonly count: number,
    /** Those below it are in order of their starts. */
    readonly orderedCount: number,
    /** The others that are, by their starts: what came since all were made. */
    readonly others: Uint32Array,
    /** Identities are below it. */
    readonly identityEnd: number,
    /** The rows by the number of their part. */
    readonly rowsOf: readonly Rows[],
    readonly parts: readonly SessionPart[],
    readonly partNumbers: ReadonlyMap<PartKey, number>,
    readonly days: CoveredDays,
    readonly taken: TakenMoment,
    readonly kept: KeptStretches,
    readonly continuations: Continuations,
  ) {}

  /** Whether there is a session of this number, and others did not take its place. */
  isAlive(session: number): boolean {
    const heir = this.facts.heirs[session]!;
    return heir === 0 || heir >= this.count;
  }

  /** The session, or the one that it goes on as; -1 where others took its place. */
  nowOf(session: number): number {
    if (this.isAlive(session)) return session;
    const newest = this.continuations.newestOf(session, this.count);
    return this.isAlive(newest) ? newest : -1;
  }

  /** What `make` makes of ordered sessions, kept until one of them is no more. @param name the same for what is made in the same way */
  derive<T>(name: string, stretch: Stretch, make: () => T, byteLength: (made: T) => number): T {
    return this.kept.derive(name, stretch, this.count, make, byteLength);
  }

  /** The first of the ordered sessions that starts at or after an instant. */
  firstAt(ms: number): number {
    return firstAtLeast(this.facts.starts.subarray(0, this.orderedCount), ms);
  }

  /** Place of the first of the others that starts at or after an instant. */
  firstOtherAt(ms: number): number {
    return firstStartAt(this.others, this.facts.starts, ms);
  }

  /** Tells of rows of a segment or head in which sessions they are. */
  rowSessions(rows: Rows): RowSessions {
    const part = this.parts[this.partNumbers.get(keyOfRows(rows)) ?? -1];
    if (part === undefined) throw new Error("rows are of the moment of the table");
    return new RowSessions(this, part, rows instanceof HeadView ? rows.first : 0);
  }
}

/** In which sessions the rows of one part are. */
export class RowSessions {
  constructor(
    readonly view: SessionView,
    readonly part: SessionPart,
    /** Number of the part's row that is row 0 here. */
    readonly firstRow: number,
  ) {}

  /** -1 for an event that is in none. */
  of(row: number): number {
    const own = this.firstRow + row;
    const session = this.part.sessions[own]!;
    if (session === NONE) return -1;
    const now = this.view.nowOf(session);
    return now >= 0 ? now : this.view.nowOf(this.part.otherSessionOf(own));
  }
}
