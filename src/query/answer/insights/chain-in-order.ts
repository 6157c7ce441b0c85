/* eslint-disable @typescript-eslint/no-non-null-assertion -- positions and steps are bounded by their arrays */
import type { Range } from "../../plan/plan.js";
import { bitsBetween, STEP_BITS, type ChainFinder, type ChainRules, type Mask, type Matches, exclusionsOf, lowestOf, stepsOf } from "./chain.js";

/** The events of one entity in one millisecond: they have no order, and each fills one step. */
class ChainMoment {
  readonly #rules: ChainRules;
  /** Events that a chain may use, in order: of those with equal steps, no more than they have steps. */
  #places = new Uint32Array(64);
  #steps = new Uint32Array(64);
  #count = 0;
  /** Whether some match several steps: two of these may compete for one event. */
  #isContested = false;
  #allSteps = 0;
  #exclusions = 0;
  /** 1: the chain uses it already. */
  #isTaken = new Uint8Array(64);
  /** The step an event is assigned to, and the last search that visited it. */
  #stepOf = new Int8Array(64);
  #asked = new Uint32Array(64);
  #askedNow = 0;

  constructor(rules: ChainRules) {
    this.#rules = rules;
  }

  /** Whether the choice of an event for a step may affect later steps. */
  get orderDecides(): boolean {
    return this.#isContested && this.#count > 1;
  }

