import type { FunnelPlan } from "../../plan/insights/plan.js";
import type { Range } from "../../plan/plan.js";
import { inChunks } from "../../../core/base/in-chunks.js";
import type { FunnelStep, FunnelTimes } from "../../plan/insights/answers.js";
import { roomForDurations, rateOf, secondsOf, type Durations } from "../numbers/tally.js";
import { percentilesOf } from "../numbers/percentiles.js";

/** The rules of a chain. */
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

/** The index of the lowest bit of a word, which must have one. */
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
  /** Whether another order of events within a millisecond would change the times of that chain. */
  readonly orderDecides: boolean;
  /** The depth of the chain among the matches `[from, to)`; 0 for none. @param entries when a chain may begin */
  find(matches: Matches, from: number, to: number, entries: Range): number;
}

/* eslint-disable @typescript-eslint/no-non-null-assertion -- positions and steps are bounded by their lists */
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
  #byGroup: { readonly starts: Uint32Array; readonly chains: Uint32Array } | null = null;

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
    if (this.#sinceEntryCount + depth > this.#sinceEntry.length) this.#sinceEntry = longer(new Float64Array(2 * this.#sinceEntry.length), this.#sinceEntry);
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
    await inChunks(chains.length, pause, (from, to) => {
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
    await inChunks(chains.length, pause, (from, to) => {
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
    const { starts, chains } = this.#chainsByGroup();
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

  #chainsByGroup(): { readonly starts: Uint32Array; readonly chains: Uint32Array } {
    if (this.#byGroup !== null) return this.#byGroup;
    const ends = new Uint32Array(this.#groupCount + 2);
    for (let at = 0; at < this.#count; at += 1) ends[this.#groups[at]! + 1]! += 1;
    for (let group = 1; group < ends.length; group += 1) ends[group]! += ends[group - 1]!;
    const starts = ends.slice(0, -1);
    const chains = new Uint32Array(this.#count);
    for (let at = 0; at < this.#count; at += 1) {
      const group = this.#groups[at]!;
      chains[ends[group]!] = at;
      ends[group]! += 1;
    }
    return (this.#byGroup = { starts, chains });
  }

  #grow(): void {
    const size = 2 * this.#depths.length;
    this.#depths = longer(new Uint8Array(size), this.#depths);
    this.#groups = longer(new Uint32Array(size), this.#groups);
    this.#starts = longer(new Uint32Array(size), this.#starts);
  }
}

function longer<A extends Uint8Array | Uint32Array | Float64Array>(into: A, from: A): A {
  into.set(from);
  return into;
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
/* eslint-enable @typescript-eslint/no-non-null-assertion */
