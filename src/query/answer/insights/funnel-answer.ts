import { inTurns } from "../../../core/base/steps.js";
import type { Funnel } from "../../plan/insights/answers.js";
import type { FunnelPlan } from "../../plan/insights/plan.js";
import type { Slot, Extent } from "./buckets.js";
import type { ChainFigures } from "./chain.js";
import { combinationsOf, type KeyGroups } from "./combinations.js";

/** The keys of the values by which chains are broken down. */
export interface ChainKeys extends KeyGroups {
  /** All keys of chains. */
  readonly keys: Iterable<number>;
  /** The group number of a key in the figures. */
  numberOfKey(key: number): number;
}

type FunnelRows = Pick<Funnel, "rows" | "rest" | "valueCount">;

/** Steps by the values of a breakdown. */
export async function funnelRows({ breakdown }: FunnelPlan, figures: ChainFigures, groups: ChainKeys, pause: () => Promise<void>): Promise<FunnelRows> {
  if (breakdown === null) return { rows: null, rest: null, valueCount: 0 };
  const all = await inTurns(combinationsOf(groups.keys, groups), pause);
  const numbersOf = (keys: Float64Array) => Array.from(keys, (key) => groups.numberOfKey(key));
  const sizes = await inTurns(all.sumsOf((key) => figures.countOf(groups.numberOfKey(key))), pause);
  const shown = await inTurns(all.greatest(sizes, breakdown.limit), pause);
  const rows: NonNullable<Funnel["rows"]>[number][] = [];
  for (const place of shown) {
    await pause();
    rows.push({ values: all.valuesOf(place), steps: await figures.stepsOf(numbersOf(all.keysOf(place)), pause) });
  }
  const rest = breakdown.rest ? await figures.stepsOf(numbersOf(await inTurns(all.restOf(shown), pause)), pause) : null;
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

/** The figures of a series. */
export interface SeriesFigures {
  readonly counted: number;
  readonly total: number | null;
  /** By unit of the axis. */
  readonly data: readonly (number | null)[];
  /** Number of things that count in each unit. */
  readonly countedByUnit: readonly number[];
}

/** The data of a trend, from which the figures of keys are computed. */
export interface Measured {
  /** All keys that occur, whether or not anything counts under them. */
  readonly keys: Iterable<number>;
  readonly isEmpty: boolean;
  /** The first and the last unit in which something counts; null for none. Cost: a read of what does not count before and after them. */
  extent(pause: () => Promise<void>): Promise<Extent | null>;
  /** The measure of some keys over all units. Each event counts once. */
  totalOf(keys: Float64Array, pause: () => Promise<void>): Promise<number | null>;
  /** The figures of some keys. @param units of the axis, ascending: must include all units in which something counts */
  figuresOf(keys: Float64Array, units: readonly number[], isCumulative: boolean, pause: () => Promise<void>): Promise<SeriesFigures>;
}
