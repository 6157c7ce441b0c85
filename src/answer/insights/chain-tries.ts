/* eslint-disable @typescript-eslint/no-non-null-assertion -- matches and slots are bounded by their lists */
import type { FunnelPlan } from "../../plan/insights/plan.js";
import type { Range } from "../../plan/plan.js";
import type { Extent, Slot } from "./buckets.js";
import { bitsBetween, type ChainFinder, type Mask, type Matches } from "./chain.js";
import { ChainFigures } from "./chain-figures.js";
import { chainFinderOf } from "./chain-finder.js";

/** Who goes through steps, one entity after the other. */
export interface Entrants {
  /** In order. */
  readonly matches: Matches;
  /** When the first event of a chain may lie. */
  readonly entries: Range;
  /** The instant by which a chain that begins with a match lies in a bucket. */
  entryMsOf(at: number): number;
}

/** Bits of which an event needs one for a chain to begin with it. */
export function entryBits({ order, steps }: FunnelPlan): Mask {
  return order === "any" ? bitsBetween(0, steps.length - 1) : 1;
}

/** Tries the steps with the matches of one entity after the other. */
export class ChainTries {
  /** Of all chains that were found, by the groups of their values. */
  readonly figures: ChainFigures;
  readonly #finder: ChainFinder;
  readonly #entryBits: Mask;
  #pendingCount = 0;

  constructor(
    readonly plan: FunnelPlan,
    readonly entrants: Entrants,
  ) {
    const { steps, order, windowMs, exclusions } = plan;
    this.#finder = chainFinderOf({ stepCount: steps.length, order, windowMs, exclusions });
    this.#entryBits = entryBits(plan);
    this.figures = this.newFigures();
  }

  /** How many of the entities that were tried may still go on. */
  get pendingCount(): number {
    return this.#pendingCount;
  }

  newFigures(): ChainFigures {
    return new ChainFigures(this.plan.steps.map(({ name }) => name), this.plan.windowMs);
  }

  /** Finds the chain of one entity. @param groupOf of the match whose values it stands under */
  add(from: number, to: number, groupOf: (at: number) => number): void {
    const { plan: { breakdown, steps }, entrants: { matches, entries } } = this;
    const { chain } = this.#finder;
    const depth = this.#finder.find(matches, from, to, entries);
    if (depth < steps.length && this.#isPending(from, to)) this.#pendingCount += 1;
    if (depth === 0) return;
    const group = breakdown === null ? 0 : groupOf(chain[breakdown.at === "entry" ? 0 : depth - 1]!);
    this.figures.add(group, depth, chain, matches.ms);
  }

  /** Counts entities that begin and get no further, in the one group that there is. @param pendingCount of those that may still go on */
  addFirstOnly(count: number, pendingCount: number): void {
    this.figures.addFirstOnly(count);
    this.#pendingCount += pendingCount;
  }

  /** Finds the chains that there would be of each bucket alone, by its place. @param slots all of the range, where something counts */
  addWithin(figures: ChainFigures, slots: readonly Slot[], from: number, to: number): void {
    let slot = 0;
    for (let at = this.#nextEntry(from, to); at < to; at = this.#nextEntry(at, to)) {
      const entryMs = this.entrants.entryMsOf(at);
      while (slots[slot]!.toMs <= entryMs) slot += 1;
      at = this.#addWithinSlot(figures, slots[slot]!, slot, from, at, to);
    }
  }

  /** The first and the last instant at which a chain of an entity may begin; null where none may. */
  extentOf(from: number, to: number): Extent | null {
    let [firstMs, lastMs] = [Infinity, -Infinity];
    for (let at = this.#nextEntry(from, to); at < to; at = this.#nextEntry(at + 1, to)) {
      const entryMs = this.entrants.entryMsOf(at);
      firstMs = Math.min(firstMs, entryMs);
      lastMs = Math.max(lastMs, entryMs);
    }
    return firstMs === Infinity ? null : { firstMs, lastMs };
  }

  /** Finds the chain that begins in a slot, of the first event at which one may. Answers the place behind the last such event. */
  #addWithinSlot(figures: ChainFigures, { fromMs, toMs }: Slot, slot: number, start: number, entry: number, end: number): number {
    const { matches, entries } = this.entrants;
    const { ms } = matches;
    const isOfEntity = this.plan.level === "session";
    let from = entry;
    let to = entry;
    while (from > start && (isOfEntity || ms[from - 1] === ms[entry])) from -= 1;
    while (to < end && (isOfEntity || ms[to]! < toMs + this.plan.windowMs)) to += 1;
    const depth = this.#finder.find(matches, from, to, isOfEntity ? entries : { fromMs, toMs });
    if (depth > 0) figures.add(slot, depth, this.#finder.chain, ms);
    let next = entry;
    while (next < end && (isOfEntity || ms[next]! < toMs)) next += 1;
    return next;
  }

  /** Whether a chain that may go on may begin with one of the events. */
  #isPending(from: number, to: number): boolean {
    const { ms, masks } = this.entrants.matches;
    const { nowMs, windowMs } = this.plan;
    for (let at = to - 1; at >= from && ms[at]! >= nowMs - windowMs; at -= 1) if (this.#isEntry(ms[at]!, masks[at]!)) return true;
    return false;
  }

  #nextEntry(from: number, to: number): number {
    const { ms, masks } = this.entrants.matches;
    let at = from;
    while (at < to && !this.#isEntry(ms[at]!, masks[at]!)) at += 1;
    return at;
  }

  #isEntry(ms: number, mask: Mask): boolean {
    const { fromMs, toMs } = this.entrants.entries;
    return (mask & this.#entryBits) !== 0 && ms >= fromMs && ms < toMs;
  }
}
