/* eslint-disable @typescript-eslint/no-non-null-assertion -- sessions are bounded by their columns */
import type { Turns } from "../../base/turn.js";
import { PROJECT_SPAN } from "./session-columns.js";
import type { SessionView } from "./session-view.js";

/** What a session costs, in values. */
const VALUES_PER_SESSION = 12;

/**
 * Finds the sessions of events that are told in the order of their times: those that began by then are known by whom they are of. 4 bytes for each
 * identity. Cost: a look at each session that begins in the time of the events, or no longer before than a session may last.
 */
export class SessionFinder {
  /** By identity: 1 more than the latest session that began; 0 for none. */
  readonly #latest: Uint32Array;
  /** By identity and project: the same of who is in several projects at once, but the very latest. */
  readonly #elsewhere = new Map<number, number>();
  /** The next session, in order and among the others. */
  #next: number;
  #nextOther: number;

  /** @param fromMs epoch ms: no event that is looked for is of a session that begins before it */
  constructor(
    readonly view: SessionView,
    fromMs: number,
  ) {
    this.#latest = new Uint32Array(view.identityEnd);
    this.#next = view.firstAt(fromMs);
    this.#nextOther = view.firstOtherAt(fromMs);
  }

  /** Sessions that begin before an instant begin, in turns. */
  async begin(ms: number, turns: Turns): Promise<void> {
    const { view } = this;
    await turns.inPieces(view.firstAt(ms) - this.#next, (from, to) => {
      for (let count = to - from; count > 0; count -= 1) this.#beginNext();
    }, VALUES_PER_SESSION);
  }

  /** The session of somebody's event; -1 where it is part of none. @param ms no earlier than that of the last one */
  find(identity: number, project: number, ms: number): number {
    const { starts, lengths, projects } = this.view.facts;
    while (this.#nextMs() <= ms) this.#beginNext();
    let session = identity < this.#latest.length ? this.#latest[identity]! - 1 : -1;
    if (session >= 0 && projects[session] !== project) session = this.#elsewhere.get(identity * PROJECT_SPAN + project) ?? -1;
    return session >= 0 && ms <= starts[session]! + lengths[session]! ? session : -1;
  }

  /** When the next session begins; Infinity where none is left. */
  #nextMs(): number {
    return Math.min(this.#nextOrderedMs(), this.#nextOtherMs());
  }

  #nextOrderedMs(): number {
    const { orderedCount, facts: { starts } } = this.view;
    return this.#next < orderedCount ? starts[this.#next]! : Infinity;
  }

  #nextOtherMs(): number {
    const { others, facts: { starts } } = this.view;
    return this.#nextOther < others.length ? starts[others[this.#nextOther]!]! : Infinity;
  }

  #beginNext(): void {
    const isOrdered = this.#nextOrderedMs() <= this.#nextOtherMs();
    const session = isOrdered ? this.#next : this.view.others[this.#nextOther]!;
    if (isOrdered) this.#next += 1;
    else this.#nextOther += 1;
    if (!this.view.isAlive(session)) return;
    const { identities, projects } = this.view.facts;
    const identity = identities[session]!;
    const latest = this.#latest[identity]! - 1;
    if (latest >= 0 && projects[latest] !== projects[session]) this.#elsewhere.set(identity * PROJECT_SPAN + projects[latest]!, latest);
    this.#latest[identity] = session + 1;
  }
}
