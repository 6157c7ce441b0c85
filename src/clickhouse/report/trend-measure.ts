import { bothTallies, meanOf, NO_NUMBERS, percentileOf, sumOf, tallyOf, type Tally } from "../../query/answer/numbers/tally.js";
import type { NumericMeasureType } from "../../query/plan/insights/input.js";
import type { MeasurePlan } from "../../query/plan/insights/plan.js";
import type { Needs } from "../query/needs.js";
import { foundOf } from "../query/operand.js";
import { propertiesOf, wholeOf } from "../query/properties.js";
import { isNumber } from "../sql/value-test.js";
import { sql, type Sql } from "../sql/sql.js";

/** A figure as selected: a number, or the distinct numbers that it is computed from, with their counts. */
export type MeasureValue = number | readonly [numbers: readonly number[], counts: readonly number[]];

/** SQL of a measure, and how to combine its results. */
export interface MeasureSql {
  /** What an event contributes: one text, or a list; null: the event itself. */
  readonly things: ((needs: Needs) => Sql) | null;
  /** SQL that aggregates the contributions of events. */
  readonly figure: Sql;
  /** The same over all units up to each, by `unit` and `combo`; null: cumulated in this process. */
  readonly running: { readonly state: Sql; readonly figure: Sql } | null;
  /** Whether SQL can order the figures. */
  readonly isOrdered: boolean;
  /** Combines the results of two units. */
  add(a: MeasureValue, b: MeasureValue): MeasureValue;
  shown(given: MeasureValue): number | null;
  readonly nothing: MeasureValue;
}

const plain = { add: (a: MeasureValue, b: MeasureValue) => Number(a) + Number(b), shown: (given: MeasureValue) => Number(given), nothing: 0, isOrdered: true };

const events: MeasureSql = { ...plain, things: null, figure: sql`sum(n)`, running: null };

/** Distinct identities: the figures of units cannot be added. */
const users: MeasureSql = {
  ...plain,
  things: (needs) => needs.who(),
  figure: sql`uniqExactIf(things, things != '')`,
  running: { state: sql`uniqExactStateIf(things, things != '')`, figure: sql`uniqExactMerge(state)` },
};

/** The same for values. */
function values(things: (needs: Needs) => Sql): MeasureSql {
  const running = { state: sql`uniqExactArrayState(things)`, figure: sql`uniqExactArrayMerge(state)` };
  return { ...plain, things, figure: sql`uniqExactArray(things)`, running };
}

function numbers(things: (needs: Needs) => Sql, type: NumericMeasureType): MeasureSql {
  return {
    things,
    figure: sql`sumMap(things, arrayMap(one -> toUInt64(1), things))`,
    running: null,
    isOrdered: false,
    add: (a, b) => givenOf(bothTallies(tallyOfGiven(a), tallyOfGiven(b))),
    shown: (given) => figureOf(tallyOfGiven(given), type),
    nothing: givenOf(NO_NUMBERS),
  };
}

function tallyOfGiven(given: MeasureValue): Tally {
  return typeof given === "number" ? NO_NUMBERS : tallyOf(Float64Array.from(given[0]), Float64Array.from(given[1]));
}

function givenOf({ numbers: values, counts }: Tally): MeasureValue {
  return [[...values], [...counts]];
}

const PERCENTS = { min: 0, p25: 25, median: 50, p75: 75, p90: 90, p95: 95, p99: 99, max: 100 } as const;

function figureOf(tally: Tally, type: NumericMeasureType): number | null {
  if (type === "sum") return sumOf(tally);
  return type === "avg" ? meanOf(tally) : percentileOf(tally, PERCENTS[type]);
}

/** Null for sessions and payments, which this process assigns to units. */
export function measureOf({ type, field }: MeasurePlan): MeasureSql | null {
  switch (type) {
    case "events":
      return events;
    case "unique_users":
      return users;
    case "unique_values":
      return values((needs) => sql`arrayFilter(one -> one != '', ${propertiesOf(foundOf(field, needs))})`);
    case "sessions":
    case "revenue":
      return null;
    default:
      return numbers((needs) => {
        const texts = sql`arrayFilter(one -> ${isNumber(sql`one`)}, [${wholeOf(foundOf(field, needs))}])`;
        return sql`arrayMap(one -> toFloat64OrZero(one), ${texts})`;
      }, type);
  }
}
