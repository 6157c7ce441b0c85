/* eslint-disable @typescript-eslint/no-non-null-assertion -- sessions are bounded by their columns */
import type { IdentityView } from "../../identity/identity-view.js";
import type { LatestSessions } from "./latest-sessions.js";
import type { SessionColumns } from "./session-columns.js";
import type { SessionEvent } from "./stitcher.js";

/** Epoch ms. */
interface TouchedTime {
  fromMs: number;
  toMs: number;
}

/** Whose sessions change. */
export class Touched {
  /** Identities as they were: all their sessions are made anew. */
  readonly #formers = new Set<number>();
  /** The same as they are now. */
  readonly #remade = new Set<number>();
  /** By identity of others: between which instants it got events. */
  readonly #spans = new Map<number, TouchedTime>();

  constructor(
    readonly former: IdentityView,
    readonly identities: IdentityView,
  ) {}

  /** Some came from one identity to another: all of both is made anew. Cost: the ids of all these identities. */
  move(moved: Iterable<number>): void {
    const { former, identities } = this;
    const reached = new Set<number>();
    for (const actor of moved) {
      this.#formers.add(former.identityOf(actor));
      reached.add(identities.identityOf(actor));
    }
    for (const left of [...this.#formers]) for (const actor of former.actorsOf(left)) this.#remade.add(identities.identityOf(actor));
    for (const identity of reached) for (const actor of identities.actorsOf(identity)) this.#formers.add(former.identityOf(actor));
  }

  /** Somebody got some events. To be told after all moves. */
  grow(events: readonly SessionEvent[]): void {
    for (const { identity, ms } of events) {
      if (this.#remade.has(identity)) continue;
      const span = this.#spans.get(identity);
      if (span === undefined) this.#spans.set(identity, { fromMs: ms, toMs: ms });
      else {
        span.fromMs = Math.min(span.fromMs, ms);
        span.toMs = Math.max(span.toMs, ms);
      }
    }
  }

  /**
   * The sessions that may become others; null where there are too many, or these have more events than that.
   * Cost: all sessions of those who are concerned.
   */
  sessions(columns: SessionColumns, latest: LatestSessions, gapMs: number, eventCountMax: number): Set<number> | null {
    const found = new Set<number>();
    let eventCount = 0;
    for (const session of this.#concerned(columns, latest, gapMs)) {
      if (found.has(session)) continue;
      found.add(session);
      eventCount += columns.eventCounts[session]!;
      if (eventCount > eventCountMax) return null;
    }
    return found;
  }

  *#concerned(columns: SessionColumns, latest: LatestSessions, gapMs: number): Generator<number> {
    for (const identity of this.#formers) yield* sessionsOf(identity, columns, latest);
    for (const [identity, span] of this.#spans) yield* within(span, identity, columns, latest, gapMs);
  }
}

/** The sessions of an identity that are, in any order. */
function* sessionsOf(identity: number, { previous, heirs }: SessionColumns, latest: LatestSessions): Generator<number> {
  for (let session = latest.of(identity); session >= 0; session = previous[session]! - 1) if (heirs[session] === 0) yield session;
}

/**
 * Those that lie no further than the gap from some span, and those that go on from them: where they are cut because of their length may change.
 * Mostly none does: so those further behind are put in order only where one reaches as far.
 */
function within({ fromMs, toMs }: TouchedTime, identity: number, columns: SessionColumns, latest: LatestSessions, gapMs: number): number[] {
  const { starts, lengths } = columns;
  const endMsOf = (session: number) => starts[session]! + lengths[session]!;
  for (let lastMs = toMs + gapMs; ; ) {
    const near: number[] = [];
    for (const session of sessionsOf(identity, columns, latest)) if (endMsOf(session) + gapMs >= fromMs && starts[session]! <= lastMs) near.push(session);
    const found: number[] = [];
    let reachMs = toMs + gapMs;
    for (const session of near.sort((a, b) => starts[a]! - starts[b]!)) {
      if (starts[session]! > reachMs) break;
      reachMs = Math.max(reachMs, endMsOf(session) + gapMs);
      found.push(session);
    }
    if (reachMs <= lastMs) return found;
    // Twice as far each time, or a long way would be looked at as often as it has sessions.
    lastMs = reachMs + (reachMs - fromMs);
  }
}
