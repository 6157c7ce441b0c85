/* eslint-disable @typescript-eslint/no-non-null-assertion -- entities and matches are bounded by their lists */
import { bothExtents, type Extent, type Slot } from "../../answer/insights/buckets.js";
import type { ChainFigures } from "../../answer/insights/chain-figures.js";
import { ChainTries } from "../../answer/insights/chain-tries.js";
import { firstAtLeast } from "../../column/search.js";
import type { FunnelPlan } from "../../plan/insights/plan.js";
import type { BreakdownGroups } from "./breakdown-groups.js";
import { LENGTH_MAX, type EntityMatches } from "./entity-matches.js";
import type { Goers } from "./goers.js";
import type { MatchList } from "./match-list.js";
import { WholeChains } from "./whole-chains.js";

/** Finds the chains of all entities. */
export class Tries {
  readonly #tries: ChainTries;
  readonly #whole: WholeChains | null;

  constructor(
    plan: FunnelPlan,
    goers: Goers,
    readonly matches: EntityMatches,
    /** Puts the matches of the entities of now in order. */
    readonly order: () => Promise<void>,
    readonly pause: () => Promise<void>,
  ) {
    const entryMsOf = (slot: number) => {
      if (plan.level !== "session") return matches.placed.ms[slot]!;
      const { list, at } = matches.placeOf(slot);
      return goers.entryMsOf(subjectOf(list, at), matches.placed.ms[slot]!);
    };
    this.#tries = new ChainTries(plan, { matches: matches.placed, entries: goers.entries, entryMsOf });
    this.#whole = WholeChains.holdsFor(plan) ? new WholeChains(plan, goers.entries, LENGTH_MAX, matches.scratch) : null;
  }

  /** The chain of each entity, by the group of its values; and how many entities may still go on. */
  async all(groups: BreakdownGroups): Promise<{ readonly figures: ChainFigures; readonly pendingCount: number }> {
    const groupOf = (slot: number) => groups.numberOf(this.matches.placeOf(slot));
    await this.#eachEntity((from, to) => this.#tries.add(from, to, groupOf), this.#whole);
    this.#tries.addFirstOnly(this.matches.firstOnlyCount, this.matches.firstOnlyPendingCount);
    return this.#tries;
  }

  /** The chains that there would be of each bucket alone, by its place. @param slots all of the range, where something counts */
  async within(slots: readonly Slot[]): Promise<ChainFigures> {
    const figures = this.#tries.newFigures();
    await this.#eachEntity((from, to) => this.#tries.addWithin(figures, slots, from, to));
    return figures;
  }

  /** The first and the last instant at which a chain may begin; null where none may. */
  async extent(): Promise<Extent | null> {
    let all: Extent | null = null;
    await this.#eachEntity((from, to) => (all = bothExtents(all, this.#tries.extentOf(from, to))));
    return all;
  }

  /** @param whole by what matches are left out; null: each bucket needs all of its own */
  async #eachEntity(act: (from: number, to: number) => void, whole: WholeChains | null = null): Promise<void> {
    const { matches } = this;
    matches.rewind(whole);
    while (matches.next()) {
      await this.order();
      await this.pause();
      const { starts, ends, entityCount } = matches;
      for (let entity = 0; entity < entityCount; entity += 1) act(starts[entity]!, ends[entity]!);
      await this.pause();
    }
  }
}

function subjectOf({ subjects, starts }: MatchList, at: number): number {
  return subjects[firstAtLeast(starts, at + 1) - 1]!;
}
