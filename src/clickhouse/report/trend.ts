import { slotsOf, type Slot, type Extent } from "../../query/answer/insights/buckets.js";
import { compareValues } from "../../query/answer/insights/combinations.js";
import type { TrendAnswers } from "../../query/plan/insights/answers.js";
import type { TrendPlan } from "../../query/plan/insights/plan.js";
import type { Range } from "../../query/plan/plan.js";
import { majorUnits, type Money, addMoney, ZERO } from "../../query/answer/money.js";
import { bucketsOf, refuseFigures, trendFiguresOf, type Measured, type SeriesFigures } from "../../query/answer/insights/trend-answers.js";
import { Unconverted } from "../../query/answer/revenue-answers.js";
import { grouped } from "../../core/base/arrays.js";
import { countBefore } from "../../core/base/search.js";
import { RequiredJoins } from "../query/required-joins.js";
import { moneyRows, paymentsOf } from "../query/payments.js";
import { ALL_TIME, inRange, whereOf } from "../query/where.js";
import { allOf, EMPTY, sql, type Sql } from "../sql/sql.js";
import { fromSessions, type SessionShape } from "./session-rows.js";
import { insight, pauseOf, propertiesColumn, PropertyKeys, selectRows, unitOf, type Properties, type ReportContext } from "./report.js";
import { EventTrend, SessionTrend } from "./trend-rows.js";
import { TrendCells, measureOf, type TrendSource, type Cell, type CellFigures, type Total, type MeasureSql } from "./trend-cells.js";
import { paidGroups } from "./revenue.js";

/** Amounts that count, each under one key: arrays of equal length. */
interface KeyedAmounts {
  readonly keys: ArrayLike<number>;
  /** Epoch ms. */
  readonly ms: ArrayLike<number>;
  readonly amounts: ArrayLike<Money>;
  /** The number of things that each sums. */
  readonly counts: ArrayLike<number>;
}

/** Sums single things, or sums of several things of one unit. */
class ThingsOverTime implements Measured {
  readonly #placesOfKey = new Map<number, number[]>();

  /** @param keys all keys with a row, whether or not it counts @param shown converts a sum for the answer */
  constructor(
    readonly keyed: KeyedAmounts,
    keys: Iterable<number>,
    readonly shown: (sum: Money) => number,
  ) {
    for (const key of keys) this.#placesOfKey.set(key, []);
    for (let at = 0; at < keyed.keys.length; at += 1) this.#placesOfKey.get(keyed.keys[at] ?? 0)?.push(at);
  }

  get keys(): Iterable<number> {
    return this.#placesOfKey.keys();
  }

  get isEmpty(): boolean {
    return this.#placesOfKey.size === 0;
  }

  extent(): Promise<Extent | null> {
    const { ms } = this.keyed;
    let [firstMs, lastMs] = [Infinity, -Infinity];
    for (let at = 0; at < ms.length; at += 1) [firstMs, lastMs] = [Math.min(firstMs, ms[at] ?? firstMs), Math.max(lastMs, ms[at] ?? lastMs)];
    return Promise.resolve(firstMs === Infinity ? null : { firstMs, lastMs });
  }

