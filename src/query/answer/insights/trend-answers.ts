import { parameterError } from "../../../core/base/errors.js";
import { LIMITS } from "../../../core/base/limits.js";
import { runYielding } from "../../../core/base/yield.js";
import type { TrendAnswers, TrendSeries } from "../../plan/insights/answers.js";
import type { TrendPlan } from "../../plan/insights/plan.js";
import type { Range } from "../../plan/plan.js";
import { slotsOf, type Extent, type Slot } from "./buckets.js";
import { combinationsOf, onlyGroup, type Combinations, type KeyGroups } from "./combinations.js";

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

type TrendFigures = Omit<TrendAnswers, "unconverted">;

/**
 * The results for a range: for the combinations with the greatest totals, or for given ones. Cost: the cells of all combinations, and those of shown
 * ones once more. @throws invalid_parameter
 * @param given values that are shown whatever their totals, in this order; null: those with the greatest totals
 */
export async function trendFiguresOf(
  plan: TrendPlan,
  range: Range,
  things: Measured,
  keys: KeyGroups,
  given: readonly (readonly string[])[] | null,
  pause: () => Promise<void>,
): Promise<TrendFigures> {
  const { breakdown, interval, cumulative } = plan;
  const isOpen = plan.isOpen.start || plan.isOpen.end;
  const slots = slotsOf({ ...plan, range }, interval, isOpen && interval !== "total" ? await things.extent(pause) : null);
  const all = breakdown === null && things.isEmpty ? onlyGroup(keys, 0) : await runYielding(combinationsOf(things.keys, keys), pause);
  const places = given === null ? await greatest(all, things, breakdown?.limit ?? 1, pause) : await placesOf(given, all, pause);
  const shown = places.map((place, at) => ({ values: given?.[at] ?? all.valuesOf(place), keys: place < 0 ? NO_KEYS : all.keysOf(place) }));
  const rest = breakdown?.rest === true ? await runYielding(all.restOf(places.filter((place) => place >= 0)), pause) : null;
  refuseFigures(slots.length * (shown.length + (rest === null ? 0 : 1)));
  const units = slots.map(({ unitMs }) => unitMs);
  const figures: SeriesFigures[] = [];
  for (const { keys: own } of shown) figures.push(await things.figuresOf(own, units, cumulative, pause));
  const restFigures = rest === null ? null : await things.figuresOf(rest, units, cumulative, pause);
  const { buckets, seriesOf } = bucketsOf(plan, slots, restFigures === null ? figures : [...figures, restFigures]);
  return {
    buckets,
    series: figures.map((own, at) => seriesOf(shown[at]?.values ?? [], own)),
    rest: restFigures === null ? null : seriesOf([], restFigures),
    valueCount: breakdown === null ? 0 : all.count,
  };
}

/** @throws invalid_parameter (more figures than an answer may have) */
export function refuseFigures(figureCount: number): void {
  if (figureCount > LIMITS.figureCount) throw parameterError("invalid_parameter", "interval", `expected at most ${LIMITS.figureCount} figures, got ${figureCount}`);
}

/** The buckets of an answer, and its series in these: without `fill` those in which something counts in some series. */
export function bucketsOf({ fill }: TrendPlan, slots: readonly Slot[], all: readonly SeriesFigures[]) {
  const kept = [...slots.keys()].filter((at) => fill || all.some(({ countedByUnit }) => (countedByUnit[at] ?? 0) > 0));
  const seriesOf = (values: readonly string[], { counted, total, data }: SeriesFigures): TrendSeries =>
    ({ values, counted, total, data: kept.map((at) => data[at] ?? null) });
  return { buckets: kept.flatMap((at) => slots[at]?.bucket ?? []), seriesOf };
}

const NO_KEYS = new Float64Array(0);

const COMBINATIONS_PER_PAUSE = 64;

/** The indexes of the greatest totals: descending, null last, then by values. */
async function greatest(all: Combinations, things: Measured, limit: number, pause: () => Promise<void>): Promise<number[]> {
  if (all.count === 1) return [0];
  const totals = new Float64Array(all.count);
  for (let place = 0; place < all.count; place += 1) {
    totals[place] = (await things.totalOf(all.keysOf(place), pause)) ?? -Infinity;
    if (place % COMBINATIONS_PER_PAUSE === 0) await pause();
  }
  return await runYielding(all.greatest(totals, limit), pause);
}

/** The indexes of given values, in their order; -1 when they are missing. */
async function placesOf(given: readonly (readonly string[])[], all: Combinations, pause: () => Promise<void>): Promise<number[]> {
  const known = new Map<string, number>();
  const wanted = new Set(given.map((values) => JSON.stringify(values)));
  for (let place = 0; place < all.count; place += 1) {
    const name = JSON.stringify(all.valuesOf(place));
    if (wanted.has(name)) known.set(name, place);
    if (place % COMBINATIONS_PER_PAUSE === 0) await pause();
  }
  return given.map((values) => known.get(JSON.stringify(values)) ?? -1);
}
