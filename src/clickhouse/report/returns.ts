import { cutOf, slotsOf, widened } from "../../query/answer/insights/buckets.js";
import { combinationsOf } from "../../query/answer/insights/combinations.js";
import { PeriodAxis, orAfter, stickinessOf, type CohortCounts } from "../../query/answer/insights/retention-periods.js";
import { getOrMake } from "../../core/base/arrays.js";
import { runAtOnce } from "../../core/base/yield.js";
import type { Retention, RetentionPeriod, LifecycleBucket } from "../../query/plan/insights/answers.js";
import type { RetentionPlan } from "../../query/plan/insights/plan.js";
import type { RequiredJoins } from "../query/required-joins.js";
import { sql, whole, wholes, type Sql } from "../sql/sql.js";
import { rowSortKey } from "../query/event-columns.js";
import {
  entityRows, extentOf, insight, NO_PROPERTIES, openExtentOf, propertiesColumn, PropertyKeys, unitOf, type Properties, type ReportContext,
} from "./report.js";
import { axisOf } from "../../core/calendar/axis.js";
import { LIMITS } from "../../core/base/limits.js";

/** Counts returns per cohort and period. */
export const retention = insight<"retention">(async (plan, context) => {
  const { range, isOpen } = widened(plan, plan.interval);
  const isWithin: IsWithin = (ms) => sql`${ms} >= ${whole(range.fromMs)} AND ${ms} < ${whole(range.toMs)}`;
  const extent = await openExtentOf(isOpen, () => sql`SELECT ms FROM (${entriesOf(plan, context)}) WHERE ${isWithin(sql`ms`)}`, context);
  const cut = { ...cutOf(plan.calendar, plan.interval), unit: plan.interval };
  const axis = new PeriodAxis(slotsOf({ ...plan, range, isOpen }, plan.interval, extent), plan.periods, cut, plan.nowMs);
  const members = new CohortMembers(plan, axis);
  if (axis.unitCount > 0) await members.count(isWithin, context);
  const counts = members.countsOf(null);
  return { cohorts: axis.cohortsOf(counts), total: axis.totalOf(counts), ...members.rows() };
});

/** The times of the cohort event; where only the first counts, that of each entity. */
function entriesOf({ cohortEvent, level, cohort }: RetentionPlan, context: ReportContext): Sql {
  const rows = entityRows([cohortEvent], level, () => sql`1`, context);
  return cohort === "recurring" ? rows : sql`SELECT min(ms) AS ms FROM (${rows}) GROUP BY entity`;
}

/** Whether an instant lies in the cohorts' range. */
type IsWithin = (ms: Sql) => Sql;

type RetentionRow = readonly [cohort: number, period: number, properties: Properties, count: number];

/** The number of a cohort's members with one key, or of those who came back in a period. */
interface CohortCount {
  readonly key: number;
  readonly cohort: number;
  readonly period: number;
  readonly count: number;
}

/** The members of cohorts by the values of their first event there, and how many came back. */
class CohortMembers {
  readonly #groups = new PropertyKeys();
  readonly #sizes: CohortCount[] = [];
  readonly #returned: CohortCount[] = [];

  constructor(
    readonly plan: RetentionPlan,
    readonly axis: PeriodAxis,
  ) {}

