import { bothTallies, NO_NUMBERS, numericFigure, tallyOf, type Tally } from "../../query/answer/numbers.js";
import type { NumericMeasureType } from "../../query/plan/input.js";
import type { MeasurePlan, TrendPlan } from "../../query/plan/insights/plan.js";
import type { RequiredJoins } from "../query/required-joins.js";
import { foundOf, propertiesOf, wholeOf } from "../query/operand.js";
import { isNumber } from "../sql/value-test.js";
import { combinations, sql, whole, type Sql } from "../sql/sql.js";
import type { Extent } from "../../query/answer/insights/buckets.js";
import { extentOf, type ReportContext } from "./report.js";

/** A figure as selected: a number, or the distinct numbers that it is computed from, with their counts. */
type MeasureValue = number | readonly [numbers: readonly number[], counts: readonly number[]];

export interface MeasureSql {
  /** What an event contributes: one text, or a list; null: the event itself. */
  readonly things: ((needs: RequiredJoins) => Sql) | null;
  /** SQL that aggregates the contributions of events. */
  readonly figure: Sql;
  /** The same over all units up to each, by `unit` and `combo`; null: cumulated in this process. */
  readonly running: { readonly state: Sql; readonly figure: Sql } | null;
  readonly isOrdered: boolean;
  add(a: MeasureValue, b: MeasureValue): MeasureValue;
  shown(given: MeasureValue): number | null;
  readonly nothing: MeasureValue;
}

const plain = { add: (a: MeasureValue, b: MeasureValue) => Number(a) + Number(b), shown: (given: MeasureValue) => Number(given), nothing: 0, isOrdered: true };

/** Each event, or each session. */
const single: MeasureSql = { ...plain, things: null, figure: sql`sum(n)`, running: null };

/** Distinct identities: the figures of units cannot be added. */
const users: MeasureSql = {
  ...plain,
  things: (needs) => needs.identityKey(),
  figure: sql`uniqExactIf(things, things != '')`,
  running: { state: sql`uniqExactStateIf(things, things != '')`, figure: sql`uniqExactMerge(state)` },
};

function values(things: (needs: RequiredJoins) => Sql): MeasureSql {
  const running = { state: sql`uniqExactArrayState(things)`, figure: sql`uniqExactArrayMerge(state)` };
  return { ...plain, things, figure: sql`uniqExactArray(things)`, running };
}

function numbers(things: (needs: RequiredJoins) => Sql, type: NumericMeasureType): MeasureSql {
  return {
    things,
    figure: sql`sumMap(things, arrayMap(one -> toUInt64(1), things))`,
    running: null,
    isOrdered: false,
    add: (a, b) => givenOf(bothTallies(tallyOfGiven(a), tallyOfGiven(b))),
    shown: (given) => numericFigure(tallyOfGiven(given), type),
    nothing: givenOf(NO_NUMBERS),
  };
}

function tallyOfGiven(given: MeasureValue): Tally {
  return typeof given === "number" ? NO_NUMBERS : tallyOf(Float64Array.from(given[0]), Float64Array.from(given[1]));
}

function givenOf({ numbers: values, counts }: Tally): MeasureValue {
  return [[...values], [...counts]];
}

/** Null for payments, which this process assigns to units. */
export function measureOf({ type, field }: MeasurePlan): MeasureSql | null {
  switch (type) {
    case "events":
    case "sessions":
      return single;
    case "unique_users":
      return users;
    case "unique_values":
      return values((needs) => sql`arrayFilter(one -> one != '', ${propertiesOf(foundOf(field, needs))})`);
    case "revenue":
      return null;
    default:
      return numbers((needs) => {
        const texts = sql`arrayFilter(one -> ${isNumber(sql`one`)}, [${wholeOf(foundOf(field, needs))}])`;
        return sql`arrayMap(one -> toFloat64OrZero(one), ${texts})`;
      }, type);
  }
}

export interface Total {
  readonly values: readonly string[];
  readonly given: MeasureValue;
  readonly counted: number;
}

export interface Cell extends Total {
  readonly unitMs: number;
}

export interface CellFigures {
  readonly totals: readonly Total[];
  readonly cells: readonly Cell[];
}

/** What a trend measures, as SQL. */
export interface TrendSource {
  /** The times at which something counts, as `ms`. */
  times(): Sql;
  /** Rows with combinations (with a breakdown), unit, contribution, and how many are alike. @param bounds starts of units; null: one unit */
  rows(bounds: readonly number[] | null): Sql;
}

export class TrendCells {
  constructor(
    readonly plan: TrendPlan,
    readonly source: TrendSource,
    readonly measure: MeasureSql,
    readonly context: ReportContext,
  ) {}

