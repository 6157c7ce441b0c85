/* eslint-disable @typescript-eslint/no-non-null-assertion -- indexes are bounded by their lists */
import { grown, placesByKey, type PlacesByKey } from "../../../core/base/arrays.js";
import type { FunnelPlan } from "../../plan/insights/plan.js";
import type { Range } from "../../plan/plan.js";
import { runAtOnce, inPieces } from "../../../core/base/yield.js";
import type { FunnelStep, FunnelTimes } from "../../plan/insights/answers.js";
import { roomForDurations, rateOf, secondsOf, percentilesOf, type Durations } from "../numbers.js";

export type ChainRules = Pick<FunnelPlan, "order" | "windowMs"> & {
  readonly stepCount: number;
  /** Steps count from 1. */
  readonly exclusions: readonly Pick<FunnelPlan["exclusions"][number], "afterStep" | "beforeStep">[];
};

/** Number of step bits in a mask, step 1 lowest. The bits of exclusions follow. */
export const STEP_BITS = 20;
const STEP_MASK = 2 ** STEP_BITS - 1;

/** One bit for each step and each exclusion that the event matches. */
export type Mask = number;

export function stepsOf(mask: Mask): number {
  return mask & STEP_MASK;
}

export function exclusionsOf(mask: Mask): number {
  return mask >>> STEP_BITS;
}

export function lowestOf(word: number): number {
  return 31 - Math.clz32(word & -word);
}

/** The bits from `low` to `high`, which is at least `low - 1`. */
export function bitsBetween(low: number, high: number): number {
  return (2 << high) - (1 << low);
}

/** Matches of one entity after the other. Those of each ascend by time, and within a millisecond by id if that is known. */
export interface Matches {
  readonly ms: Float64Array;
  readonly masks: Uint32Array;
}

/** Finds the chain of one entity after the other: of its deepest chains, the first in order. */
export interface ChainFinder {
  /** Indexes of the events of the last found chain; arbitrary from its depth on. */
  readonly chain: Uint32Array;
  /** The depth of the chain among the matches `[from, to)`; 0 for none. @param entries when a chain may begin */
  find(matches: Matches, from: number, to: number, entries: Range): number;
}

/** Found chains, each in one group: their depths and durations. */
export class ChainFigures {
  #count = 0;
  #depths = new Uint8Array(1_024);
  #groups = new Uint32Array(1_024);
  /** Where the times of a chain begin in `#sinceEntry`: ms since its first event, one for each later event. */
  #starts = new Uint32Array(1_024);
  #sinceEntry = new Float64Array(1_024);
  #sinceEntryCount = 0;
  #groupCount = 0;
  /** Chains of the first step alone that are only counted. */
  #firstOnlyCount = 0;
  #byGroup: PlacesByKey | null = null;

  /** @param names of the steps @param windowMs within which a chain lies */
  constructor(
    readonly names: readonly string[],
    readonly windowMs: number,
  ) {}