  totalOf(keys: Float64Array): Promise<number> {
    return Promise.resolve(this.shown(this.#sumOf(this.#placesOf(keys))));
  }

  figuresOf(keys: Float64Array, units: readonly number[], isCumulative: boolean): Promise<SeriesFigures> {
    const places = this.#placesOf(keys);
    const byUnit = units.map((): number[] => []);
    for (const at of places) {
      const ms = this.keyed.ms[at] ?? 0;
      byUnit[countBefore(units.length, (unit) => (units[unit] ?? Infinity) <= ms) - 1]?.push(at);
    }
    let sum: Money = ZERO;
    const data = byUnit.map((own) => {
      sum = isCumulative ? addMoney(sum, this.#sumOf(own)) : this.#sumOf(own);
      return this.shown(sum);
    });
    const countedByUnit = byUnit.map((own) => this.#countOf(own));
    return Promise.resolve({ counted: this.#countOf(places), total: this.shown(this.#sumOf(places)), data, countedByUnit });
  }

  #placesOf(keys: Float64Array): number[] {
    return [...keys].flatMap((key) => this.#placesOfKey.get(key) ?? []);
  }

  #countOf(places: readonly number[]): number {
    return places.reduce((count, at) => count + (this.keyed.counts[at] ?? 0), 0);
  }

  #sumOf(places: readonly number[]): Money {
    return places.reduce<Money>((sum, at) => addMoney(sum, this.keyed.amounts[at] ?? ZERO), ZERO);
  }
}

export const trend = insight<"trend">(async (plan, context) => {
  const measure = measureOf(plan.measure);
  const ofRange = (range: Range, given: SplitValues) => {
    if (measure === null) return revenueAnswersOf(plan, range, given, context);
    if (plan.measure.type !== "sessions") return answersOf(plan, range, measure, new EventTrend(plan, range, measure, context), given, context);
    return fromSessions(plan, range, context, (rowsOf) => answersOf(plan, range, measure, new SessionTrend(plan, rowsOf(sessionShape(plan))), given, context));
  };
  const answers = await ofRange(plan.range, null);
  const previous = plan.previous === null ? null : await ofRange(plan.previous, answers.series.map(({ values }) => values));
  return { ...answers, previous, currency: measure === null ? plan.revenue.currency : null };
});

/** @param given values to show in this order, whatever their totals; null: those with the greatest totals */
async function answersOf(
  plan: TrendPlan,
  range: Range,
  measure: MeasureSql,
  source: TrendSource,
  given: SplitValues,
  context: ReportContext,
): Promise<TrendAnswers> {
  const { breakdown, interval } = plan;
  const cells = new TrendCells(plan, source, measure, context);
  const isOpen = plan.isOpen.start || plan.isOpen.end;
  const slots = slotsOf({ ...plan, range }, interval, isOpen && interval !== "total" ? await cells.extent() : null);
  const units = slots.map(({ unitMs }) => unitMs);
  // Cumulative figures need a query of their own.
  const all = breakdown === null && given === null && !plan.cumulative && units.length > 0 ? await cells.ofAll(units) : null;
  const { totals, valueCount } = all === null ? await cells.totals(breakdown?.limit ?? 1) : { totals: all.totals, valueCount: 0 };
  const shown = given ?? (breakdown === null ? [[]] : greatest(totals, measure, breakdown.limit));
  const hasRest = breakdown?.rest === true;
  refuseFigures(slots.length * (shown.length + (hasRest ? 1 : 0)));

  const own = byCombination(all ?? (await cells.ofCombinations(shown, units, given === null ? totals : null)));
  const series = shown.map((values) => figuresOf(values, own, slots, plan, measure));
  const rest = hasRest ? figuresOf([], byCombination(await cells.ofRest(shown, units)), slots, plan, measure) : null;
  const { buckets, seriesOf } = bucketsOf(plan, slots, rest === null ? series : [...series, rest]);
  return {
    buckets,
    series: series.map((figures, at) => seriesOf(shown[at] ?? [], figures)),
    rest: rest === null ? null : seriesOf([], rest),
    valueCount: breakdown === null ? 0 : valueCount,
    unconverted: [],
  };
}

/** The combinations with the greatest totals: descending, null last, then by values. */
function greatest(totals: readonly Total[], measure: MeasureSql, limit: number): (readonly string[])[] {
  const sized = totals.map(({ values, given }) => ({ values, size: measure.shown(given) ?? -Infinity }));
  sized.sort((a, b) => (a.size === b.size ? compareValues(a.values, b.values) : b.size - a.size));
  return sized.slice(0, limit).map(({ values }) => values);
}

type FiguresOfValues = (values: readonly string[]) => { readonly total: Total | undefined; readonly cells: readonly Cell[] };

function byCombination({ totals, cells }: CellFigures): FiguresOfValues {
  const nameOf = ({ values }: Total) => JSON.stringify(values);
  const [totalOf, cellsOf] = [new Map(totals.map((total) => [nameOf(total), total])), grouped(cells, nameOf)];
  return (values) => ({ total: totalOf.get(JSON.stringify(values)), cells: cellsOf.get(JSON.stringify(values)) ?? [] });
}

function figuresOf(values: readonly string[], found: FiguresOfValues, slots: readonly Slot[], plan: TrendPlan, measure: MeasureSql): SeriesFigures {
  const { total, cells } = found(values);
  const byUnit = new Map(cells.map((cell) => [cell.unitMs, cell]));
  const isAdded = plan.cumulative && measure.running === null;
  let last = measure.nothing;
  const data = slots.map(({ unitMs }) => {
    const given = byUnit.get(unitMs)?.given;
    if (!plan.cumulative) last = given ?? measure.nothing;
    else if (given !== undefined) last = isAdded ? measure.add(last, given) : given;
    return measure.shown(last);
  });
  const countedByUnit = slots.map(({ unitMs }) => byUnit.get(unitMs)?.counted ?? 0);
  return { counted: total?.counted ?? 0, total: measure.shown(total?.given ?? measure.nothing), data, countedByUnit };
}

type SplitValues = readonly (readonly string[])[] | null;

/** Nothing but starts, and with a breakdown the properties of first events. */
function sessionShape(plan: TrendPlan): SessionShape {
  if (plan.breakdown === null) return { event: () => EMPTY, piece: EMPTY, session: EMPTY };
  return {
    event: (needs) => sql`, ${propertiesColumn(plan, needs)}`,
    piece: sql`, (events[1].1, events[1].2, events[1].4)`,
    session: sql`, arraySort(first -> (first.1, first.2), pieces.4)[1].3 AS told`,
  };
}

/** All matching events determine which values exist, also those without a payment. */
async function revenueAnswersOf(plan: TrendPlan, range: Range, given: SplitValues, context: ReportContext): Promise<TrendAnswers> {
  const { currency } = plan.revenue;
  const groups = new PropertyKeys();
  const unconverted = new Unconverted();
  const [keys, ms, amounts, counts]: [number[], number[], Money[], number[]] = [[], [], [], []];
  const paid = paidGroups<[atMs: number, properties: Properties]>(["at", "properties"], paymentsIn(plan, range, context), plan.revenue, context, unconverted);
  for await (const { keys: [atMs, properties], money, count } of paid) {
    keys.push(groups.numberOf(properties));
    ms.push(atMs);
    amounts.push(money);
    counts.push(count);
  }
  const each = plan.breakdown === null ? sql`LIMIT 1` : sql`GROUP BY properties`;
  const all = selectRows({ ...plan, range }, context, (needs) => sql`${propertiesColumn(plan, needs)} AS properties`, each);
  for (const [properties] of await context.connection.rows<[Properties]>(all)) groups.numberOf(properties);
  const keyed = new ThingsOverTime({ keys, ms, amounts, counts }, groups.keys, (sum) => majorUnits(sum, currency));
  return { ...(await trendFiguresOf(plan, range, keyed, groups, given, pauseOf(context))), unconverted: unconverted.items() };
}

/** The payments that count and match, those of one unit together: which payment of an order counts is decided among all. */
function paymentsIn(plan: TrendPlan, range: Range, context: ReportContext): Sql {
  // Only then do the columns suffice that the servers keep of payments.
  const isPlain = plan.where.length === 0 && plan.eventName === null && plan.breakdown === null;
  const needs = isPlain ? new RequiredJoins(context, moneyRows(plan.revenue, context.tables)) : new RequiredJoins(context);
  const matches = whereOf({ ...plan, range: ALL_TIME }, null, needs);
  const payments = paymentsOf(plan.revenue, needs, sql`, (${matches}) AS matches, ${propertiesColumn(plan, needs)} AS properties`);
  // An open side of the axis begins with the first payment that counts, so each instant is a unit until that is known.
  const isOpen = plan.interval !== "total" && (plan.isOpen.start || plan.isOpen.end);
  const unit = isOpen ? sql`ms` : unitOf(slotsOf({ ...plan, range }, plan.interval, null).map(({ unitMs }) => unitMs));
  return sql`SELECT ${unit} AS at, properties, amount, isRefund, currencies, day FROM (${payments})
    WHERE ${allOf([sql`matches`, ...inRange(range)])}`;
}
