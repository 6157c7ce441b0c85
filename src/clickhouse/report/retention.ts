import { cutOf, slotsOf, widened } from "../../answer/insights/buckets.js";
import { PeriodAxis, orAfter } from "../../answer/insights/retention-periods.js";
import { DaybookError } from "../../base/errors.js";
import type { RetentionPlan } from "../../plan/insights/plan.js";
import { sql, whole, wholes, type Sql } from "../sql/sql.js";
import { entityRows, extentOf, unitOf } from "./entity-rows.js";
import { refuseAsOf, type Asking, type Report } from "./report.js";

/** Who came back when: of each entity the cohorts that it is a member of, and the units in which it did what is a return. */
export const retention: Report<"retention"> = async (plan, asking) => {
  refuseAsOf(plan);
  if (plan.breakdown !== null) throw new DaybookError("not_supported", "breakdown: retention by values is not answered on ClickHouse");
  const { range, isOpen } = widened(plan, plan.interval);
  const inRange = sql`ms >= ${whole(range.fromMs)} AND ms < ${whole(range.toMs)}`;
  const extent = await extentOf(sql`SELECT ms FROM (${entriesOf(plan, asking)}) WHERE ${inRange}`, asking);
  const cut = { ...cutOf(plan.calendar, plan.interval), unit: plan.interval };
  const axis = new PeriodAxis(slotsOf({ ...plan, range, isOpen }, plan.interval, extent), plan.periods, cut, plan.nowMs);
  const counts = axis.newCounts();
  const isOn = plan.returned === "on";
  if (axis.unitCount > 0) {
    const pairs = cohortsAndReturns(plan, axis, inRange, asking);
    const sizes = sql`SELECT arrayJoin(cohorts) AS cohort, count() FROM (${pairs}) GROUP BY cohort`;
    for (const [cohort, size] of await asking.connection.rows<[number, number]>(sizes, asking.signal)) counts.sizes[cohort] = size;
    // Where every later time counts, the last one tells: what lies behind all periods is in the last of them.
    const period = isOn ? sql`arrayJoin(units) - cohort` : sql`least(arrayMax(units) - cohort, ${whole(plan.periods)})`;
    const returns = sql`SELECT cohort, ${period} AS period FROM (${pairs}) ARRAY JOIN cohorts AS cohort WHERE notEmpty(units)`;
    const counted = sql`SELECT cohort, period, count() FROM (${returns})
      WHERE period BETWEEN 1 AND ${whole(plan.periods)} GROUP BY cohort, period`;
    const rows = await asking.connection.rows<[number, number, number]>(counted, asking.signal);
    for (const [cohort, at, count] of rows) counts.returned[axis.placeOf(cohort, at)] = count;
  }
  const shown = isOn ? counts : orAfter(axis, counts);
  const byCohort = { cohorts: axis.cohortsOf(shown), total: axis.totalOf(shown) };
  return { definition: plan.definition, asOf: null, ...byCohort, rows: null, rest: null, valueCount: 0 };
};

/** When entities did what makes a member; where only the first time counts, that. */
function entriesOf({ cohortEvent, level, cohort }: RetentionPlan, asking: Asking): Sql {
  const rows = entityRows([cohortEvent], level, () => sql`1`, asking);
  return cohort === "recurring" ? rows : sql`SELECT min(ms) AS ms FROM (${rows}) GROUP BY entity`;
}

/** Of each entity the numbers of its cohorts, and those of the units of its returns: behind the last one is one more. */
function cohortsAndReturns(plan: RetentionPlan, axis: PeriodAxis, inRange: Sql, asking: Asking): Sql {
  const bounds = [...axis.bounds];
  const unit = sql`transform(${unitOf(bounds)}, ${wholes(bounds)}, ${wholes([...bounds.keys()])}, toInt64(-1))`;
  const columns = (are: readonly Sql[]) => sql`${are[0] ?? sql`false`} AS isEntry, ${are[1] ?? sql`false`} AS isReturn, ${unit} AS unit`;
  const rows = entityRows([plan.cohortEvent, plan.returnEvent], plan.level, columns, asking);
  const ofFirst = sql`if(countIf(isEntry) > 0 AND argMinIf(${inRange}, ms, isEntry), [argMinIf(unit, ms, isEntry)], [])`;
  const cohorts = plan.cohort === "recurring" ? sql`groupUniqArrayIf(unit, isEntry AND ${inRange})` : ofFirst;
  const units = sql`groupUniqArrayIf(unit, isReturn AND ms >= ${whole(bounds[0] ?? 0)})`;
  return sql`SELECT ${cohorts} AS cohorts, ${units} AS units FROM (${rows}) GROUP BY entity`;
}