  /** Reads the events at indexes `[from, to)`. */
  read(masks: ArrayLike<Mask>, from: number, to: number): void {
    this.#count = 0;
    this.#allSteps = 0;
    this.#exclusions = 0;
    this.#isContested = false;
    for (let place = from; place < to; place += 1) {
      this.#exclusions |= exclusionsOf(masks[place]!);
      const steps = stepsOf(masks[place]!);
      if (steps === 0 || !this.#isWanted(steps)) continue;
      this.#allSteps |= steps;
      this.#isContested ||= (steps & (steps - 1)) !== 0;
      this.#push(place, steps);
    }
  }

  /** How many steps a chain with `done` steps can have after this millisecond, with events that are not taken. */
  reachOf(done: number): number {
    if (!this.#isContested) return done + lowestOf(~(this.#allSteps >>> done));
    this.#stepOf.fill(-1, 0, this.#count);
    let step = done;
    while (step < this.#rules.stepCount && this.#give(step)) step += 1;
    return step;
  }

  /** How many steps a chain that enters with `done` steps must have at least to survive exclusions, if it ends with `depth`. */
  leastOf(done: number, depth: number): number {
    let least = 0;
    for (let rest = this.#exclusions; rest !== 0; rest &= rest - 1) {
      const { afterStep, beforeStep } = this.#rules.exclusions[lowestOf(rest)]!;
      if (afterStep <= done) least = Math.max(least, Math.min(beforeStep, depth));
    }
    return least;
  }

  /**
   * Takes the first event in order for the step after the first `done` ones with which the chain can still leave the millisecond with an allowed
   * number of steps. Returns its index; -1 for none. @param allowed one bit for each number of steps
   */
  take(done: number, allowed: number): number {
    for (let event = 0; event < this.#count; event += 1) {
      if (this.#isTaken[event] === 1 || ((this.#steps[event]! >>> done) & 1) === 0) continue;
      this.#isTaken[event] = 1;
      if ((allowed & bitsBetween(done + 1, this.reachOf(done + 1))) !== 0) return this.#places[event]!;
      this.#isTaken[event] = 0;
    }
    return -1;
  }

  #isWanted(steps: number): boolean {
    let room = steps;
    for (let event = 0; event < this.#count; event += 1) if (this.#steps[event] === steps) room &= room - 1;
    return room !== 0;
  }

  #push(place: number, steps: number): void {
    const event = this.#count;
    if (event === this.#places.length) this.#grow();
    this.#places[event] = place;
    this.#steps[event] = steps;
    this.#isTaken[event] = 0;
    this.#count += 1;
  }

  /** Assigns an event to a step; other steps may have to switch events (an augmenting path). */
  #give(step: number): boolean {
    this.#askedNow += 1;
    return this.#path(step);
  }

  #path(step: number): boolean {
    for (let event = 0; event < this.#count; event += 1) {
      if (this.#isTaken[event] === 1 || ((this.#steps[event]! >>> step) & 1) === 0 || this.#asked[event] === this.#askedNow) continue;
      this.#asked[event] = this.#askedNow;
      const holder = this.#stepOf[event]!;
      if (holder >= 0 && !this.#path(holder)) continue;
      this.#stepOf[event] = step;
      return true;
    }
    return false;
  }

  #grow(): void {
    const longer = <A extends Uint32Array | Uint8Array | Int8Array>(into: A, from: A): A => {
      into.set(from);
      return into;
    };
    const size = this.#places.length * 2;
    this.#places = longer(new Uint32Array(size), this.#places);
    this.#steps = longer(new Uint32Array(size), this.#steps);
    this.#isTaken = longer(new Uint8Array(size), this.#isTaken);
    this.#stepOf = longer(new Int8Array(size), this.#stepOf);
    this.#asked = longer(new Uint32Array(size), this.#asked);
  }
}

/** Masks below it match no exclusion. */
const EXCLUDED = 2 ** STEP_BITS;

/**
 * Chains whose steps follow each other. Per entity: a forward pass finds the greatest depth by the latest entry of each depth; a backward pass finds
 * the first event by the earliest end of the remaining steps; then the chain is chosen between these ends. O(matches × steps); allocates nothing per
 * entity.
 */
export class ChainsInOrder implements ChainFinder {
  readonly chain: Uint32Array;
  #orderDecides = false;
  readonly #rules: ChainRules;
  readonly #isStrict: boolean;
  readonly #moment: ChainMoment;
  /** By depth: the entry of the live chain of that depth that began last. */
  readonly #entries: Float64Array;
  readonly #nextEntries: Float64Array;
  /** By number of steps done: the earliest end of the remaining ones. */
  readonly #ends: Float64Array;
  /** By index: the numbers of steps with which a chain may leave the millisecond, one bit each. */
  #open = new Uint32Array(256);

  constructor(rules: ChainRules) {
    this.#rules = rules;
    this.#isStrict = rules.order === "strict";
    this.#moment = new ChainMoment(rules);
    this.chain = new Uint32Array(rules.stepCount);
    this.#entries = new Float64Array(rules.stepCount + 1);
    this.#nextEntries = new Float64Array(rules.stepCount + 1);
    this.#ends = new Float64Array(rules.stepCount + 1);
  }

  get orderDecides(): boolean {
    return this.#orderDecides;
  }

  find(matches: Matches, from: number, to: number, entries: Range): number {
    this.#orderDecides = false;
    const depth = this.#depthOf(matches, from, to, entries);
    if (depth > 1 && !this.#isFoundAhead(matches, from, to, entries, depth))
      this.#choose(matches, this.#firstEntry(matches, from, to, entries, depth), to, depth);
    return depth;
  }

  /** The greatest depth; when it is 1, this also sets the chain. */
  #depthOf({ ms, masks }: Matches, from: number, to: number, { fromMs, toMs }: Range): number {
    const { stepCount } = this.#rules;
    const entriesByDepth = this.#entries;
    // No `fill`: its call costs more than setting so few numbers.
    for (let done = 0; done <= stepCount; done += 1) entriesByDepth[done] = -Infinity;
    let depth = 0;
    for (let at = from; at < to && depth < stepCount; ) {
      const now = ms[at]!;
      const next = endOfMoment(ms, at, to);
      const entryMs = now >= fromMs && now < toMs ? now : -Infinity;
      if (depth === 0 && entryMs === -Infinity) {
        at = next;
        continue;
      }
      const isOne = next === at + 1 && masks[at]! < EXCLUDED;
      const reached = isOne ? this.#addOne(masks[at]!, now, entryMs, depth) : this.#addMoment(masks, at, next, now, entryMs, depth);
      if (depth === 0 && reached > 0) this.chain[0] = firstOfStep(masks, at);
      depth = reached;
      at = next;
    }
    return depth;
  }

  /** Extends chains by one event, the deepest first, because one event fills one step. Returns the depth reached. */
  #addOne(steps: Mask, now: number, entryMs: number, depth: number): number {
    const { stepCount, windowMs } = this.#rules;
    const entries = this.#entries;
    let reached = depth;
    for (let done = Math.min(depth, stepCount - 1); done >= 0; done -= 1) {
      const entry = ((steps >>> done) & 1) === 0 ? -Infinity : done === 0 ? entryMs : entries[done]!;
      const isAlive = now - entry <= windowMs;
      if (this.#isStrict) entries[done + 1] = isAlive ? entry : -Infinity;
      else if (isAlive && entry > entries[done + 1]!) entries[done + 1] = entry;
      if (isAlive && done === reached) reached += 1;
    }
    return reached;
  }

  #addMoment(masks: Uint32Array, from: number, to: number, now: number, entryMs: number, depth: number): number {
    const { stepCount, windowMs } = this.#rules;
    const [entries, next, moment] = [this.#entries, this.#nextEntries, this.#moment];
    next.fill(-Infinity);
    moment.read(masks, from, to);
    let reached = depth;
    for (let done = 0; done <= depth; done += 1) {
      const entry = done === 0 ? entryMs : entries[done]!;
      if (now - entry > windowMs) continue;
      const reach = moment.reachOf(done);
      reached = Math.max(reached, reach);
      for (let count = this.#leastAfter(done, stepCount); count <= reach; count += 1) next[count] = Math.max(next[count]!, entry);
    }
    entries.set(next);
    return reached;
  }

  /**
   * Finds the first chain of a depth that is known to exist: from each entry, its steps are the next events that match, and these only move forward
   * as entries do. False when an exclusion or simultaneous events need the full search. O(matches): mostly those up to the end of the chain.
   */
  #isFoundAhead({ ms, masks }: Matches, from: number, to: number, { fromMs }: Range, depth: number): boolean {
    const { windowMs, exclusions } = this.#rules;
    const { chain } = this;
    if (this.#isStrict || exclusions.length > 0) return false;
    for (let step = 0; step < depth; step += 1) chain[step] = from;
    for (let entry = from; entry < to; entry += 1) {
      if (entry + 1 < to && ms[entry + 1] === ms[entry]) return false;
      if ((masks[entry]! & 1) === 0 || ms[entry]! < fromMs) continue;
      chain[0] = entry;
      for (let step = 1; step < depth; step += 1) {
        let at = Math.max(chain[step]!, chain[step - 1]! + 1);
        for (; at < to && ((masks[at]! >>> step) & 1) === 0; at += 1) if (at + 1 < to && ms[at + 1] === ms[at]) return false;
        if (at === to || (at + 1 < to && ms[at + 1] === ms[at])) return false;
        chain[step] = at;
      }
      if (ms[chain[depth - 1]!]! - ms[entry]! <= windowMs) return true;
    }
    return false;
  }

  /** Index of the first event with which a chain of this depth begins: the first index of its millisecond. */
  #firstEntry({ ms, masks }: Matches, from: number, to: number, { fromMs, toMs }: Range, depth: number): number {
    const { windowMs } = this.#rules;
    const ends = this.#ends;
    ends.fill(Infinity);
    let first = -1;
    for (let end = to; end > from && ms[end - 1]! >= fromMs; ) {
      const now = ms[end - 1]!;
      const start = startOfMoment(ms, from, end);
      const isOne = start === end - 1 && masks[start]! < EXCLUDED;
      ends[depth] = now;
      const endMs = isOne ? this.#endOne(masks[start]!, depth) : this.#endMoment(masks, start, end, depth);
      if (now < toMs && endMs - now <= windowMs) first = start;
      end = start;
    }
    return first;
  }

  /** Moves back before one event, the fewest steps first. Returns the earliest end of a chain that begins with it. */
  #endOne(steps: Mask, depth: number): number {
    const ends = this.#ends;
    const endMs = (steps & 1) === 0 ? Infinity : ends[1]!;
    for (let done = 1; done < depth; done += 1) {
      const own = ((steps >>> done) & 1) === 0 ? Infinity : ends[done + 1]!;
      if (this.#isStrict || own < ends[done]!) ends[done] = own;
    }
    return endMs;
  }

  #endMoment(masks: Uint32Array, from: number, to: number, depth: number): number {
    const [ends, moment] = [this.#ends, this.#moment];
    moment.read(masks, from, to);
    let first = Infinity;
    for (let done = 0; done < depth; done += 1) {
      const reach = Math.min(moment.reachOf(done), depth);
      let endMs = Infinity;
      for (let count = this.#leastAfter(done, depth); count <= reach; count += 1) endMs = Math.min(endMs, ends[count]!);
      if (done === 0) first = endMs;
      else ends[done] = endMs;
    }
    return first;
  }

  /** Chooses the first chain in order of a depth that begins in the millisecond at `first`. */
  #choose({ ms, masks }: Matches, first: number, to: number, depth: number): void {
    const end = this.#findOpen(ms, masks, first, to, depth);
    let done = 0;
    for (let at = first; done < depth; ) {
      const next = endOfMoment(ms, at, end);
      const open = this.#open[at - first]!;
      if (next > at + 1 || masks[at]! >= EXCLUDED) done = this.#chooseOfMoment(masks, at, next, open, done, depth);
      else if (((masks[at]! >>> done) & (open >>> (done + 1)) & 1) === 1) {
        this.chain[done] = at;
        done += 1;
      }
      at = next;
    }
  }

  #chooseOfMoment(masks: Uint32Array, from: number, to: number, open: number, done: number, depth: number): number {
    const moment = this.#moment;
    moment.read(masks, from, to);
    const allowed = open & bitsBetween(this.#leastAfter(done, depth), depth);
    let count = done;
    while (count < depth) {
      const place = moment.take(count, allowed);
      if (place < 0) break;
      this.chain[count] = place;
      count += 1;
    }
    if (count > done && moment.orderDecides) this.#orderDecides = true;
    return count;
  }

  /** Finds the numbers of steps with which a chain may leave each millisecond in the window. Returns where the window ends. */
  #findOpen(ms: Float64Array, masks: Uint32Array, first: number, to: number, depth: number): number {
    const lastMs = ms[first]! + this.#rules.windowMs;
    let windowEnd = first;
    while (windowEnd < to && ms[windowEnd]! <= lastMs) windowEnd += 1;
    if (windowEnd - first > this.#open.length) this.#open = new Uint32Array(2 * (windowEnd - first));
    const isDone = 1 << depth;
    let open = isDone;
    for (let end = windowEnd; end > first; ) {
      const start = startOfMoment(ms, first, end);
      this.#open[start - first] = open;
      if (start < end - 1 || masks[start]! >= EXCLUDED) open = this.#openBefore(masks, start, end, open, depth);
      else open = (this.#isStrict ? isDone : open) | (masks[start]! & (open >>> 1));
      end = start;
    }
    return windowEnd;
  }

  #openBefore(masks: Uint32Array, from: number, to: number, open: number, depth: number): number {
    const moment = this.#moment;
    moment.read(masks, from, to);
    let before = 1 << depth;
    for (let done = 0; done < depth; done += 1) {
      const [least, reach] = [this.#leastAfter(done, depth), Math.min(moment.reachOf(done), depth)];
      if (least <= reach && (open & bitsBetween(least, reach)) !== 0) before |= 1 << done;
    }
    return before;
  }

  /** The number of steps with which a chain that enters with `done` must leave the millisecond to survive; one that has not begun must begin. */
  #leastAfter(done: number, depth: number): number {
    const mustMove = this.#isStrict || done === 0;
    return Math.max(this.#moment.leastOf(done, depth), mustMove ? done + 1 : done);
  }
}

function endOfMoment(ms: Float64Array, at: number, to: number): number {
  let next = at + 1;
  while (next < to && ms[next] === ms[at]) next += 1;
  return next;
}

function startOfMoment(ms: Float64Array, from: number, end: number): number {
  let start = end - 1;
  while (start > from && ms[start - 1] === ms[end - 1]) start -= 1;
  return start;
}

function firstOfStep(masks: Uint32Array, from: number): number {
  let at = from;
  while ((masks[at]! & 1) === 0) at += 1;
  return at;
}
