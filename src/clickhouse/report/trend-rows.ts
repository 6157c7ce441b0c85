import { MS_PER_DAY } from "../../core/base/time.js";
import type { TrendPlan } from "../../query/plan/insights/plan.js";
import type { Range } from "../../query/plan/plan.js";
import { foundOf, propertiesOf } from "../query/operand.js";
import { RequiredJoins } from "../query/required-joins.js";
import { whereOf } from "../query/where.js";
import { joined, raw, sql, whole, wholes, type Sql } from "../sql/sql.js";
import { combinationsOf, type ReportContext } from "./report.js";
import type { MeasureSql, TrendSource } from "./trend-cells.js";

/** Events that match a plan. */
export class EventTrend implements TrendSource {
  constructor(
    readonly plan: TrendPlan,
    readonly range: Range,
    readonly measure: MeasureSql,
    readonly context: ReportContext,
  ) {}

  times(): Sql {
    const needs = new RequiredJoins(this.context);
    const [things, where] = [this.#things(needs), this.#where(needs)];
    return sql`SELECT ms FROM (SELECT ms, ${things} AS things FROM ${needs.rows()} WHERE ${where}) WHERE notEmpty(things)`;
  }

  rows(bounds: readonly number[] | null): Sql {
    const needs = new RequiredJoins(this.context);
    const fields = (this.plan.breakdown?.fields ?? []).map((field, at) => ({ key: raw(`key${at}`), found: foundOf(field, needs) }));
    const combos = combinationsOf(fields.map(({ key, found }) => (found.kind === "text" ? sql`[${key}]` : key)));
    const selected = fields.length === 0 ? [] : [sql`${combos} AS combos`];
    const unit = bounds === null ? sql`toInt64(0)` : sql`roundDown(at, ${wholes(bounds)})`;
    const keys = fields.map(({ key, found }) => sql`${found.kind === "text" ? found.text : propertiesOf(found)} AS ${key}`);
    return sql`SELECT ${joined([...selected, sql`${unit} AS unit`], ", ")}, things, n FROM (${this.#alike([...keys, sql`${momentOf(bounds)} AS at`], needs)})`;
  }

  /** Where an event contributes only itself, rows with equal columns come as one. */
  #alike(columns: readonly Sql[], needs: RequiredJoins): Sql {
    const [things, where] = [this.#things(needs), this.#where(needs)];
    const from = sql`FROM ${needs.rows()} WHERE ${where}`;
    if (this.measure.things !== null) return sql`SELECT ${joined(columns, ", ")}, ${things} AS things, 1 AS n ${from}`;
    return sql`SELECT ${joined(columns, ", ")}, ${things} AS things, count() AS n ${from} GROUP BY ALL`;
  }

  #things(needs: RequiredJoins): Sql {
    return this.measure.things?.(needs) ?? sql`['']`;
  }

  #where(needs: RequiredJoins): Sql {
    return whereOf({ ...this.plan, range: this.range }, null, needs);
  }
}

/** Sessions, which count in the unit of their start. @param sessions with `startMs` and, for a breakdown, the properties `told` of first events */
export class SessionTrend implements TrendSource {
  constructor(
    readonly plan: TrendPlan,
    readonly sessions: Sql,
  ) {}

  times(): Sql {
    return sql`SELECT startMs AS ms FROM (${this.sessions})`;
  }

  rows(bounds: readonly number[] | null): Sql {
    const fields = this.plan.breakdown?.fields ?? [];
    const combos = combinationsOf(fields.map((_, at) => sql`told[${whole(at + 1)}]`));
    const unit = bounds === null ? sql`toInt64(0)` : sql`roundDown(toInt64(startMs), ${wholes(bounds)})`;
    return sql`SELECT ${combos} AS combos, ${unit} AS unit, [''] AS things, count() AS n FROM (${this.sessions}) GROUP BY ALL`;
  }
}

/** The time that determines a row's unit, in ms: its day, where units begin with days. */
function momentOf(bounds: readonly number[] | null): Sql {
  if (bounds === null) return sql`toInt64(0)`;
  return bounds.every((ms) => ms % MS_PER_DAY === 0) ? sql`toInt64(day) * ${whole(MS_PER_DAY)}` : sql`toInt64(ms)`;
}
