import { inTurns } from "../../base/steps.js";
import type { Funnel } from "../../plan/insights/answers.js";
import type { FunnelPlan } from "../../plan/insights/plan.js";
import type { Slot } from "./buckets.js";
import type { ChainFigures } from "./chain-figures.js";
import { combinationsOf, greatestOf, restOf, type KeyGroups } from "./combinations.js";

/** The keys under whose values chains stand. */
export interface ChainKeys extends KeyGroups {
  /** All that came. */
  readonly keys: Iterable<number>;
  /** The group of a key among figures. */
  numberOfKey(key: number): number;
}

type Rows = Pick<Funnel, "rows" | "rest" | "valueCount">;

/** Steps by the values of a breakdown. */
export async function funnelRows({ breakdown }: FunnelPlan, figures: ChainFigures, groups: ChainKeys, pause: () => Promise<void>): Promise<Rows> {
  if (breakdown === null) return { rows: null, rest: null, valueCount: 0 };
  const all = await inTurns(combinationsOf(groups.keys, groups), pause);
  const numbersOf = (keys: readonly number[]) => keys.map((key) => groups.numberOfKey(key));
  const sizes = Float64Array.from(all, ({ keys }) => numbersOf(keys).reduce((sum, group) => sum + figures.countOf(group), 0));
  const shown = greatestOf(all, sizes, breakdown.limit);
  const rows: NonNullable<Funnel["rows"]>[number][] = [];
  for (const { values, keys } of shown) {
    await pause();
    rows.push({ values, steps: await figures.stepsOf(numbersOf(keys), pause) });
  }
  return { rows, rest: breakdown.rest ? await figures.stepsOf(numbersOf(restOf(all, new Set(shown))), pause) : null, valueCount: all.length };
}

/** Steps bucket by bucket. @param figures by place of the slot */
export async function funnelTrend(slots: readonly Slot[], figures: ChainFigures, pause: () => Promise<void>): Promise<NonNullable<Funnel["trend"]>> {
  const trend: NonNullable<Funnel["trend"]>[number][] = [];
  for (const [slot, { bucket }] of slots.entries()) {
    await pause();
    trend.push({ bucket, steps: await figures.stepsOf([slot], pause) });
  }
  return trend;
}
