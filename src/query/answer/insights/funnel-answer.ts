/* eslint-disable @typescript-eslint/no-non-null-assertion -- indexes are bounded by their lists */
import type { FunnelPlan } from "../../plan/insights/plan.js";
import type { Range } from "../../plan/plan.js";
import type { Extent, Slot } from "./buckets.js";
import { bitsBetween, exclusionsOf, lowestOf, stepsOf, STEP_BITS, ChainFigures, ChainsInOrder, type ChainFinder, type Mask, type Matches, type ChainRules } from "./chains.js";
import { runYielding } from "../../../core/base/yield.js";
import type { Funnel } from "../../plan/insights/answers.js";
import { combinationsOf, type KeyGroups } from "./combinations.js";

/** Assigns events to steps, one event a step: as many as possible, by augmenting paths. */
class StepAssignment {
  /** By step in `#held`: the steps that its event matches. */
  readonly #steps = new Uint32Array(STEP_BITS);
  #held = 0;
  #visited = 0;

  clear(): void {
    this.#held = 0;
  }

  /** Assigns an event to one of its steps; others may have to switch to another of theirs. False when it is impossible. */
  place(steps: number): boolean {
    this.#visited = 0;
    return this.#path(steps);
  }

  #path(steps: number): boolean {
    const free = steps & ~this.#held;
    if (free !== 0) {
      this.#held |= free & -free;
      this.#steps[lowestOf(free)] = steps;
      return true;
    }
    for (let rest = steps & ~this.#visited; rest !== 0; rest = rest & (rest - 1) & ~this.#visited) {
      const step = lowestOf(rest);
      this.#visited |= rest & -rest;
      if (!this.#path(this.#steps[step]!)) continue;
      this.#steps[step] = steps;
      return true;
    }
    return false;
  }
}

/** For each window that begins with an event, as many steps as can have events of their own, assigned by augmenting paths. */
class ChainsOfAny implements ChainFinder {
  readonly chain: Uint32Array;
  readonly #rules: ChainRules;
  readonly #holders = new StepAssignment();
  /** Events of the window that match one step, by step, and the steps that have any. */
  readonly #counts = new Uint32Array(STEP_BITS);
  #steps = 0;
  /** Events of the window that match several steps: the sets of steps, and the number of events of each. */
  #several: number[] = [];
  #severalCounts: number[] = [];
  /** End of the window, and the first exclusion after its first millisecond. */
  #end = 0;
  #excluded = 0;

  constructor(rules: ChainRules) {
    this.#rules = rules;
    this.chain = new Uint32Array(rules.stepCount);
  }

  find(matches: Matches, from: number, to: number, entries: Range): number {
    const { ms, masks } = matches;
    this.#begin(from);
    let depth = 0;
    let first = from;
    let firstEnd = from;
    for (let at = from; at < to && ms[at]! < entries.toMs && depth < this.#rules.stepCount; ) {
      this.#reachOut(matches, at, to);
      let next = at;
      let own = 0;
      for (; next < to && ms[next] === ms[at]; next += 1) own |= stepsOf(masks[next]!);
      if (own !== 0 && ms[at]! >= entries.fromMs && this.#hasMoreThan(depth)) {
        depth = this.#depthOfWindow();
        first = at;
        firstEnd = this.#end;
      }
      for (; at < next; at += 1) this.#count(stepsOf(masks[at]!), -1);
    }
    if (depth > 0) this.#choose(masks, first, firstEnd, depth);
    return depth;
  }

  #begin(from: number): void {
    this.#counts.fill(0);
    this.#steps = 0;
    if (this.#several.length > 0) [this.#several, this.#severalCounts] = [[], []];
    this.#end = this.#excluded = from;
  }

