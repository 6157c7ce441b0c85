/* eslint-disable @typescript-eslint/no-non-null-assertion -- rows and places are bounded by their lists */
import { trendFiguresOf } from "../../answer/insights/trend-answers.js";
import type { TrendAnswers, Trend } from "../../plan/insights/answers.js";
import type { Range, RevenueRule } from "../../plan/plan.js";
import { cutOf, tooManyBuckets, type Extent } from "../../answer/insights/buckets.js";
import type { Measured, SeriesFigures } from "../../answer/insights/funnel-answer.js";
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
import { asOfAnswer, type AnyPass, type MultiPass, type RowContext } from "../form/report.js";
import { countedEntitiesOf, entitiesByUnit, type CountedEntities, type EntitiesByUnit } from "../insights/counted-entities.js";
import { fieldKeys, rowKeysOf, type RowKeys } from "../insights/row-keys.js";
import type { RowCut } from "../insights/row-units.js";
import { isFiltered, marksOf, visitsOf, keysOfVisits, type SessionMarks } from "../visits/visits.js";
import { cellsByUnit, NO_ITEMS, cellsOf, type CellsByUnit, type RowItems } from "../insights/cells.js";
import { actorsOfRows, countIdentities } from "../events/distinct-actors.js";
import { popcount } from "../../../storage/column/bitmap.js";
import { BitsOfUnits } from "../returns/entities-of-units.js";
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
    readonly subjects: CountedEntities,
    readonly identities: IdentityView,
  ) {
    this.#counts = new Map([...events].map(([unitMs, lists]) => [unitMs, lists.reduce((sum, { pairs, counts }) => sum + (pairs.at(-1) === 1 ? counts.at(-1)! : 0), 0)]));
  }

  extent(): Promise<Extent | null> {
    let [firstMs, lastMs] = [Infinity, -Infinity];
    for (const [unitMs, count] of this.#counts) {
      if (count === 0) continue;
      firstMs = Math.min(firstMs, unitMs);
      lastMs = Math.max(lastMs, unitMs);
    }
    return Promise.resolve(firstMs > lastMs ? null : { firstMs, lastMs });
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
    const entities = new BitsOfUnits(this.subjects);
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
  /** Sums of counted payments without a rate. */
  unconvertedOf(items: Uint32Array): UnconvertedItem[];
}

/** Null if something is missing. Must run synchronously with the snapshot. @throws invalid_parameter (a bad rate) */
function paymentsOfMoment(rule: RevenueRule, moment: TableSnapshot, missing: PendingLoads): PaymentsOfMoment | null {
  const table = moment.tables.revenue(rule, moment, missing);
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
      return selected.map((row) => placeOf(sequences[row]!) + 1);
    } },
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

/** What is read from tables: payments or sessions. */
interface TrendRead {
  readonly payments: PaymentsOfMoment | null;
  readonly sessions: SessionView | null;
}

/** The states of a range's parts, by name. */
type TrendStates = Readonly<Record<string, unknown>>;

/** How one kind of measure is computed: the parts for a range, and the figures from their states. */
interface TrendKind {
  readonly keys: RowKeys;
  /** @param name prefix of the names of the parts */
  partsOf(range: Range, name: string): Readonly<Record<string, AnyPass>>;
  measuredOf(range: Range, name: string, states: TrendStates, pause: () => Promise<void>): Promise<Measured>;
  /** Sums without a rate. */
  unconvertedOf(measured: Measured): UnconvertedItem[];
}

const kinds = new WeakMap<RowContext, TrendKind>();

/** The kind of a query: the same for all its parts, even if values arrive meanwhile. */
function trendKindOf(plan: TrendPlan, context: RowContext, { payments, sessions }: TrendRead): TrendKind {
  let kind = kinds.get(context);
  if (kind === undefined) {
    const cut = plan.interval === "total" ? null : cutOf(plan.calendar, plan.interval);
    const keys = rowKeysOf(plan.breakdown?.fields ?? [], context);
    if (sessions !== null) kind = sessionKind(plan, cut, keys, sessions, context);
    else if (plan.measure.type === "unique_users" && plan.breakdown === null) kind = userKind(plan, cut, keys, context);
    else kind = cellKind(plan, cut, keys, payments, context);
    kinds.set(context, kind);
  }
  return kind;
}

