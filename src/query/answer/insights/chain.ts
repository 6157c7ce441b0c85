import type { FunnelPlan } from "../../plan/insights/plan.js";
import type { Range } from "../../plan/plan.js";

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
