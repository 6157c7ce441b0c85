import { cutOf } from "../../answer/insights/buckets.js";
import type { Measured } from "../../answer/insights/measured.js";
import { labelOf } from "../../filter/operand-value.js";
import type { UnconvertedItem } from "../../plan/answers.js";
import type { TrendPlan } from "../../plan/insights/plan.js";
import type { Range } from "../../plan/plan.js";
import { ACTOR_COLUMNS } from "../../segment/who.js";
import type { SessionView } from "../../table/sessions/session-view.js";
import type { AnyPart } from "../form/part.js";
import type { RowContext } from "../form/report.js";
import { actorsOfRows } from "../insights/actors-of-rows.js";
import { fieldKeys, rowKeysOf, type RowKeys } from "../insights/row-keys.js";
import type { RowCut } from "../insights/row-units.js";
import { subjectsOf } from "../insights/subjects.js";
import { subjectsByUnit, type SubjectsByUnit } from "../insights/subjects-by-unit.js";
import { isFiltered, marksOf, type SessionMarks } from "../visits/visits.js";
import { CellsOverTime } from "./cells-over-time.js";
import { cellsByUnit, NO_ITEMS, type CellsByUnit, type RowItems } from "../insights/cells-by-unit.js";
import type { PaymentsOfMoment } from "./payment-items.js";
import { eventTallies, numberTallies, revenueTallies, userTallies, valueTallies, type Tallies } from "./tallies.js";
import { UsersOverTime } from "./users-over-time.js";
import { visitCells } from "./visit-cells.js";

/** What was read of tables: who paid, or the sessions. */
export interface TrendRead {
  readonly payments: PaymentsOfMoment | null;
  readonly sessions: SessionView | null;
}

/** What the parts of a range came to, by their names. */
export type TrendStates = Readonly<Record<string, unknown>>;

/** How one kind of measure is made: what is gathered for a range, and what is asked of it. */
export interface TrendKind {
  readonly keys: RowKeys;
  /** @param name stands before the names of the parts */
  partsOf(range: Range, name: string): Readonly<Record<string, AnyPart>>;
  measuredOf(range: Range, name: string, states: TrendStates, pause: () => Promise<void>): Promise<Measured>;
  /** Sums that have no rate. */
  unconvertedOf(measured: Measured): UnconvertedItem[];
}

const kinds = new WeakMap<RowContext, TrendKind>();

/** The kind of a question: the same for all its parts, however many values arrive meanwhile. */
export function trendKindOf(plan: TrendPlan, context: RowContext, { payments, sessions }: TrendRead): TrendKind {
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

/** Events by their values, and by what figures are made of. */
function cellKind(plan: TrendPlan, cut: RowCut, keys: RowKeys, payments: PaymentsOfMoment | null, context: RowContext): TrendKind {
  const { items, tallies } = itemsOf(plan, context, payments);
  return {
    keys,
    partsOf: (range, name) => ({ [name]: cellsByUnit({ ...plan, range }, cut, keys, items) }),
    // What the part of this name made.
    measuredOf: (_range, name, states, pause) => CellsOverTime.of(states[name] as CellsByUnit, tallies, pause),
    unconvertedOf: (measured) => (payments === null || !(measured instanceof CellsOverTime) ? [] : payments.unconvertedOf(measured.items)),
  };
}

const ACTORS: RowItems = { columns: ACTOR_COLUMNS, name: "actors", itemsOf: actorsOfRows };
/** 1 where somebody did it. */
const SOMEBODY: RowItems = { columns: ACTOR_COLUMNS, name: "somebody", areFew: true, itemsOf: (rows, selected) => actorsOfRows(rows, selected).map((actor) => (actor === 0 ? 0 : 1)) };

function itemsOf({ measure, revenue }: TrendPlan, context: RowContext, payments: PaymentsOfMoment | null): { items: RowItems; tallies: Tallies } {
  if (payments !== null) return { items: payments.items, tallies: revenueTallies((item) => payments.amountOf(item), revenue.currency) };
  if (measure.type === "unique_users") return { items: ACTORS, tallies: userTallies(context.identities) };
  if (measure.field === null) return { items: NO_ITEMS, tallies: eventTallies };
  const { type } = measure;
  // An array is called by its JSON text, which is no number.
  const field = type === "unique_values" ? fieldKeys(measure.field, context) : fieldKeys(measure.field, context, (value) => [labelOf(value)]);
  const items = { columns: field.columns, name: field.name, itemsOf: field.keysOf };
  return { items, tallies: type === "unique_values" ? valueTallies(field) : numberTallies(field, type) };
}

/** People without a breakdown: who was there in each unit, and how many events they did. */
function userKind(plan: TrendPlan, cut: RowCut, keys: RowKeys, context: RowContext): TrendKind {
  const subjects = subjectsOf("identity", context);
  return {
    keys,
    partsOf: (range, name) => {
      const scope = { ...plan, range };
      return { [`${name} actors`]: subjectsByUnit(scope, [cut], subjects), [`${name} events`]: cellsByUnit(scope, cut, keys, SOMEBODY) };
    },
    // What the parts of these names made.
    measuredOf: (_range, name, states) =>
      Promise.resolve(new UsersOverTime(states[`${name} actors`] as SubjectsByUnit, states[`${name} events`] as CellsByUnit, subjects, context.identities)),
    unconvertedOf: NONE_UNCONVERTED,
  };
}

/** Sessions by the values of their first events. */
function sessionKind(plan: TrendPlan, cut: RowCut, keys: RowKeys, sessions: SessionView, context: RowContext): TrendKind {
  return {
    keys,
    partsOf: (range, name) => (isFiltered(plan) ? { [name]: marksOf(plan, range, sessions) } : {}),
    measuredOf: async (range, name, states, pause) => {
      // What the part of this name made; there is none where all sessions are asked for.
      const marks = (states[name] ?? null) as SessionMarks | null;
      return await CellsOverTime.of(await visitCells(plan, range, marks, sessions, cut, keys, context, pause), eventTallies, pause);
    },
    unconvertedOf: NONE_UNCONVERTED,
  };
}
