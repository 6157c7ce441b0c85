/* eslint-disable @typescript-eslint/no-non-null-assertion -- places and steps are bounded by their arrays */
import type { Range } from "../../plan/plan.js";
import { type ChainFinder, type ChainRules, exclusionsOf, lowestOf, stepsOf, STEP_BITS, type Matches } from "./chain.js";
import { ChainsInOrder } from "./chain-in-order.js";

/** Which event holds which step, one event a step: as many as can be, by augmenting paths. */
class StepHolders {
  /** By step, the steps that its event matches; 0: nobody holds it. */
  readonly #steps = new Uint32Array(STEP_BITS);
  #held = 0;
  #asked = 0;

  clear(): void {
    this.#held = 0;
  }

  /** Gives an event one of its steps; others may have to take another one of theirs. False where none can be given. */
  place(steps: number): boolean {
    this.#asked = 0;
    return this.#path(steps);
  }

  #path(steps: number): boolean {
    const free = steps & ~this.#held;
    if (free !== 0) {
      this.#held |= free & -free;
      this.#steps[lowestOf(free)] = steps;
      return true;
    }
    for (let rest = steps & ~this.#asked; rest !== 0; rest = rest & (rest - 1) & ~this.#asked) {
      const step = lowestOf(rest);
      this.#asked |= rest & -rest;
      if (!this.#path(this.#steps[step]!)) continue;
      this.#steps[step] = steps;
      return true;
    }
    return false;
  }
}

/**
 * Chains whose steps come in any order: of each window that begins with an event, as many steps as can be given events of their own. Where each
 * event is one step, these are counted while the window moves; else they are given out by augmenting paths.
 */
class ChainsOfAny implements ChainFinder {
  readonly chain: Uint32Array;
  /** How many events of each millisecond a chain has does not depend on their order. */
  readonly orderDecides = false;
  readonly #rules: ChainRules;
  readonly #holders = new StepHolders();
  /** Events of the window by their one step, and the steps that have some. */
  readonly #counts = new Uint32Array(STEP_BITS);
  #steps = 0;
  /** Of the window's events of several steps: which steps, and how many events of just these. */
  #several: number[] = [];
  #severalCounts: number[] = [];
  /** Where the window ends, and the first exclusion behind its first millisecond. */
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

  /** Makes the window that of the event at a place: what lies behind its first exclusion is not in it. */
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

  /** Whether the window's depth is greater; judged quickly where it is plain that it is not. */
  #hasMoreThan(depth: number): boolean {
    let all = this.#steps;
    for (let kind = 0; kind < this.#several.length; kind += 1) if (this.#severalCounts[kind]! > 0) all |= this.#several[kind]!;
    return bitCount(all) > depth && this.#depthOfWindow() > depth;
  }

  #depthOfWindow(): number {
    let depth = bitCount(this.#steps);
    if (this.#several.length === 0) return depth;
    // A step that an event of no other step has needs none of those with several.
    const holders = this.#holders;
    holders.clear();
    for (let kind = 0; kind < this.#several.length; kind += 1) {
      const steps = this.#several[kind]! & ~this.#steps;
      for (let count = Math.min(this.#severalCounts[kind]!, bitCount(steps)); count > 0 && holders.place(steps); count -= 1) depth += 1;
    }
    return depth;
  }

  /** The first events in order that have steps of their own together: each is taken that can be. */
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

/** For one entity after the other. */
export function chainFinderOf(rules: ChainRules): ChainFinder {
  return rules.order === "any" ? new ChainsOfAny(rules) : new ChainsInOrder(rules);
}
