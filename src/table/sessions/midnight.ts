import { MS_PER_DAY } from "../../base/time.js";
import { BitSet } from "../../column/bit-set.js";
import type { IdentityView } from "../../identity/identity-view.js";

/** Who may have a session that goes over the midnight before the first day; of these alone events of earlier days are looked at. */
export class Midnight {
  /** Who was active within a gap before it, and behind it. */
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
   * Whether an event that came since may make a session go over this midnight, or over an earlier one beyond which events of its person were not
   * looked for. What lies further from midnights does neither. @param ms of its day
   */
  isTouchedBy(dayMs: number, ms: number): boolean {
    return dayMs <= this.ms && (ms <= this.gapMs || (dayMs < this.ms && ms >= MS_PER_DAY - this.gapMs));
  }

  /** Whether some who moved from one identity to another go over it, before or since. Cost: all ids of these identities. */
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
