import { cutOf, slotsOf, widened } from "../../answer/insights/buckets.js";
import { combinationsOf, greatestOf, restOf } from "../../answer/insights/combinations.js";
import { PeriodAxis, orAfter, type CohortCounts } from "../../answer/insights/retention-periods.js";
import type { Retention, RetentionPeriod } from "../../plan/insights/answers.js";
import type { RetentionPlan } from "../../plan/insights/plan.js";
import type { Needs } from "../question/needs.js";
import { sql, whole, wholes, type Sql } from "../sql/sql.js";
import { entityRows, extentOf, unitOf } from "./entity-rows.js";
import { propertiesColumn, PropertyKeys, type Properties } from "./property-keys.js";
import { refuseAsOf, type Asking, type Report } from "./report.js";

/** Who came back when: of each entity the cohorts that it is a member of, and the units in which it did what is a return. */
export const retention: Report<"retention"> = async (plan, asking) => {
  refuseAsOf(plan);
  const { range, isOpen } = widened(plan, plan.interval);
  const inRange = sql`ms >= ${whole(range.fromMs)} AND ms < ${whole(range.toMs)}`;
  const extent = await extentOf(sql`SELECT ms FROM (${entriesOf(plan, asking)}) WHERE ${inRange}`, asking);
  const cut = { ...cutOf(plan.calendar, plan.interval), unit: plan.interval };
  const axis = new PeriodAxis(slotsOf({ ...plan, range, isOpen }, plan.interval, extent), plan.periods, cut, plan.nowMs);
  const members = new Members(plan, axis);
  if (axis.unitCount > 0) await members.count(inRange, asking);
  const counts = members.countsOf(null);
  return { definition: plan.definition, asOf: null, cohorts: axis.cohortsOf(counts), total: axis.totalOf(counts), ...members.rows() };
};

/** When entities did what makes a member; where only the first time counts, that. */
function entriesOf({ cohortEvent, level, cohort }: RetentionPlan, asking: Asking): Sql {
  const rows = entityRows([cohortEvent], level, () => sql`1`, asking);
  return cohort === "recurring" ? rows : sql`SELECT min(ms) AS ms FROM (${rows}) GROUP BY entity`;
}

type Row = readonly [cohort: number, period: number, properties: Properties, count: number];

/** Members of a cohort who stand under one key, or those of them who came back in a period. */
interface Count {
  readonly key: number;
  readonly cohort: number;
  readonly period: number;
  readonly count: number;
}

/** How many entities are members of which cohorts, by the values of their first events there, and how many came back. */
class Members {
  readonly #groups = new PropertyKeys();
  readonly #sizes: Count[] = [];
  readonly #returned: Count[] = [];

  constructor(
    readonly plan: RetentionPlan,
    readonly axis: PeriodAxis,
  ) {}