const NONE_UNCONVERTED = () => [];

/** Counts events by breakdown values and items. */
function cellKind(plan: TrendPlan, cut: RowCut, keys: RowKeys, payments: PaymentsOfMoment | null, context: RowContext): TrendKind {
  const { items, tallies } = itemsOf(plan, context, payments);
  return {
    keys,
    partsOf: (range, name) => ({ [name]: cellsByUnit({ ...plan, range }, cut, keys, items) }),
    // The state of the part with this name.
    measuredOf: (_range, name, states, pause) => CellsOverTime.of(states[name] as CellsByUnit, tallies, pause),
    unconvertedOf: (measured) => (payments === null || !(measured instanceof CellsOverTime) ? [] : payments.unconvertedOf(measured.items)),
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

/** People without a breakdown: the actors of each unit, and the number of their events. */
function userKind(plan: TrendPlan, cut: RowCut, keys: RowKeys, context: RowContext): TrendKind {
  const subjects = countedEntitiesOf("identity", context);
  return {
    keys,
    partsOf: (range, name) => {
      const scope = { ...plan, range };
      return { [`${name} actors`]: entitiesByUnit(scope, [cut], subjects), [`${name} events`]: cellsByUnit(scope, cut, keys, SOMEBODY) };
    },
    // The states of the parts with these names.
    measuredOf: (_range, name, states) =>
      Promise.resolve(new UsersOverTime(states[`${name} actors`] as EntitiesByUnit, states[`${name} events`] as CellsByUnit, subjects, context.identities)),
    unconvertedOf: NONE_UNCONVERTED,
  };
}

/** Counts sessions by the values of their first events. */
function sessionKind(plan: TrendPlan, cut: RowCut, keys: RowKeys, sessions: SessionView, context: RowContext): TrendKind {
  return {
    keys,
    partsOf: (range, name) => (isFiltered(plan) ? { [name]: marksOf(plan, range, sessions) } : {}),
    measuredOf: async (range, name, states, pause) => {
      // The state of the part with this name; missing if all sessions count.
      const marks = (states[name] ?? null) as SessionMarks | null;
      return await CellsOverTime.of(await visitCells(plan, range, marks, sessions, cut, keys, context, pause), eventTallies, pause);
    },
    unconvertedOf: NONE_UNCONVERTED,
  };
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
  pause: () => Promise<void>,
): Promise<CellsByUnit> {
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
export const trend: MultiPass<TrendPlan, Trend, Readonly<Record<string, AnyPass>>, TrendRead> = {
  kind: "multi_pass",
  read: (plan, moment, missing) => ({
    payments: plan.measure.type === "revenue" ? paymentsOfMoment(plan.revenue, moment, missing) : null,
    sessions: plan.measure.type === "sessions" ? moment.tables.sessions(plan, moment, missing) : null,
  }),
  parts: (plan, context, read) => {
    const kind = trendKindOf(plan, context, read);
    return { ...kind.partsOf(plan.range, "asked"), ...(plan.previous === null ? {} : kind.partsOf(plan.previous, "previous")) };
  },
  finish: async (states, plan, context, read, pause) => {
    const kind = trendKindOf(plan, context, read);
    const answersOf = async (range: Range, name: string, given: readonly (readonly string[])[] | null): Promise<TrendAnswers> => {
      const measured = await kind.measuredOf(range, name, states, pause);
      return { ...(await trendFiguresOf(plan, range, measured, kind.keys, given, pause)), unconverted: kind.unconvertedOf(measured) };
    };
    const answers = await answersOf(plan.range, "asked", null);
    const previous = plan.previous === null ? null : await answersOf(plan.previous, "previous", answers.series.map(({ values }) => values));
    return { definition: plan.definition, asOf: asOfAnswer(plan, context), ...answers, previous, currency: plan.measure.type === "revenue" ? plan.revenue.currency : null };
  },
};
