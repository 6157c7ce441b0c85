import { slotsOf, type Slot } from "../../answer/insights/buckets.js";
import { compareValues } from "../../answer/insights/combinations.js";
import { parameterError } from "../../base/errors.js";
import { LIMITS } from "../../base/limits.js";
import type { TrendAnswers, TrendSeries } from "../../plan/insights/answers.js";
import type { TrendPlan } from "../../plan/insights/plan.js";
import type { Range } from "../../plan/plan.js";
import { refuseAsOf, type Asking, type Report } from "./report.js";
import { TrendCells, type Cell, type Figures, type Total } from "./trend-cells.js";
import { measureOf, type Measure } from "./trend-measure.js";
import { revenueAnswersOf, sessionAnswersOf } from "./trend-of-things.js";

/** A measure over time, by the values of up to two fields. */
export const trend: Report<"trend"> = async (plan, asking) => {
  refuseAsOf(plan);
  const measure = measureOf(plan.measure);
  const isRevenue = plan.measure.type === "revenue";
  const ofThings = isRevenue ? revenueAnswersOf : sessionAnswersOf;
  const ofRange = (range: Range, given: readonly (readonly string[])[] | null) =>
    measure === null ? ofThings(plan, range, given, asking) : answersOf(plan, range, measure, given, asking);
  const answers = await ofRange(plan.range, null);
  const previous = plan.previous === null ? null : await ofRange(plan.previous, answers.series.map(({ values }) => values));
  return { definition: plan.definition, asOf: null, ...answers, previous, currency: isRevenue ? plan.revenue.currency : null };
};

/** @param given values that are shown whatever they come to, in this order; null: those with the greatest totals */
async function answersOf(
  plan: TrendPlan,
  range: Range,
  measure: Measure,
  given: readonly (readonly string[])[] | null,
  asking: Asking,
): Promise<TrendAnswers> {
  const { breakdown, interval, fill } = plan;
  const cells = new TrendCells(plan, range, measure, asking);
  const isOpen = plan.isOpen.start || plan.isOpen.end;
  const slots = slotsOf({ ...plan, range }, interval, isOpen && interval !== "total" ? await cells.extent() : null);
  const units = slots.map(({ unitMs }) => unitMs);
  // What is running is asked for by itself.
  const all = breakdown === null && given === null && !plan.cumulative && units.length > 0 ? await cells.ofAll(units) : null;
  const { totals, valueCount } = all === null ? await cells.totals(breakdown?.limit ?? 1) : { totals: all.totals, valueCount: 0 };
  const shown = given ?? (breakdown === null ? [[]] : greatest(totals, measure, breakdown.limit));
  const hasRest = breakdown?.rest === true;
  const figureCount = slots.length * (shown.length + (hasRest ? 1 : 0));
  if (figureCount > LIMITS.figureCount)
    throw parameterError("invalid_parameter", "interval", `expected at most ${LIMITS.figureCount} figures, got ${figureCount}`);

  const own = byCombination(all ?? (await cells.ofCombinations(shown, units, given === null ? totals : null)), shown);
  const series = shown.map((values) => seriesOf(values, own, slots, plan, measure));
  const rest = hasRest ? seriesOf([], byCombination(await cells.ofRest(shown, units), [[]]), slots, plan, measure) : null;
  const visible = rest === null ? series : [...series, rest];
  const kept = [...slots.keys()].filter((at) => fill || visible.some(({ countedByUnit }) => (countedByUnit[at] ?? 0) > 0));
  const only = ({ series: { data, ...figures } }: Series): TrendSeries => ({ ...figures, data: kept.map((at) => data[at] ?? null) });
  return {
    buckets: kept.flatMap((at) => slots[at]?.bucket ?? []),
    series: series.map(only),
    rest: rest === null ? null : only(rest),
    valueCount: breakdown === null ? 0 : valueCount,
    unconverted: [],
  };
}

/** Those with the greatest totals: descending, null last, then by values. */
function greatest(totals: readonly Total[], measure: Measure, limit: number): (readonly string[])[] {
  const sized = totals.map(({ values, given }) => ({ values, size: measure.shown(given) ?? -Infinity }));
  sized.sort((a, b) => (a.size === b.size ? compareValues(a.values, b.values) : b.size - a.size));
  return sized.slice(0, limit).map(({ values }) => values);
}

/** The figures of one combination. */
interface OfOne {
  total: Total | null;
  readonly cells: Cell[];
}

/** Those of some combinations, by their JSON. */
function byCombination({ totals, cells }: Figures, wanted: readonly (readonly string[])[]): ReadonlyMap<string, OfOne> {
  const found = new Map(wanted.map((values): [string, OfOne] => [JSON.stringify(values), { total: null, cells: [] }]));
  for (const total of totals) {
    const own = found.get(JSON.stringify(total.values));
    if (own !== undefined) own.total = total;
  }
  for (const cell of cells) found.get(JSON.stringify(cell.values))?.cells.push(cell);
  return found;
}

interface Series {
  readonly series: TrendSeries;
  readonly countedByUnit: readonly number[];
}

function seriesOf(values: readonly string[], figuresOf: ReadonlyMap<string, OfOne>, slots: readonly Slot[], plan: TrendPlan, measure: Measure): Series {
  const { total, cells } = figuresOf.get(JSON.stringify(values)) ?? { total: null, cells: [] };
  const byUnit = new Map(cells.map((cell) => [cell.unitMs, cell]));
  const isAdded = plan.cumulative && measure.running === null;
  let last = measure.nothing;
  const data = slots.map(({ unitMs }) => {
    const given = byUnit.get(unitMs)?.given;
    if (!plan.cumulative) last = given ?? measure.nothing;
    else if (given !== undefined) last = isAdded ? measure.add(last, given) : given;
    return measure.shown(last);
  });
  const figures = { values, counted: total?.counted ?? 0, total: measure.shown(total?.given ?? measure.nothing), data };
  return { series: figures, countedByUnit: slots.map(({ unitMs }) => byUnit.get(unitMs)?.counted ?? 0) };
}
