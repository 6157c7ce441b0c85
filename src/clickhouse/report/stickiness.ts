import { cutOf, slotsOf } from "../../query/answer/insights/buckets.js";
import { stickinessOf } from "../../query/answer/insights/stickiness-units.js";
import { LIMITS } from "../../core/base/limits.js";
import { axisOf } from "../../core/calendar/axis.js";
import { sql } from "../sql/sql.js";
import { entityRows, extentOf, unitOf } from "./entity-rows.js";
import { refuseAsOf, type StatementReport } from "./report.js";

/** In how many units each entity was active. */
export const stickiness: StatementReport<"stickiness"> = async (plan, asking) => {
  refuseAsOf(plan);
  const cut = cutOf(plan.calendar, plan.unit);
  const { range, isOpen } = plan;
  const ofRange = isOpen.start || isOpen.end ? null : axisOf(cut, range.fromMs, range.toMs, LIMITS.bucketCount);
  // In an open range, or one of very many units, only those between the first and the last event.
  const extent = ofRange === null ? await extentOf(entityRows([plan], plan.level, () => sql`1`, asking), asking) : null;
  const slots = slotsOf(plan, plan.interval, extent);
  const bucketsOf = (histogramOf: (unitMs: number) => readonly number[]) =>
    slots.map(({ unitMs, bucket }) => ({ ...bucket, ...stickinessOf(histogramOf(unitMs)) }));
  const axis = extent === null ? ofRange : axisOf(cut, extent.firstMs, extent.lastMs + 1, Infinity);
  if (axis === null) return { definition: plan.definition, asOf: null, buckets: bucketsOf(() => []) };
  const starts = plan.interval === "total" ? [0] : slots.map(({ unitMs }) => unitMs);
  // A unit that two buckets share counts in both.
  const units = sql`${unitOf([...axis.bounds])} AS unit, ${unitOf(starts)} AS slot`;
  const active = entityRows([plan], plan.level, () => units, asking);
  const counts = sql`SELECT slot, entity, uniqExact(unit) AS units FROM (${active}) GROUP BY slot, entity`;
  const statement = sql`SELECT slot, units, count() FROM (${counts}) GROUP BY slot, units`;
  const rows = await asking.connection.rows<[number, number, number]>(statement, asking.signal);
  const histograms = new Map<number, number[]>();
  for (const [slot, count, entities] of rows) {
    const histogram = histograms.get(slot) ?? [];
    histogram[count] = entities;
    histograms.set(slot, histogram);
  }
  return { definition: plan.definition, asOf: null, buckets: bucketsOf((unitMs) => histograms.get(unitMs) ?? []) };
};