  async count(isWithin: IsWithin, context: ReportContext): Promise<void> {
    const { periods, returned } = this.plan;
    const pairs = cohortsAndReturns(this.plan, this.axis, isWithin, context);
    // Where any later time counts, the last one decides; one after all periods counts in the last.
    const last = sql`if(empty(units), [], [least(arrayMax(units) - member.1, ${whole(periods)})])`;
    const came = returned === "on" ? sql`arrayMap(unit -> unit - member.1, units)` : last;
    const isPeriod = sql`period BETWEEN 1 AND ${whole(periods)}`;
    // Each member counts in period 0, and in those in which it came back.
    const counted = sql`SELECT member.1 AS cohort, arrayJoin(arrayPushFront(arrayFilter(period -> ${isPeriod}, ${came}), 0)) AS at,
        member.2 AS properties, count()
      FROM (${pairs}) ARRAY JOIN members AS member GROUP BY cohort, at, properties`;
    for await (const [cohort, period, properties, count] of context.connection.stream<RetentionRow>(counted))
      (period === 0 ? this.#sizes : this.#returned).push({ key: this.#groups.numberOf(properties), cohort, period, count });
  }

  /** @param keys to count; null: all */
  countsOf(keys: ReadonlySet<number> | null): CohortCounts {
    const { axis, plan } = this;
    const { sizes, returned } = axis.newCounts();
    const isIncluded = ({ key }: CohortCount) => keys === null || keys.has(key);
    for (const { cohort, count } of this.#sizes.filter(isIncluded)) sizes[cohort] = (sizes[cohort] ?? 0) + count;
    for (const { cohort, period, count } of this.#returned.filter(isIncluded)) {
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
    const all = runAtOnce(combinationsOf(sizeOf.keys(), this.#groups));
    const sizes = runAtOnce(all.sumsOf((key) => sizeOf.get(key) ?? 0));
    const shown = runAtOnce(all.greatest(sizes, breakdown.limit));
    const rows = shown.map((place) => ({ values: all.valuesOf(place), size: sizes[place] ?? 0, total: this.#totalOf(all.keysOf(place)) }));
    return { rows, rest: breakdown.rest ? this.#totalOf(runAtOnce(all.restOf(shown))) : null, valueCount: all.count };
  }

  #totalOf(keys: Iterable<number>): RetentionPeriod[] {
    return this.axis.totalOf(this.countsOf(new Set(keys)));
  }
}

/** For each entity, the numbers of its cohorts, each with the values of its first event there, and the units of its returns. */
function cohortsAndReturns(plan: RetentionPlan, axis: PeriodAxis, isWithin: IsWithin, context: ReportContext): Sql {
  const bounds = [...axis.bounds];
  const unit = sql`transform(${unitOf(bounds)}, ${wholes(bounds)}, ${wholes([...bounds.keys()])}, toInt64(-1))`;
  const columns = ([isEntry = sql`false`, isReturn = sql`false`]: readonly Sql[], needs: RequiredJoins) =>
    sql`${isEntry} AS isEntry, ${isReturn} AS isReturn, ${unit} AS unit${plan.breakdown === null ? sql`` : sql`, ${rowSortKey(context.tables)} AS place,
      ${propertiesColumn(plan, needs)} AS properties`}`;
  const rows = entityRows([plan.cohortEvent, plan.returnEvent], plan.level, columns, context);
  // Without a breakdown only the units are needed, and these are few.
  const each = plan.breakdown === null
    ? sql`arrayMap(one -> (one, ${NO_PROPERTIES}), groupUniqArrayIf(unit, isEntry AND ${isWithin(sql`ms`)}))`
    : sql`arrayMap(one -> (one.2, one.3), arrayFilter((one, at) -> at = 1 OR one.2 != entries[at - 1].2, entries, arrayEnumerate(entries)))`;
  const entries = sql`arraySort(one -> one.1, groupArrayIf((place, unit, properties), isEntry AND ${isWithin(sql`ms`)})) AS entries`;
  // The first event is in the first unit; which one of that ms it is only matters with a breakdown.
  const ofFirst = plan.breakdown === null ? sql`(minIf(unit, isEntry), ${NO_PROPERTIES})` : sql`argMinIf((unit, properties), place, isEntry)`;
  const first = sql`arrayFilter(one -> countIf(isEntry) > 0 AND ${isWithin(sql`minIf(ms, isEntry)`)}, [${ofFirst}])`;
  const members = plan.cohort === "recurring" ? each : first;
  const units = sql`groupUniqArrayIf(unit, isReturn AND ms >= ${whole(bounds[0] ?? 0)})`;
  const before = plan.cohort === "recurring" && plan.breakdown !== null ? sql`${entries}, ` : sql``;
  return sql`SELECT ${before}${members} AS members, ${units} AS units FROM (${rows}) GROUP BY entity`;
}

type LifecycleRow = [unitMs: number, isNew: number, isReturning: number, isResurrecting: number, stayedAway: number];

/** Counts new, returning, resurrecting and dormant entities, from the units in which each was active, and its first one. */
export const lifecycle = insight<"lifecycle">(async (plan, context) => {
  const { range, isOpen } = widened(plan, plan.interval);
  const extent = await openExtentOf(isOpen, () => entityRows([{ ...plan, range }], plan.level, () => sql`1`, context), context);
  const slots = slotsOf({ ...plan, range, isOpen }, plan.interval, extent);
  const [firstMs] = slots.map(({ unitMs }) => unitMs);
  if (firstMs === undefined) return { buckets: [] };
  // Entities active in the unit before the first bucket may be dormant in it.
  const before = isOpen.start || firstMs <= 0 ? null : axisOf(cutOf(plan.calendar, plan.interval), firstMs - 1, firstMs, 1);
  const bounds = [...(before === null ? [] : [before.bounds[0] ?? 0]), ...slots.map(({ unitMs }) => unitMs)];
  const neighbour = (step: number) => wholes(bounds.map((_, at) => bounds[at + step] ?? -1));
  const of = (step: number) => sql`transform(unit, ${wholes(bounds)}, ${neighbour(step)}, toInt64(-1))`;

  const startMs = whole(bounds[0] ?? 0);
  const rows = entityRows([{ ...plan, range: { fromMs: 0, toMs: range.toMs } }], plan.level, () => sql`${unitOf(bounds)} AS unit`, context);
  const entities = sql`SELECT groupUniqArrayIf(unit, ms >= ${startMs}) AS units, min(ms) >= ${startMs} AS isRecent, min(unit) AS first
    FROM (${rows}) GROUP BY entity`;
  const active = sql`SELECT unit, isRecent AND unit = first AS isNew, has(units, ${of(-1)}) AS wasActive, NOT has(units, ${of(1)}) AS leaves
    FROM (${entities}) ARRAY JOIN units AS unit`;
  const figures = await context.connection.rows<LifecycleRow>(sql`SELECT unit,
      countIf(isNew), countIf(wasActive), countIf(NOT isNew AND NOT wasActive), countIf(leaves)
    FROM (${active}) GROUP BY unit`);
  const byUnit = new Map(figures.map((row) => [row[0], row]));
  const buckets = slots.map(({ unitMs, bucket }): LifecycleBucket => {
    const [, isNew = 0, returning = 0, resurrecting = 0] = byUnit.get(unitMs) ?? [];
    const [, , , , dormant = 0] = byUnit.get(bounds[bounds.indexOf(unitMs) - 1] ?? -1) ?? [];
    return { ...bucket, new: isNew, returning, resurrecting, dormant };
  });
  return { buckets };
});

/** In how many units each entity was active. */
export const stickiness = insight<"stickiness">(async (plan, context) => {
  const cut = cutOf(plan.calendar, plan.unit);
  const { range, isOpen } = plan;
  const ofRange = isOpen.start || isOpen.end ? null : axisOf(cut, range.fromMs, range.toMs, LIMITS.bucketCount);
  // In an open range, or one of very many units, only those between the first and the last event.
  const extent = ofRange === null ? await extentOf(entityRows([plan], plan.level, () => sql`1`, context), context) : null;
  const slots = slotsOf(plan, plan.interval, extent);
  const bucketsOf = (histogramOf: (unitMs: number) => readonly number[]) =>
    slots.map(({ unitMs, bucket }) => ({ ...bucket, ...stickinessOf(histogramOf(unitMs)) }));
  const axis = extent === null ? ofRange : axisOf(cut, extent.firstMs, extent.lastMs + 1, Infinity);
  if (axis === null) return { buckets: bucketsOf(() => []) };
  const starts = plan.interval === "total" ? [0] : slots.map(({ unitMs }) => unitMs);
  // A unit that two buckets share counts in both.
  const units = sql`${unitOf([...axis.bounds])} AS unit, ${unitOf(starts)} AS slot`;
  const active = entityRows([plan], plan.level, () => units, context);
  const counts = sql`SELECT slot, entity, uniqExact(unit) AS units FROM (${active}) GROUP BY slot, entity`;
  const statement = sql`SELECT slot, units, count() FROM (${counts}) GROUP BY slot, units`;
  const rows = await context.connection.rows<[number, number, number]>(statement);
  const histograms = new Map<number, number[]>();
  for (const [slot, count, entities] of rows) getOrMake(histograms, slot, (): number[] => [])[count] = entities;
  return { buckets: bucketsOf((unitMs) => histograms.get(unitMs) ?? []) };
});
