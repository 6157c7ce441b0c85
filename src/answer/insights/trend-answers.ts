import { parameterError } from "../../base/errors.js";
import { LIMITS } from "../../base/limits.js";
import { inTurns } from "../../base/steps.js";
import type { TrendAnswers, TrendSeries } from "../../plan/insights/answers.js";
import type { TrendPlan } from "../../plan/insights/plan.js";
import type { Range } from "../../plan/plan.js";
import { slotsOf } from "./buckets.js";
import { Combination, combinationsOf, greatestOf, restOf, type KeyGroups } from "./combinations.js";
import type { Measured, SeriesFigures } from "./measured.js";

/** The figures of a trend before sums of other currencies come to them. */
export type TrendFigures = Omit<TrendAnswers, "unconverted">;

/**
 * The answers for a range: of the combinations with the greatest totals, or of those that are given.
 * Cost: the cells of all combinations, and those that are shown once more. @throws invalid_parameter
 * @param given values that are shown whatever they come to, in this order; null: those with the greatest totals
 */
export async function trendFiguresOf(
  plan: TrendPlan,
  range: Range,
  things: Measured,
  keys: KeyGroups,
  given: readonly (readonly string[])[] | null,
  pause: () => Promise<void>,
): Promise<TrendFigures> {
  const { breakdown, interval, cumulative, fill } = plan;
  const isOpen = plan.isOpen.start || plan.isOpen.end;
  const slots = slotsOf({ ...plan, range }, interval, isOpen && interval !== "total" ? things.extent : null);
  const all = breakdown === null && things.isEmpty ? [new Combination(0, keys)] : await inTurns(combinationsOf(things.keys, keys), pause);
  const shown = given === null ? await greatest(all, things, breakdown?.limit ?? 1, pause) : await those(given, all, pause);
  const rest = breakdown?.rest === true ? restOf(all, new Set(shown)) : null;
  const figureCount = slots.length * (shown.length + (rest === null ? 0 : 1));
  if (figureCount > LIMITS.figureCount) throw parameterError("invalid_parameter", "interval", `expected at most ${LIMITS.figureCount} figures, got ${figureCount}`);

  const units = slots.map(({ unitMs }) => unitMs);
  const figures: SeriesFigures[] = [];
  for (const { keys: own } of shown) figures.push(await things.figuresOf(own, units, cumulative, pause));
  const restFigures = rest === null ? null : await things.figuresOf(rest, units, cumulative, pause);
  const visible = restFigures === null ? figures : [...figures, restFigures];
  const isKept = (at: number) => fill || visible.some(({ countedByUnit }) => (countedByUnit[at] ?? 0) > 0);
  const kept = [...slots.keys()].filter(isKept);
  const seriesOf = (values: readonly string[], { counted, total, data }: SeriesFigures): TrendSeries => ({ values, counted, total, data: kept.map((at) => data[at] ?? null) });
  return {
    buckets: kept.flatMap((at) => slots[at]?.bucket ?? []),
    series: figures.map((own, at) => seriesOf(shown[at]?.values ?? [], own)),
    rest: restFigures === null ? null : seriesOf([], restFigures),
    valueCount: breakdown === null ? 0 : all.length,
  };
}

/** What is shown: values, and the keys that stand under them. */
type Shown = Pick<Combination, "values" | "keys">;

/** Looks between two turns. */
const COMBINATIONS_PER_PAUSE = 64;

/** Those with the greatest totals: descending, null last, then by values. */
async function greatest(all: readonly Combination[], things: Measured, limit: number, pause: () => Promise<void>): Promise<Shown[]> {
  if (all.length === 1) return [...all];
  const totals = new Float64Array(all.length);
  for (const [at, { keys }] of all.entries()) {
    totals[at] = (await things.totalOf(keys, pause)) ?? -Infinity;
    if (at % COMBINATIONS_PER_PAUSE === 0) await pause();
  }
  return greatestOf(all, totals, limit);
}

/** Those of some values, in their order; of no keys where there are none. */
async function those(given: readonly (readonly string[])[], all: readonly Combination[], pause: () => Promise<void>): Promise<Shown[]> {
  const known = new Map<string, Combination>();
  const wanted = new Set(given.map((values) => JSON.stringify(values)));
  for (const [at, combination] of all.entries()) {
    const name = JSON.stringify(combination.values);
    if (wanted.has(name)) known.set(name, combination);
    if (at % COMBINATIONS_PER_PAUSE === 0) await pause();
  }
  return given.map((values) => known.get(JSON.stringify(values)) ?? { values, keys: [] });
}
