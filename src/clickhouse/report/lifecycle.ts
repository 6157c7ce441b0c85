import { cutOf, slotsOf, widened } from "../../query/answer/insights/buckets.js";
import { axisOf } from "../../core/calendar/axis.js";
import type { LifecycleBucket } from "../../query/plan/insights/answers.js";
import { sql, whole, wholes } from "../sql/sql.js";
import { entityRows, openExtentOf, unitOf } from "./entity-rows.js";
import { refuseAsOf, type StatementReport } from "./report.js";

type LifecycleRow = [unitMs: number, isNew: number, isReturning: number, isResurrecting: number, stayedAway: number];

/** Counts new, returning, resurrecting and dormant entities, from the units in which each was active, and its first one. */
export const lifecycle: StatementReport<"lifecycle"> = async (plan, asking) => {
  refuseAsOf(plan);
  const { range, isOpen } = widened(plan, plan.interval);
  const extent = await openExtentOf(isOpen, () => entityRows([{ ...plan, range }], plan.level, () => sql`1`, asking), asking);
  const slots = slotsOf({ ...plan, range, isOpen }, plan.interval, extent);
  const [firstMs] = slots.map(({ unitMs }) => unitMs);
  if (firstMs === undefined) return { definition: plan.definition, asOf: null, buckets: [] };
  // Entities active in the unit before the first bucket may be dormant in it.
  const before = isOpen.start || firstMs <= 0 ? null : axisOf(cutOf(plan.calendar, plan.interval), firstMs - 1, firstMs, 1);
  const bounds = [...(before === null ? [] : [before.bounds[0] ?? 0]), ...slots.map(({ unitMs }) => unitMs)];
  const neighbour = (step: number) => wholes(bounds.map((_, at) => bounds[at + step] ?? -1));
  const of = (step: number) => sql`transform(unit, ${wholes(bounds)}, ${neighbour(step)}, toInt64(-1))`;

  const startMs = whole(bounds[0] ?? 0);
  const rows = entityRows([{ ...plan, range: { fromMs: 0, toMs: range.toMs } }], plan.level, () => sql`${unitOf(bounds)} AS unit`, asking);
  const entities = sql`SELECT groupUniqArrayIf(unit, ms >= ${startMs}) AS units, min(ms) >= ${startMs} AS isRecent, min(unit) AS first
    FROM (${rows}) GROUP BY entity`;
  const active = sql`SELECT unit, isRecent AND unit = first AS isNew, has(units, ${of(-1)}) AS wasActive, NOT has(units, ${of(1)}) AS leaves
    FROM (${entities}) ARRAY JOIN units AS unit`;
  const figures = await asking.connection.rows<LifecycleRow>(sql`SELECT unit,
      countIf(isNew), countIf(wasActive), countIf(NOT isNew AND NOT wasActive), countIf(leaves)
    FROM (${active}) GROUP BY unit`, asking.signal);
  const byUnit = new Map(figures.map((row) => [row[0], row]));
  const buckets = slots.map(({ unitMs, bucket }): LifecycleBucket => {
    const [, isNew = 0, returning = 0, resurrecting = 0] = byUnit.get(unitMs) ?? [];
    const [, , , , dormant = 0] = byUnit.get(bounds[bounds.indexOf(unitMs) - 1] ?? -1) ?? [];
    return { ...bucket, new: isNew, returning, resurrecting, dormant };
  });
  return { definition: plan.definition, asOf: null, buckets };
};