  async count(inRange: Sql, asking: Asking): Promise<void> {
    const { periods, returned } = this.plan;
    const pairs = cohortsAndReturns(this.plan, this.axis, inRange, asking);
    const sizes = sql`SELECT member.1 AS cohort, 0, member.2 AS properties, count() FROM (${pairs})
      ARRAY JOIN members AS member GROUP BY cohort, properties`;
    // Where every later time counts, the last one tells: what lies behind all periods is in the last of them.
    const period = returned === "on" ? sql`arrayJoin(units) - member.1` : sql`least(arrayMax(units) - member.1, ${whole(periods)})`;
    const returns = sql`SELECT member.1 AS cohort, ${period} AS period, member.2 AS properties FROM (${pairs})
      ARRAY JOIN members AS member WHERE notEmpty(units)`;
    const counted = sql`SELECT cohort, period, properties, count() FROM (${returns})
      WHERE period BETWEEN 1 AND ${whole(periods)} GROUP BY cohort, period, properties`;
    for (const [statement, into] of [[sizes, this.#sizes], [counted, this.#returned]] as const) {
      const rows = asking.connection.stream<Row>(statement, asking.signal);
      for await (const [cohort, at, properties, count] of rows) into.push({ key: this.#groups.numberOf(properties), cohort, period: at, count });
    }
  }

  /** @param keys of those that are counted; null: all */
  countsOf(keys: ReadonlySet<number> | null): CohortCounts {
    const { axis, plan } = this;
    const { sizes, returned } = axis.newCounts();
    const isMeant = ({ key }: Count) => keys === null || keys.has(key);
    for (const { cohort, count } of this.#sizes.filter(isMeant)) sizes[cohort] = (sizes[cohort] ?? 0) + count;
    for (const { cohort, period, count } of this.#returned.filter(isMeant)) {
      const place = axis.placeOf(cohort, period);
      returned[place] = (returned[place] ?? 0) + count;
    }
    return plan.returned === "on" ? { sizes, returned } : orAfter(axis, { sizes, returned });
  }

  rows(): Pick<Retention, "rows" | "rest" | "valueCount"> {
    const { breakdown } = this.plan;
    if (breakdown === null) return { rows: null, rest: null, valueCount: 0 };
    const sizeOf = new Map<number, number>();
    for (const { key, count } of this.#sizes) sizeOf.set(key, (sizeOf.get(key) ?? 0) + count);
    const all = combinationsOf(sizeOf.keys(), this.#groups);
    const sizes = Float64Array.from(all, ({ keys }) => keys.reduce((sum, key) => sum + (sizeOf.get(key) ?? 0), 0));
    const shown = greatestOf(all, sizes, breakdown.limit);
    const sizeOfAll = new Map(all.map((combination, at) => [combination, sizes[at] ?? 0]));
    const rows = shown.map((one) => ({ values: one.values, size: sizeOfAll.get(one) ?? 0, total: this.#totalOf(one.keys) }));
    return { rows, rest: breakdown.rest ? this.#totalOf(restOf(all, new Set(shown))) : null, valueCount: all.length };
  }

  #totalOf(keys: readonly number[]): RetentionPeriod[] {
    return this.axis.totalOf(this.countsOf(new Set(keys)));
  }
}

/** Of each entity the numbers of its cohorts, each with the values of its first event there; and those of the units of its returns. */
function cohortsAndReturns(plan: RetentionPlan, axis: PeriodAxis, inRange: Sql, asking: Asking): Sql {
  const bounds = [...axis.bounds];
  const unit = sql`transform(${unitOf(bounds)}, ${wholes(bounds)}, ${wholes([...bounds.keys()])}, toInt64(-1))`;
  const columns = ([isEntry = sql`false`, isReturn = sql`false`]: readonly Sql[], needs: Needs) =>
    sql`${isEntry} AS isEntry, ${isReturn} AS isReturn, ${unit} AS unit, toUInt128(id) AS num,
      ${propertiesColumn(plan.breakdown?.fields ?? [], needs)} AS properties`;
  const rows = entityRows([plan.cohortEvent, plan.returnEvent], plan.level, columns, asking);
  // Without values the units alone: of these there are few.
  const each = plan.breakdown === null
    ? sql`arrayMap(one -> (one, CAST([], 'Array(Array(String))')), groupUniqArrayIf(unit, isEntry AND ${inRange}))`
    : sql`arrayMap(one -> (one.3, one.4), arrayFilter((one, place) -> place = 1 OR one.3 != entries[place - 1].3, entries, arrayEnumerate(entries)))`;
  const entries = sql`arraySort(one -> (one.1, one.2), groupArrayIf((ms, num, unit, properties), isEntry AND ${inRange})) AS entries`;
  const first = sql`arrayFilter(one -> countIf(isEntry) > 0 AND argMinIf(${inRange}, (ms, num), isEntry),
    [argMinIf((unit, properties), (ms, num), isEntry)])`;
  const members = plan.cohort === "recurring" ? each : first;
  const units = sql`groupUniqArrayIf(unit, isReturn AND ms >= ${whole(bounds[0] ?? 0)})`;
  const before = plan.cohort === "recurring" && plan.breakdown !== null ? sql`${entries}, ` : sql``;
  return sql`SELECT ${before}${members} AS members, ${units} AS units FROM (${rows}) GROUP BY entity`;
}
