/* eslint-disable @typescript-eslint/no-non-null-assertion -- places and steps are bounded by their arrays */
import type { Range } from "../../plan/plan.js";
import { bitsBetween, STEP_BITS, type ChainFinder, type ChainRules, type Mask, type Matches, exclusionsOf, lowestOf, stepsOf } from "./chain.js";

/** The events of one entity in one millisecond: they have no order, and each is one step. */
class ChainMoment {
  readonly #rules: ChainRules;
  /** Events that a chain may want, in order: of equal ones no more than they have steps. */
  #places = new Uint32Array(64);
  #steps = new Uint32Array(64);
  #count = 0;
  /** Some match several steps: two of these may ask for one event. */
  #isContested = false;
  #allSteps = 0;
  #exclusions = 0;
  /** 1: the chain has it already. */
  #isTaken = new Uint8Array(64);
  /** Which step an event is given to, and for which try of a step it was asked last. */
  #stepOf = new Int8Array(64);
  #asked = new Uint32Array(64);
  #askedNow = 0;

  constructor(rules: ChainRules) {
    this.#rules = rules;
  }

  /** Which event a step takes may leave others to later steps. */
  get orderDecides(): boolean {
    return this.#isContested && this.#count > 1;
  }

  /** Takes the events at places `[from, to)`. */
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

  /** The last step up to which those behind the first `done` ones can be made of events that are not taken. */
  reachOf(done: number): number {
    if (!this.#isContested) return done + lowestOf(~(this.#allSteps >>> done));
    this.#stepOf.fill(-1, 0, this.#count);
    let step = done;
    while (step < this.#rules.stepCount && this.#give(step)) step += 1;
    return step;
  }

  /** How many steps a chain that came with `done` ones must have at least to live on, where it ends with `depth`. */
  leastOf(done: number, depth: number): number {
    let least = 0;
    for (let rest = this.#exclusions; rest !== 0; rest &= rest - 1) {
      const { afterStep, beforeStep } = this.#rules.exclusions[lowestOf(rest)]!;
      if (afterStep <= done) least = Math.max(least, Math.min(beforeStep, depth));
    }
    return least;
  }

  /**
   * Takes the first event in order for the step behind the first `done` ones with which, and with others, the chain can leave the
   * millisecond with one of some counts of steps; -1 for none. @param allowed one bit a count
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

  /** Gives an event to a step; others that have one may have to take another (an augmenting path). */
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
 * Chains whose steps come one after the other. Per entity: forward, the latest entry by depth gives the greatest depth; backward, the earliest
 * end by steps still to come gives the first event; between its ends the chain. O(matches × steps); nothing is allocated for an entity.
 */
export class ChainsInOrder implements ChainFinder {
  readonly chain: Uint32Array;
  #orderDecides = false;
  readonly #rules: ChainRules;
  readonly #isStrict: boolean;
  readonly #moment: ChainMoment;
  /** By depth: when the chain of that depth began that began last and lives. */
  readonly #entries: Float64Array;
  readonly #nextEntries: Float64Array;
  /** By count of steps done: the earliest end of the others. */
  readonly #ends: Float64Array;
  /** By place: with which counts of steps a chain may leave the millisecond, one bit each. */
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

  /** The greatest depth; where it is 1, its chain too. */
  #depthOf({ ms, masks }: Matches, from: number, to: number, { fromMs, toMs }: Range): number {
    const { stepCount } = this.#rules;
    const entriesByDepth = this.#entries;
    // Not by `fill`, whose call costs more than so few numbers.
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

  /** Goes on with chains by one event: those of the greatest depth first, for one event is one step. Answers the depth reached. */
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
   * Finds the first chain of a depth, of which there is one: from each entry on its steps are the next events in turn, and while entries go by, so do
   * these. False where an exclusion, or what happened at once, asks for more than that. O(matches): mostly those up to the end of the chain.
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

  /** Where the first event lies with which a chain of some depth begins: the first place of its millisecond. */
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

  /** Goes back before one event, the fewest steps first. Answers the earliest end of a chain that begins with it. */
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

  /** Chooses the first chain in order of a depth that begins in a millisecond. */
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

  /** Finds with which counts of steps a chain may leave each millisecond in the window. Answers where the window ends. */
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

  /** With how many steps a chain that came with `done` ones must leave the millisecond to live on; one that did not begin must begin. */
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
