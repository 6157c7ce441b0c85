import type { FunnelPlan } from "../../plan/insights/plan.js";
import type { Range } from "../../plan/plan.js";

/** What makes a chain. */
export type ChainRules = Pick<FunnelPlan, "order" | "windowMs"> & {
  readonly stepCount: number;
  /** Steps count from 1. */
  readonly exclusions: readonly Pick<FunnelPlan["exclusions"][number], "afterStep" | "beforeStep">[];
};

/** Bits of the steps in a mask, that of step 1 first. Those of exclusions follow. */
export const STEP_BITS = 20;
const STEP_MASK = 2 ** STEP_BITS - 1;

/** One bit a step and one an exclusion that the event matches. */
export type Mask = number;

export function stepsOf(mask: Mask): number {
  return mask & STEP_MASK;
}

export function exclusionsOf(mask: Mask): number {
  return mask >>> STEP_BITS;
}

/** The place of the lowest bit of a word that has one. */
export function lowestOf(word: number): number {
  return 31 - Math.clz32(word & -word);
}

/** The bits from `low` to `high`, which is at least `low - 1`. */
export function bitsBetween(low: number, high: number): number {
  return (2 << high) - (1 << low);
}

/** Matches of one entity after the other. Those of each ascend by time, and within a millisecond by id, if that is known. */
export interface Matches {
  readonly ms: Float64Array;
  readonly masks: Uint32Array;
}

/** Finds the chain of one entity after the other: how far it got, by its deepest chain that is the first in order. */
export interface ChainFinder {
  /** Places of the events of the chain that was found last; behind its depth anything. */
  readonly chain: Uint32Array;
  /** Whether the times of that chain would be others if its events of one millisecond stood in another order. */
  readonly orderDecides: boolean;
  /** The depth of the chain among the matches `[from, to)`; 0: there is none. @param entries when a chain may begin */
  find(matches: Matches, from: number, to: number, entries: Range): number;
}
