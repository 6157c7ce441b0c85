import { MS_PER_DAY } from "../../../core/base/time.js";
import { BitSet } from "../../../storage/column/bit-set.js";
import type { IdentityView } from "../../../identity/identity-view.js";

/** The actors whose sessions may cross the midnight before the first day; only their events of earlier days are read. */
export class Midnight {
  /** Actors that were active within a gap before it, and after it. */
  readonly before = new BitSet();
  readonly after = new BitSet();

  constructor(
    /** Epoch ms. */
    readonly ms: number,
    readonly gapMs: number,
  ) {}

  get byteLength(): number {
    return this.before.words.byteLength + this.after.words.byteLength;
  }

  /**
   * Whether a new event may make a session cross this midnight, or an earlier one beyond which the events of its identity were not read. Events
   * further from midnights do neither. @param ms of its day
   */
  isTouchedBy(dayMs: number, ms: number): boolean {
    return dayMs <= this.ms && (ms <= this.gapMs || (dayMs < this.ms && ms >= MS_PER_DAY - this.gapMs));
  }

  /** Whether an actor that moved between identities belongs to one that crosses it, before or after the move. Cost: all ids of these identities. */
  isTouchedByMoves(moved: Iterable<number>, former: IdentityView, identities: IdentityView): boolean {
    for (const view of [former, identities]) {
      const concerned = new Set<number>();
      for (const actor of moved) concerned.add(view.identityOf(actor));
      for (const identity of concerned) if (this.#isOver(view.actorsOf(identity))) return true;
    }
    return false;
  }

  #isOver(actors: readonly number[]): boolean {
    return actors.some((actor) => this.before.has(actor)) && actors.some((actor) => this.after.has(actor));
  }
}
