/* eslint-disable @typescript-eslint/no-non-null-assertion -- rows and places are bounded by their lists */
import { trendFiguresOf, type Measured, type SeriesFigures } from "../../answer/insights/trend-answers.js";
import type { TrendAnswers, Trend } from "../../plan/insights/answers.js";
import type { QueryScope, Range, RevenueRule } from "../../plan/plan.js";
import { cutOf, extentOfUnits, tooManyBuckets, type Extent } from "../../answer/insights/buckets.js";
import { labelOf } from "../../filter/value-test.js";
import type { UnconvertedItem } from "../../plan/answers.js";
import type { TrendPlan } from "../../plan/insights/plan.js";
import { ACTOR_COLUMNS } from "../../../storage/segment/summaries.js";
import type { SessionView } from "../../tables/sessions/session-view.js";
import { LIMITS } from "../../../core/base/limits.js";
import { Scratch } from "../../../core/base/scratch.js";
import { axisOf } from "../../../core/calendar/axis.js";
import type { Visits } from "../../answer/visits/visits.js";
import type { Money } from "../../answer/money.js";
import { Unconverted } from "../../answer/revenue-answers.js";
import type { PendingLoads } from "../../../storage/derived/pending-loads.js";
import { SEQUENCE_COLUMN } from "../../../core/schema/fields.js";
import type { Payments } from "../../tables/money/payments.js";
import type { TableSnapshot } from "../../tables/tables.js";
import type { IdentityView } from "../../../identity/identity-view.js";
import { asOfAnswer, type AnyPass, type Report, type RowContext, type StateOf } from "../form/report.js";
import { countedEntitiesOf, entitiesByUnit, type CountedEntities, type EntitiesByUnit } from "../insights/counted-entities.js";
import { fieldKeys, rowKeysOf, type RowKeys } from "../insights/row-keys.js";
import type { RowCut } from "../insights/row-units.js";
import { isFiltered, marksOf, visitsOf, keysOfVisits, projectCodeOf, type SessionMarks } from "../visits/visits.js";
import { cellsByUnit, NO_ITEMS, cellsOf, type CellsByUnit, type RowItems } from "../insights/cells.js";
import { actorsOfRows, countIdentities } from "../events/distinct-actors.js";
import { popcount } from "../../../storage/column/bitmap.js";
import { BitsOfUnits } from "../returns/entities-of-units.js";
import { PaymentsOverTime } from "./payments-over-time.js";
import { CellsOverTime, eventTallies, numberTallies, revenueTallies, userTallies, valueTallies, type Tallies } from "./trend-figures.js";

/** Distinct identities without a breakdown: bits of actors by unit, instead of a cell per actor. */
export class UsersOverTime implements Measured {
  readonly keys = [0];
  readonly isEmpty = false;
  /** By unit: number of events with an actor. */
  readonly #counts: ReadonlyMap<number, number>;

  /** @param events by unit: item 1 for events with an actor, 0 for others */
  constructor(
    readonly actors: EntitiesByUnit,
    events: CellsByUnit,
    readonly counted: CountedEntities,
    readonly identities: IdentityView,
  ) {
    this.#counts = new Map([...events].map(([unitMs, lists]) => [unitMs, lists.reduce((sum, { pairs, counts }) => sum + (pairs.at(-1) === 1 ? counts.at(-1)! : 0), 0)]));
  }

