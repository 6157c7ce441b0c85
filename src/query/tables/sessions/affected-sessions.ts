/* eslint-disable @typescript-eslint/no-non-null-assertion -- sessions are bounded by their columns */
import type { IdentityView } from "../../../identity/identity-view.js";
import type { LatestSessions } from "./latest-sessions.js";
import type { SessionColumns } from "./session-columns.js";
import type { SessionEvent } from "./sessionizer.js";

/** Epoch ms. */
interface TouchedTime {
  fromMs: number;
  toMs: number;
}

/** Collects changes and finds the sessions that they affect. */
export class AffectedSessions {
  /** Former identities all of whose sessions are rebuilt. */
  readonly #formers = new Set<number>();
  /** The same identities as they are now. */
  readonly #remade = new Set<number>();
  /** By other identity: the time range of its new events. */
  readonly #spans = new Map<number, TouchedTime>();

  constructor(
    readonly former: IdentityView,
    readonly identities: IdentityView,
  ) {}

  /** Adds actors that moved between identities: all sessions of both are rebuilt. Cost: the ids of all these identities. */
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

  /** Adds new events. Call it after all moves. */
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

  /** The sessions that may change; null when they have more events than `eventCountMax`. Cost: all sessions of the affected identities. */
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

/** The live sessions of an identity, in any order. */
function* sessionsOf(identity: number, { previous, heirs }: SessionColumns, latest: LatestSessions): Generator<number> {
  for (let session = latest.of(identity); session >= 0; session = previous[session]! - 1) if (heirs[session] === 0) yield session;
}

/**
 * The sessions within the gap of some span, and those that follow on from them: the length limit may cut these elsewhere now. Usually none does, so
 * later sessions are sorted only when one reaches that far.
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
    // Twice as far each time: otherwise a long chain would be scanned as often as it has sessions.
    lastMs = reachMs + (reachMs - fromMs);
  }
}