  /** Adds a chain with a depth of at least 1. @param chain indexes of its events in `ms` */
  add(group: number, depth: number, chain: Uint32Array, ms: Float64Array): void {
    const at = this.#count;
    if (at === this.#depths.length) this.#grow();
    this.#depths[at] = depth;
    this.#groups[at] = group;
    this.#groupCount = Math.max(this.#groupCount, group + 1);
    this.#starts[at] = this.#sinceEntryCount;
    this.#count += 1;
    if (this.#sinceEntryCount + depth > this.#sinceEntry.length) this.#sinceEntry = grown(this.#sinceEntry, 2 * this.#sinceEntry.length);
    const entryMs = ms[chain[0]!]!;
    for (let step = 1; step < depth; step += 1) this.#sinceEntry[this.#sinceEntryCount + step - 1] = ms[chain[step]!]! - entryMs;
    this.#sinceEntryCount += depth - 1;
    this.#byGroup = null;
  }

  /** Adds chains of the first step alone; they count only when figures of all groups are requested. */
  addFirstOnly(count: number): void {
    this.#firstOnlyCount += count;
  }

  countOf(group: number): number {
    const { starts } = this.#chainsByGroup();
    return group < this.#groupCount ? starts[group + 1]! - starts[group]! : 0;
  }

  /** The steps of some groups. Cost: a few reads of each chain and time. @param groups null: all @param pause yields */
  async stepsOf(groups: readonly number[] | null, pause: () => Promise<void>): Promise<FunnelStep[]> {
    const chains = this.#chainsOf(groups);
    const reached = new Uint32Array(this.names.length + 1);
    if (groups === null) reached[0] = this.#firstOnlyCount;
    await inPieces(chains.length, pause, (from, to) => {
      for (let at = from; at < to; at += 1) for (let depth = this.#depths[chains[at]!]!; depth > 0; depth -= 1) reached[depth - 1]! += 1;
    });
    const steps: FunnelStep[] = [];
    for (const [step, name] of this.names.entries()) {
      const entities = reached[step]!;
      const isTimed = step > 0 && entities > 0;
      const fromEntry = isTimed ? await timesOf(await this.#passed(chains, step, entities, true, pause), pause) : null;
      steps.push({
        name,
        entities,
        conversionRate: rateOf(entities, reached[0]!),
        stepRate: rateOf(entities, reached[Math.max(step - 1, 0)]!),
        dropOffs: step === this.names.length - 1 ? 0 : entities - reached[step + 1]!,
        fromPrevious: isTimed && step > 1 ? await timesOf(await this.#passed(chains, step, entities, false, pause), pause) : fromEntry,
        fromEntry,
      });
    }
    return steps;
  }

  /** Ms up to a step, from the first step or the previous one, for each chain that reached it. */
  async #passed(chains: Uint32Array, step: number, count: number, isFromEntry: boolean, pause: () => Promise<void>): Promise<Durations> {
    const passed = roomForDurations(count, this.windowMs);
    let next = 0;
    await inPieces(chains.length, pause, (from, to) => {
      for (let at = from; at < to; at += 1) {
        if (this.#depths[chains[at]!]! <= step) continue;
        const place = this.#starts[chains[at]!]! + step - 1;
        passed[next] = this.#sinceEntry[place]! - (isFromEntry ? 0 : this.#sinceEntry[place - 1]!);
        next += 1;
      }
    });
    return passed;
  }

  #chainsOf(groups: readonly number[] | null): Uint32Array {
    if (groups === null) return new Uint32Array(this.#count).map((_, chain) => chain);
    const { starts, places: chains } = this.#chainsByGroup();
    const known = groups.filter((group) => group < this.#groupCount);
    if (known.length === 1) return chains.subarray(starts[known[0]!], starts[known[0]! + 1]);
    const all = new Uint32Array(known.reduce((sum, group) => sum + this.countOf(group), 0));
    let end = 0;
    for (const group of known) {
      all.set(chains.subarray(starts[group], starts[group + 1]), end);
      end += this.countOf(group);
    }
    return all;
  }

  #chainsByGroup(): PlacesByKey {
    return (this.#byGroup ??= runAtOnce(placesByKey(this.#groups.subarray(0, this.#count), this.#groupCount)));
  }

  #grow(): void {
    const size = 2 * this.#depths.length;
    this.#depths = grown(this.#depths, size);
    this.#groups = grown(this.#groups, size);
    this.#starts = grown(this.#starts, size);
  }
}

async function timesOf(passedMs: Durations, pause: () => Promise<void>): Promise<FunnelTimes> {
  const [medianSec, p90Sec] = await percentilesOf(passedMs, null, [50, 90], pause);
  await pause();
  return { avgSec: averageSecondsOf(passedMs), medianSec: medianSec ?? 0, p90Sec: p90Sec ?? 0 };
}

/** A quarter of the range of exact integers: a sum below it plus one more value stays exact. */
const EXACT_SUM = 2 ** 51;

/** The mean of non-negative whole ms in seconds, rounded half up to the millisecond, however great their sum is. */
function averageSecondsOf(ms: Durations): number {
  let great = 0n;
  let sum = 0;
  for (let at = 0; at < ms.length; at += 1) {
    sum += ms[at]!;
    if (sum < EXACT_SUM) continue;
    great += BigInt(sum);
    sum = 0;
  }
  if (great === 0n) return secondsOf(sum, ms.length);
  const count = BigInt(ms.length);
  return Number((2n * (great + BigInt(sum)) + count) / (2n * count)) / 1_000;
}

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
  #visitedIn = new Uint32Array(64);
  #search = 0;

  constructor(rules: ChainRules) {
    this.#rules = rules;
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
   * Takes the first event for the step after the first `done` ones that still lets the chain leave the millisecond with an allowed number of steps.
   * Returns its index; -1 for none. @param allowed one bit for each number of steps
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
    this.#search += 1;
    return this.#path(step);
  }

  #path(step: number): boolean {
    for (let event = 0; event < this.#count; event += 1) {
      if (this.#isTaken[event] === 1 || ((this.#steps[event]! >>> step) & 1) === 0 || this.#visitedIn[event] === this.#search) continue;
      this.#visitedIn[event] = this.#search;
      const holder = this.#stepOf[event]!;
      if (holder >= 0 && !this.#path(holder)) continue;
      this.#stepOf[event] = step;
      return true;
    }
    return false;
  }

  #grow(): void {
    const size = this.#places.length * 2;
    this.#places = grown(this.#places, size);
    this.#steps = grown(this.#steps, size);
    this.#isTaken = grown(this.#isTaken, size);
    this.#stepOf = grown(this.#stepOf, size);
    this.#visitedIn = grown(this.#visitedIn, size);
  }
}

/** Masks of events that match an exclusion are at least this. */
const EXCLUDED = 2 ** STEP_BITS;

/**
 * Chains whose steps follow each other. Per entity: a forward pass finds the greatest depth by the latest entry of each depth; a backward pass finds
 * the first event by the earliest end of the remaining steps; then the chain is chosen between these ends. O(matches × steps); allocates nothing per
 * entity.
 */
export class ChainsInOrder implements ChainFinder {
  readonly chain: Uint32Array;
  readonly #rules: ChainRules;
  readonly #isStrict: boolean;
  readonly #moment: ChainMoment;
  /** By depth: the latest start of a chain of that depth that can still continue. */
  readonly #entries: Float64Array;
  readonly #nextEntries: Float64Array;
  /** By number of steps done: the earliest end of the remaining ones. */
  readonly #ends: Float64Array;
  /** By index: the step counts with which a chain may leave the millisecond, one bit each. */
  #allowedStepCounts = new Uint32Array(256);

  constructor(rules: ChainRules) {
    this.#rules = rules;
    this.#isStrict = rules.order === "strict";
    this.#moment = new ChainMoment(rules);
    this.chain = new Uint32Array(rules.stepCount);
    this.#entries = new Float64Array(rules.stepCount + 1);
    this.#nextEntries = new Float64Array(rules.stepCount + 1);
    this.#ends = new Float64Array(rules.stepCount + 1);
  }

  find(matches: Matches, from: number, to: number, entries: Range): number {
    const depth = this.#depthOf(matches, from, to, entries);
    if (depth > 1 && !this.#isFoundAhead(matches, from, to, entries, depth))
      this.#choose(matches, this.#firstEntry(matches, from, to, entries, depth), to, depth);
    return depth;
  }

  /** The greatest depth; when it is 1, this also sets the chain. */
  #depthOf({ ms, masks }: Matches, from: number, to: number, { fromMs, toMs }: Range): number {
    const { stepCount } = this.#rules;
    const entriesByDepth = this.#entries;
    // A loop, because calling `fill` takes longer for so few numbers.
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
      for (let count = this.#minStepsAfter(done, stepCount); count <= reach; count += 1) next[count] = Math.max(next[count]!, entry);
    }
    entries.set(next);
    return reached;
  }

  /**
   * Finds the first chain of a depth that is known to exist: each step takes the next event that matches. Later entries never need earlier events.
   * Returns false if exclusions or simultaneous events need the full search. Cost: mostly the matches up to the end of the chain.
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
      for (let count = this.#minStepsAfter(done, depth); count <= reach; count += 1) endMs = Math.min(endMs, ends[count]!);
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
      const open = this.#allowedStepCounts[at - first]!;
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
    const allowed = open & bitsBetween(this.#minStepsAfter(done, depth), depth);
    let count = done;
    while (count < depth) {
      const place = moment.take(count, allowed);
      if (place < 0) break;
      this.chain[count] = place;
      count += 1;
    }
    return count;
  }

  /** Finds the numbers of steps with which a chain may leave each millisecond in the window. Returns where the window ends. */
  #findOpen(ms: Float64Array, masks: Uint32Array, first: number, to: number, depth: number): number {
    const lastMs = ms[first]! + this.#rules.windowMs;
    let windowEnd = first;
    while (windowEnd < to && ms[windowEnd]! <= lastMs) windowEnd += 1;
    if (windowEnd - first > this.#allowedStepCounts.length) this.#allowedStepCounts = new Uint32Array(2 * (windowEnd - first));
    const isDone = 1 << depth;
    let open = isDone;
    for (let end = windowEnd; end > first; ) {
      const start = startOfMoment(ms, first, end);
      this.#allowedStepCounts[start - first] = open;
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
      const [least, reach] = [this.#minStepsAfter(done, depth), Math.min(moment.reachOf(done), depth)];
      if (least <= reach && (open & bitsBetween(least, reach)) !== 0) before |= 1 << done;
    }
    return before;
  }

  /** Fewest steps that a chain with `done` steps must have after this millisecond: exclusions, strict order and a new chain force progress. */
  #minStepsAfter(done: number, depth: number): number {
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