  extent(): Promise<Extent | null> {
    return Promise.resolve(extentOfUnits([...this.#counts].flatMap(([unitMs, count]) => (count === 0 ? [] : [unitMs]))));
  }

  totalOf(): Promise<number> {
    return Promise.resolve(this.#total());
  }

  async figuresOf(_keys: Float64Array, units: readonly number[], isCumulative: boolean, pause: () => Promise<void>): Promise<SeriesFigures> {
    const countedByUnit = units.map((unitMs) => this.#counts.get(unitMs) ?? 0);
    const data = isCumulative ? await this.#runningTotals(units, pause) : await this.#totals(units, pause);
    return { counted: countedByUnit.reduce((sum, count) => sum + count, 0), total: this.#total(), data, countedByUnit };
  }

  #total(): number {
    return countIdentities([...this.actors.values()].flat(), this.identities);
  }

  async #totals(units: readonly number[], pause: () => Promise<void>): Promise<number[]> {
    const data: number[] = [];
    for (const unitMs of units) {
      data.push(countIdentities(this.actors.get(unitMs) ?? [], this.identities));
      await pause();
    }
    return data;
  }

  async #runningTotals(units: readonly number[], pause: () => Promise<void>): Promise<number[]> {
    const entities = new BitsOfUnits(this.counted);
    const seen = new Uint32Array(entities.wordCount);
    const data: number[] = [];
    let count = 0;
    for (const unitMs of units) {
      const { places, words } = entities.of(this.actors.get(unitMs) ?? []);
      for (let at = 0; at < places.length; at += 1) {
        const added = words[at]! & ~seen[places[at]!]!;
        seen[places[at]!]! |= added;
        count += popcount(added);
      }
      data.push(count);
      await pause();
    }
    return data;
  }
}

/** The revenue events of a snapshot: the payment of each row, and its amount. */
interface PaymentsOfMoment {
  /** An item is the index of a payment in the table + 1; 0 for an event that is not a payment. */
  readonly items: RowItems;
  /** Null for duplicates, payments without a rate, and events that are not payments. */
  amountOf(item: number): Money | null;
  /** Those of a scope without filters. Must run synchronously with the snapshot. */
  overTime(scope: QueryScope, cut: RowCut): PaymentsOverTime;
  unconvertedOf(items: Uint32Array): UnconvertedItem[];
}

/** Null if something is missing. Must run synchronously with the snapshot. @throws invalid_parameter (a bad rate) */
function paymentsOfMoment(rule: RevenueRule, moment: TableSnapshot, pending: PendingLoads): PaymentsOfMoment | null {
  const table = moment.tables.revenue(rule, moment, pending);
  if (table === null) return null;
  const { payments } = table;
  const converted = table.converted(moment.rates);
  // Later events may turn a payment into a duplicate before this query finishes.
  const counted = payments.counted.slice(0, payments.count);
  const { amounts, currencies } = payments;
  const placeOf = payments.placesBySequence();
  const isCounted = (item: number) => item > 0 && counted[item - 1] === 1;
  return {
    items: { columns: [SEQUENCE_COLUMN], name: `payments ${nameOf(payments)}`, itemsOf: (rows, selected) => {
      const sequences = rows.sequences();
      const found = new Uint32Array(selected.length);
      for (let at = 0; at < found.length; at += 1) found[at] = placeOf(sequences[selected[at]!]!) + 1;
      return found;
    } },
    overTime: (scope, cut) => new PaymentsOverTime(payments, converted, rule.currency, projectCodeOf(scope, moment), scope.range, cut),
    amountOf: (item) => (isCounted(item) ? converted[item - 1]! : null),
    unconvertedOf: (items) => {
      const unconverted = new Unconverted();
      for (const item of items) if (isCounted(item) && converted[item - 1] === null) unconverted.add(currencies[item - 1]!, amounts[item - 1]!);
      return unconverted.items();
    },
  };
}

const names = new WeakMap<Payments, number>();
let nameCount = 0;

/** Identifies the indexes of one table, which hold until it is rebuilt. */
function nameOf(payments: Payments): string {
  let name = names.get(payments);
  if (name === undefined) names.set(payments, (name = nameCount += 1));
  return `${name}.${payments.generation}`;
}

/** The passes of a measure in one range, and what their states measure. */
interface RangeMeasure {
  readonly passes: readonly AnyPass[];
  measured(stateOf: StateOf): Promise<Measured>;
}

type MeasureOfRange = (range: Range) => RangeMeasure;

function cellMeasures(plan: TrendPlan, cut: RowCut, keys: RowKeys, payments: PaymentsOfMoment | null, context: RowContext): MeasureOfRange {
  const { items, tallies } = itemsOf(plan, context, payments);
  return (range) => {
    const cells = cellsByUnit({ ...plan, range }, cut, keys, items);
    return { passes: [cells], measured: (stateOf) => CellsOverTime.of(stateOf(cells), tallies, context.pause) };
  };
}

/** Revenue without filters and without a breakdown. */
function paymentMeasures(plan: TrendPlan, cut: RowCut, payments: PaymentsOfMoment): MeasureOfRange {
  return (range) => {
    const overTime = payments.overTime({ ...plan, range }, cut);
    return { passes: [], measured: () => Promise.resolve(overTime) };
  };
}

/** People without a breakdown: the actors of each unit, and the number of their events. */
function userMeasures(plan: TrendPlan, cut: RowCut, keys: RowKeys, context: RowContext): MeasureOfRange {
  const people = countedEntitiesOf("identity", context);
  return (range) => {
    const actors = entitiesByUnit({ ...plan, range }, [cut], people);
    const events = cellsByUnit({ ...plan, range }, cut, keys, SOMEBODY);
    const measured = (stateOf: StateOf) => Promise.resolve(new UsersOverTime(stateOf(actors), stateOf(events), people, context.identities));
    return { passes: [actors, events], measured };
  };
}

/** Counts sessions by the values of their first events. */
function sessionMeasures(plan: TrendPlan, cut: RowCut, keys: RowKeys, view: SessionView, context: RowContext): MeasureOfRange {
  return (range) => {
    const marks = isFiltered(plan) ? marksOf(plan, range, view) : null;
    const measured = async (stateOf: StateOf) => {
      const cells = await visitCells(plan, range, marks === null ? null : stateOf(marks), view, cut, keys, context);
      return await CellsOverTime.of(cells, eventTallies, context.pause);
    };
    return { passes: marks === null ? [] : [marks], measured };
  };
}

const ACTORS: RowItems = { columns: ACTOR_COLUMNS, name: "actors", itemsOf: actorsOfRows };
/** 1 for events with an actor. */
const SOMEBODY: RowItems = { columns: ACTOR_COLUMNS, name: "somebody", areFew: true, itemsOf: (rows, selected) => actorsOfRows(rows, selected).map((actor) => (actor === 0 ? 0 : 1)) };

function itemsOf({ measure, revenue }: TrendPlan, context: RowContext, payments: PaymentsOfMoment | null): { items: RowItems; tallies: Tallies } {
  if (payments !== null) return { items: payments.items, tallies: revenueTallies((item) => payments.amountOf(item), revenue.currency) };
  if (measure.type === "unique_users") return { items: ACTORS, tallies: userTallies(context.identities) };
  if (measure.field === null) return { items: NO_ITEMS, tallies: eventTallies };
  const { type } = measure;
  // An array is represented by its JSON text, which is not a number, so that it does not count.
  const field = type === "unique_values" ? fieldKeys(measure.field, context) : fieldKeys(measure.field, context, (value) => [labelOf(value)]);
  const items = { columns: field.columns, name: field.name, itemsOf: field.keysOf };
  return { items, tallies: type === "unique_values" ? valueTallies(field) : numberTallies(field, type) };
}

/** Counts sessions by the unit of their start and the values of their first events. @param marks null: all of the range */
async function visitCells(
  plan: TrendPlan,
  range: Range,
  marks: SessionMarks | null,
  view: SessionView,
  cut: RowCut,
  keys: RowKeys,
  context: RowContext,
): Promise<CellsByUnit> {
  const { pause } = context;
  return await Scratch.of(async (scratch) => {
    const visits = await visitsOf(plan, range, marks, view, context, scratch, pause);
    const [keyOfVisit] = plan.breakdown === null ? [] : await keysOfVisits(visits, [keys], scratch, pause);
    const cells: CellsByUnit = new Map();
    let from = 0;
    for (const [unitMs, count] of countsByUnit(visits, cut)) {
      const own = keyOfVisit?.subarray(from, from + count);
      cells.set(unitMs, [own === undefined ? { pairs: new Float64Array(1), counts: Uint32Array.of(count) } : cellsOf(own, new Uint32Array(count))]);
      from += count;
    }
    return cells;
  });
}

/** Number of visits that start in each unit that has any; visits are in order. @throws invalid_parameter (too many units from first to last) */
function countsByUnit(visits: Visits, cut: RowCut): [unitMs: number, count: number][] {
  const { extent } = visits;
  if (extent === null) return [];
  if (cut === null) return [[0, visits.count]];
  const axis = axisOf(cut, extent.firstMs, extent.lastMs + 1, LIMITS.bucketCount);
  // The axis of the result contains all these units, so it would be too long as well.
  if (axis === null) throw tooManyBuckets(cut.unit);
  const { bounds } = axis;
  const counts = [...bounds].slice(0, -1).map((unitMs, at): [number, number] => [unitMs, visits.within({ fromMs: unitMs, toMs: bounds[at + 1] ?? unitMs }).count]);
  return counts.filter(([, count]) => count > 0);
}

/**
 * A measure over time. Cost: cached spans of days, with 12 bytes and one read per unit, value and item that occurs;
 * bits of actors for people without a breakdown; one read per session for sessions.
 */
export const trend: Report<TrendPlan, Trend> = {
  readsTables: true,
  prepare: (plan, context, pending) => {
    const { measure, breakdown, interval } = plan;
    const payments = measure.type === "revenue" ? paymentsOfMoment(plan.revenue, context, pending) : null;
    const sessions = measure.type === "sessions" ? context.tables.sessions(plan, context, pending) : null;
    if (!pending.isEmpty) return null;
    const cut = interval === "total" ? null : cutOf(plan.calendar, interval);
    const keys = rowKeysOf(breakdown?.fields ?? [], context);
    const isOfUsers = measure.type === "unique_users" && breakdown === null;
    const measureOf =
      sessions !== null ? sessionMeasures(plan, cut, keys, sessions, context)
      : payments !== null && breakdown === null && !isFiltered(plan) ? paymentMeasures(plan, cut, payments)
      : isOfUsers ? userMeasures(plan, cut, keys, context)
      : cellMeasures(plan, cut, keys, payments, context);
    const own = measureOf(plan.range);
    const previous = plan.previous === null ? null : { range: plan.previous, ...measureOf(plan.previous) };
    const finish = async (stateOf: StateOf) => {
      const answersOf = async (range: Range, { measured }: RangeMeasure, given: readonly (readonly string[])[] | null): Promise<TrendAnswers> => {
        const figures = await measured(stateOf);
        const unconverted =
          figures instanceof PaymentsOverTime ? figures.unconverted.items()
          : payments !== null && figures instanceof CellsOverTime ? payments.unconvertedOf(figures.items)
          : [];
        return { ...(await trendFiguresOf(plan, range, figures, keys, given, context.pause)), unconverted };
      };
      const answers = await answersOf(plan.range, own, null);
      const former = previous === null ? null : await answersOf(previous.range, previous, answers.series.map(({ values }) => values));
      return { definition: plan.definition, asOf: asOfAnswer(plan, context), ...answers, previous: former, currency: payments === null ? null : plan.revenue.currency };
    };
    return { passes: [...own.passes, ...(previous?.passes ?? [])], finish };
  },
};