  /** Moves the window to the event at an index; it ends after the millisecond of its first exclusion. */
  #reachOut({ ms, masks }: Matches, at: number, to: number): void {
    while (this.#excluded < to && (ms[this.#excluded]! <= ms[at]! || exclusionsOf(masks[this.#excluded]!) === 0)) this.#excluded += 1;
    const lastMs = Math.min(ms[at]! + this.#rules.windowMs, this.#excluded < to ? ms[this.#excluded]! : Infinity);
    for (; this.#end < to && ms[this.#end]! <= lastMs; this.#end += 1) this.#count(stepsOf(masks[this.#end]!), 1);
  }

  #count(steps: number, change: 1 | -1): void {
    if (steps === 0) return;
    if ((steps & (steps - 1)) === 0) {
      const count = (this.#counts[lowestOf(steps)]! += change);
      this.#steps = count === 0 ? this.#steps & ~steps : this.#steps | steps;
      return;
    }
    let kind = this.#several.indexOf(steps);
    if (kind < 0) {
      kind = this.#several.push(steps) - 1;
      this.#severalCounts.push(0);
    }
    this.#severalCounts[kind]! += change;
  }

  /** Whether the depth of the window is greater; a quick bound rejects most windows. */
  #hasMoreThan(depth: number): boolean {
    let all = this.#steps;
    for (let kind = 0; kind < this.#several.length; kind += 1) if (this.#severalCounts[kind]! > 0) all |= this.#several[kind]!;
    return bitCount(all) > depth && this.#depthOfWindow() > depth;
  }

  #depthOfWindow(): number {
    let depth = bitCount(this.#steps);
    if (this.#several.length === 0) return depth;
    // A step with an event that matches no other step needs none of those that match several.
    const holders = this.#holders;
    holders.clear();
    for (let kind = 0; kind < this.#several.length; kind += 1) {
      const steps = this.#several[kind]! & ~this.#steps;
      for (let count = Math.min(this.#severalCounts[kind]!, bitCount(steps)); count > 0 && holders.place(steps); count -= 1) depth += 1;
    }
    return depth;
  }

  /** Takes the first events in order that can have steps of their own together; a greedy choice suffices. */
  #choose(masks: Uint32Array, first: number, end: number, depth: number): void {
    this.#holders.clear();
    let count = 0;
    for (let at = first; at < end && count < depth; at += 1) {
      if (!this.#holders.place(stepsOf(masks[at]!))) continue;
      this.chain[count] = at;
      count += 1;
    }
  }
}

function bitCount(word: number): number {
  let count = 0;
  for (let rest = word; rest !== 0; rest &= rest - 1) count += 1;
  return count;
}

/** A finder for one entity after the other. */
export function chainFinderOf(rules: ChainRules): ChainFinder {
  return rules.order === "any" ? new ChainsOfAny(rules) : new ChainsInOrder(rules);
}

interface Entrants {
  readonly matches: Matches;
  /** When the first event of a chain may occur. */
  readonly entries: Range;
  /** The instant that decides the bucket of a chain that begins with a match. */
  entryMsOf(at: number): number;
}

/** Bits of which an event needs one to begin a chain. */
export function entryBits({ order, steps }: FunnelPlan): Mask {
  return order === "any" ? bitsBetween(0, steps.length - 1) : 1;
}

/** Finds the chains of one entity after the other and adds up their figures. */
export class ChainEvaluator {
  /** Figures of all found chains, by the groups of their values. */
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

  /** Number of evaluated entities whose chain may still continue. */
  get pendingCount(): number {
    return this.#pendingCount;
  }

  newFigures(): ChainFigures {
    return new ChainFigures(this.plan.steps.map(({ name }) => name), this.plan.windowMs);
  }

  /** Finds the chain of one entity. @param groupOf group of the values of a match */
  add(from: number, to: number, groupOf: (at: number) => number): void {
    const { plan: { breakdown, steps }, entrants: { matches, entries } } = this;
    const { chain } = this.#finder;
    const depth = this.#finder.find(matches, from, to, entries);
    if (depth < steps.length && this.#isPending(from, to)) this.#pendingCount += 1;
    if (depth === 0) return;
    const group = breakdown === null ? 0 : groupOf(chain[breakdown.at === "entry" ? 0 : depth - 1]!);
    this.figures.add(group, depth, chain, matches.ms);
  }

  /** Counts entities that reach only the first step, when there is only one group. @param pendingCount number of those that may still continue */
  addFirstOnly(count: number, pendingCount: number): void {
    this.figures.addFirstOnly(count);
    this.#pendingCount += pendingCount;
  }

  /** Finds the chains of each bucket on its own, by slot index. @param slots all slots of the range in which something counts */
  addWithin(figures: ChainFigures, slots: readonly Slot[], from: number, to: number): void {
    let slot = 0;
    for (let at = this.#nextEntry(from, to); at < to; at = this.#nextEntry(at, to)) {
      const entryMs = this.entrants.entryMsOf(at);
      while (slots[slot]!.toMs <= entryMs) slot += 1;
      at = this.#addWithinSlot(figures, slots[slot]!, slot, from, at, to);
    }
  }

  /** The first and the last instant at which a chain of an entity may begin; null for none. */
  extentOf(from: number, to: number): Extent | null {
    let [firstMs, lastMs] = [Infinity, -Infinity];
    for (let at = this.#nextEntry(from, to); at < to; at = this.#nextEntry(at + 1, to)) {
      const entryMs = this.entrants.entryMsOf(at);
      firstMs = Math.min(firstMs, entryMs);
      lastMs = Math.max(lastMs, entryMs);
    }
    return firstMs === Infinity ? null : { firstMs, lastMs };
  }

  /** Finds the chain that begins in a slot, from the first event at which one may begin. Returns the index after the last such event. */
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

  /** Whether one of the events may begin a chain that may still continue. */
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

export interface ChainKeys extends KeyGroups {
  readonly keys: Iterable<number>;
  numberOfKey(key: number): number;
}

type FunnelRows = Pick<Funnel, "rows" | "rest" | "valueCount">;

/** Steps by the values of a breakdown. */
export async function funnelRows({ breakdown }: FunnelPlan, figures: ChainFigures, groups: ChainKeys, pause: () => Promise<void>): Promise<FunnelRows> {
  if (breakdown === null) return { rows: null, rest: null, valueCount: 0 };
  const all = await runYielding(combinationsOf(groups.keys, groups), pause);
  const numbersOf = (keys: Float64Array) => Array.from(keys, (key) => groups.numberOfKey(key));
  const sizes = await runYielding(all.sumsOf((key) => figures.countOf(groups.numberOfKey(key))), pause);
  const shown = await runYielding(all.greatest(sizes, breakdown.limit), pause);
  const rows: NonNullable<Funnel["rows"]>[number][] = [];
  for (const place of shown) {
    await pause();
    rows.push({ values: all.valuesOf(place), steps: await figures.stepsOf(numbersOf(all.keysOf(place)), pause) });
  }
  const rest = breakdown.rest ? await figures.stepsOf(numbersOf(await runYielding(all.restOf(shown), pause)), pause) : null;
  return { rows, rest, valueCount: all.count };
}

/** Steps bucket by bucket. @param figures by index of the slot */
export async function funnelTrend(slots: readonly Slot[], figures: ChainFigures, pause: () => Promise<void>): Promise<NonNullable<Funnel["trend"]>> {
  const trend: NonNullable<Funnel["trend"]>[number][] = [];
  for (const [slot, { bucket }] of slots.entries()) {
    await pause();
    trend.push({ bucket, steps: await figures.stepsOf([slot], pause) });
  }
  return trend;
}