  /** The first and last time that counts; null where none does. */
  async extent(): Promise<Extent | null> {
    return await extentOf(this.source.times(), this.context);
  }

  /** Totals of the combinations with the greatest figures, where SQL can order them, else of all; and the number of combinations. */
  async totals(limit: number): Promise<{ readonly totals: readonly Total[]; readonly valueCount: number }> {
    const all = sql`SELECT combo, ${this.measure.figure} AS figure, ${this.#counted()} AS counted FROM (${this.#joined(null)}) GROUP BY combo`;
    const first = this.measure.isOrdered ? sql`ORDER BY figure DESC, combo LIMIT ${whole(limit)}` : sql``;
    const rows = await this.context.connection.rows<[string[], MeasureValue, number, number]>(sql`SELECT combo, figure, counted, count() OVER () FROM (${all}) ${first}`);
    return { totals: rows.map(([values, given, counted]) => ({ values, given, counted })), valueCount: rows[0]?.[3] ?? 0 };
  }

  /** Without a breakdown: the total, and the figures of each unit that has any, in one pass over the rows. */
  async ofAll(units: readonly number[]): Promise<CellFigures> {
    const rows = sql`SELECT unit, ${this.measure.figure}, ${this.#counted()} AS counted, grouping(unit) AS isTotal FROM (${this.source.rows(units)})
      GROUP BY GROUPING SETS ((unit), ()) ORDER BY unit`;
    const all = await this.context.connection.rows<[unitMs: number, MeasureValue, counted: number, isTotal: number]>(rows);
    const own = all.map(([unitMs, given, counted, isTotal]) => ({ values: [], unitMs, given, counted, isTotal: isTotal === 1 }));
    return { totals: own.filter(({ isTotal }) => isTotal), cells: own.filter(({ isTotal }) => !isTotal) };
  }

  /** For some combinations: the totals, and the figures of each unit that has any. @param known the totals, where already read */
  async ofCombinations(shown: readonly (readonly string[])[], units: readonly number[], known: readonly Total[] | null): Promise<CellFigures> {
    const isShown = sql`has(${combinations(shown)}, combo)`;
    return await this.#totalsAndCells((bounds) => sql`SELECT * FROM (${this.#joined(bounds)}) WHERE ${isShown}`, units, known);
  }

  /** The same for all rows with a combination that is not shown, each once. */
  async ofRest(shown: readonly (readonly string[])[], units: readonly number[]): Promise<CellFigures> {
    const isRest = sql`arrayExists(one -> NOT has(${combinations(shown)}, one), combos)`;
    return await this.#totalsAndCells((bounds) => sql`SELECT ${NO_VALUES} AS combo, unit, things, n FROM (${this.source.rows(bounds)}) WHERE ${isRest}`, units, null);
  }

  async #totalsAndCells(rowsOf: (bounds: readonly number[] | null) => Sql, units: readonly number[], known: readonly Total[] | null): Promise<CellFigures> {
    const { figure, running } = this.measure;
    const cells = units.length === 0 ? [] : await this.#cellsOf(rowsOf(units), this.plan.cumulative ? running : null);
    if (known !== null) return { totals: known, cells };
    const all = sql`SELECT combo, ${figure}, ${this.#counted()} FROM (${rowsOf(null)}) GROUP BY combo`;
    const totals = await this.context.connection.rows<[string[], MeasureValue, number]>(all);
    return { totals: totals.map(([values, given, counted]): Total => ({ values, given, counted })), cells };
  }

  async #cellsOf(rows: Sql, running: MeasureSql["running"]): Promise<Cell[]> {
    const cells = (figure: Sql) => sql`SELECT combo, unit, ${figure}, ${this.#counted()} AS counted FROM (${rows}) GROUP BY combo, unit`;
    const over = sql`OVER (PARTITION BY combo ORDER BY unit ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)`;
    const figures = running === null
      ? cells(this.measure.figure)
      : sql`SELECT combo, unit, ${running.figure} ${over}, counted FROM (${cells(sql`${running.state} AS state`)})`;
    const found = await this.context.connection.rows<[string[], number, MeasureValue, number]>(sql`${figures} ORDER BY combo, unit`);
    return found.map(([values, unitMs, given, counted]) => ({ values, unitMs, given, counted }));
  }

  #joined(bounds: readonly number[] | null): Sql {
    const combo = this.plan.breakdown === null ? NO_VALUES : sql`arrayJoin(combos)`;
    return sql`SELECT ${combo} AS combo, unit, things, n FROM (${this.source.rows(bounds)})`;
  }

  #counted(): Sql {
    return sql`sumIf(n, notEmpty(things))`;
  }
}

const NO_VALUES = sql`CAST([], 'Array(String)')`;
