/* eslint-disable @typescript-eslint/no-non-null-assertion -- entities, matches and slots are bounded by their lists */
import type { Extent, Slot } from "../../answer/insights/buckets.js";
import { bitsBetween, type ChainFinder, type Mask } from "../../answer/insights/chain.js";
import { ChainFigures } from "../../answer/insights/chain-figures.js";
import { chainFinderOf } from "../../answer/insights/chain-finder.js";
import type { FunnelPlan } from "../../plan/insights/plan.js";
import type { BreakdownGroups } from "./breakdown-groups.js";
import type { EntityMatches } from "./entity-matches.js";
import type { Goers } from "./goers.js";

/** Matches that are looked at between two turns. */
const PIECE = 8_192;

/** Bits of which an event needs one for a chain to begin with it. */
export function entryBits({ order, steps }: FunnelPlan): Mask {
  return order === "any" ? bitsBetween(0, steps.length - 1) : 1;
}

/** Finds the chains of all entities. */
export class Tries {
  readonly #finder: ChainFinder;
  readonly #entryBits: Mask;

  constructor(
    readonly plan: FunnelPlan,
    readonly goers: Goers,
    /** In order. */
    readonly matches: EntityMatches,
    readonly pause: () => Promise<void>,
  ) {
    const { steps, order, windowMs, exclusions } = plan;
    this.#finder = chainFinderOf({ stepCount: steps.length, order, windowMs, exclusions });
    this.#entryBits = entryBits(plan);
  }

  /** The chain of each entity, by the group of its values; and how many entities may still go on. */
  async all(groups: BreakdownGroups): Promise<{ readonly figures: ChainFigures; readonly pendingCount: number }> {
    const { plan: { breakdown, steps }, goers: { entries }, matches } = this;
    const { chain } = this.#finder;
    const figures = this.#newFigures();
    let pendingCount = 0;
    await this.#eachEntity((from, to) => {
      const depth = this.#finder.find(matches, from, to, entries);
      if (depth < steps.length && this.#isPending(from, to)) pendingCount += 1;
      if (depth === 0) return;
      const group = breakdown === null ? 0 : groups.numberOf(matches.placeOf(chain[breakdown.at === "entry" ? 0 : depth - 1]!));
      figures.add(group, depth, chain, matches.ms);
    });
    return { figures, pendingCount };
  }

  /** The chains that there would be of each bucket alone, by its place. @param slots all of the range, where something counts */
  async within(slots: readonly Slot[]): Promise<ChainFigures> {
    const figures = this.#newFigures();
    await this.#eachEntity((from, to) => {
      let slot = 0;
      for (let at = this.#nextEntry(from, to); at < to; at = this.#nextEntry(at, to)) {
        const entryMs = this.#entryMsOf(at);
        while (slots[slot]!.toMs <= entryMs) slot += 1;
        at = this.#addWithin(figures, slots[slot]!, slot, from, at, to);
      }
    });
    return figures;
  }

  /** The first and the last instant at which a chain may begin; null where none may. */
  async extent(): Promise<Extent | null> {
    let [firstMs, lastMs] = [Infinity, -Infinity];
    await this.#eachEntity((from, to) => {
      for (let at = this.#nextEntry(from, to); at < to; at = this.#nextEntry(at + 1, to)) {
        const entryMs = this.#entryMsOf(at);
        firstMs = Math.min(firstMs, entryMs);
        lastMs = Math.max(lastMs, entryMs);
      }
    });
    return firstMs === Infinity ? null : { firstMs, lastMs };
  }

  #newFigures(): ChainFigures {
    return new ChainFigures(this.plan.steps.map(({ name }) => name));
  }

  async #eachEntity(act: (from: number, to: number) => void): Promise<void> {
    const { starts, entityCount } = this.matches;
    for (let entity = 0, lookedUpTo = 0; entity < entityCount; entity += 1) {
      act(starts[entity]!, starts[entity + 1]!);
      if (starts[entity + 1]! - lookedUpTo < PIECE) continue;
      lookedUpTo = starts[entity + 1]!;
      await this.pause();
    }
  }

  /** Finds the chain that begins in a slot, of the first event at which one may. Answers the place behind the last such event. */
  #addWithin(figures: ChainFigures, { fromMs, toMs }: Slot, slot: number, start: number, entry: number, end: number): number {
    const { ms } = this.matches;
    const isOfEntity = this.plan.level === "session";
    let from = entry;
    let to = entry;
    while (from > start && (isOfEntity || ms[from - 1] === ms[entry])) from -= 1;
    while (to < end && (isOfEntity || ms[to]! < toMs + this.plan.windowMs)) to += 1;
    const depth = this.#finder.find(this.matches, from, to, isOfEntity ? this.goers.entries : { fromMs, toMs });
    if (depth > 0) figures.add(slot, depth, this.#finder.chain, ms);
    let next = entry;
    while (next < end && (isOfEntity || ms[next]! < toMs)) next += 1;
    return next;
  }

  /** Whether a chain that may go on may begin with one of the events. */
  #isPending(from: number, to: number): boolean {
    const { ms, masks } = this.matches;
    const { nowMs, windowMs } = this.plan;
    for (let at = to - 1; at >= from && ms[at]! >= nowMs - windowMs; at -= 1) if (this.#isEntry(ms[at]!, masks[at]!)) return true;
    return false;
  }

  #nextEntry(from: number, to: number): number {
    const { ms, masks } = this.matches;
    let at = from;
    while (at < to && !this.#isEntry(ms[at]!, masks[at]!)) at += 1;
    return at;
  }

  #isEntry(ms: number, mask: Mask): boolean {
    const { fromMs, toMs } = this.goers.entries;
    return (mask & this.#entryBits) !== 0 && ms >= fromMs && ms < toMs;
  }

  #entryMsOf(slot: number): number {
    if (this.plan.level !== "session") return this.matches.ms[slot]!;
    const { list, at } = this.matches.placeOf(slot);
    return this.goers.entryMsOf(list.subjects[at]!, this.matches.ms[slot]!);
  }
}
