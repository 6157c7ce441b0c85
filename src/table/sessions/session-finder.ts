/* eslint-disable @typescript-eslint/no-non-null-assertion -- sessions are bounded by their columns */
import { PROJECT_SPAN } from "./session-columns.js";
import type { SessionView } from "./session-view.js";

/**
 * Finds the sessions of events that are asked for in the order of their times, while those that begin meanwhile begin.
 * Cost: a look at each session that begins from the first instant on.
 */
export class SessionFinder {
  /** By identity and project: the same of who is in several projects at once, but the very latest. */
  readonly #elsewhere = new Map<number, number>();
  /** The next session, in order and among the others. */
  #next: number;
  #nextOther: number;

  /** @param fromMs epoch ms: no event that is asked for is of a session that begins before it */
  constructor(
    readonly view: SessionView,
    fromMs: number,
    /** By identity: 1 more than the latest session that began; 0 for none. To begin with, zeros below the end of identities. */
    readonly latest: Uint32Array,
  ) {
    this.#next = view.firstAt(fromMs);
    this.#nextOther = view.firstOtherAt(fromMs);
  }

  /** Lets sessions begin up to an instant, but no more than some; false where more are to begin. */
  begin(ms: number, countMax: number): boolean {
    for (let count = 0; count < countMax; count += 1) {
      if (this.#nextMs() > ms) return true;
      this.#beginNext();
    }
    return false;
  }

  /** The session of somebody's event; -1 where it is in none. @param ms up to which sessions began, and no other one */
  find(identity: number, project: number, ms: number): number {
    const { starts, lengths, projects } = this.view.facts;
    let session = identity < this.latest.length ? this.latest[identity]! - 1 : -1;
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
    const latest = this.latest[identity]! - 1;
    if (latest >= 0 && projects[latest] !== projects[session]) this.#elsewhere.set(identity * PROJECT_SPAN + projects[latest]!, latest);
    this.latest[identity] = session + 1;
  }
}
