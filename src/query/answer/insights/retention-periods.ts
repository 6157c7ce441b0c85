import { MS_PER_DAY } from "../../../core/base/time.js";
import { firstAtLeast } from "../../../core/base/search.js";
import { axisOf, type TimeCut } from "../../../core/calendar/axis.js";
import type { Retention, RetentionPeriod, StickinessBucket } from "../../plan/insights/answers.js";
import { LIMITS } from "../../../core/base/limits.js";
import type { RetentionPlan } from "../../plan/insights/plan.js";
import type { Range } from "../../plan/plan.js";
import { rateOf } from "../numbers.js";
import { cutOf, slotsOf, widened, type AxisScope, type Extent, type Slot } from "./buckets.js";

/* eslint-disable @typescript-eslint/no-non-null-assertion -- cohorts and periods are bounded by their numbers */
/** The sizes of cohorts, and how many of their members returned. */
export interface CohortCounts {
  readonly sizes: Uint32Array;
  /** By cohort and period, at the indexes of `PeriodAxis.placeOf`; entries of period 0 are not used. */
  readonly returned: Uint32Array;
}

/** The greatest lengths of calendar units in days: a day that a zone repeats counts as two. */
const LONGEST_DAYS = { day: 2, week: 8, month: 32 } as const;

type PeriodCut = TimeCut & { readonly unit: keyof typeof LONGEST_DAYS };

/** Cohorts, and the calendar units that are the periods after them. Units are numbered; that of the first cohort is 0. */
export class PeriodAxis {
  readonly bounds: Float64Array;
  readonly overCount: number;

  /** @param slots the cohorts @param periodCount periods after a cohort's own */
  constructor(
    readonly slots: readonly Slot[],
    readonly periodCount: number,
    cut: PeriodCut,
    readonly nowMs: number,
  ) {
    const [first, last] = [slots[0], slots.at(-1)];
    this.bounds = first === undefined || last === undefined ? new Float64Array(0) : unitStarts(cut, first.unitMs, last.unitMs, slots.length + periodCount + 1, periodCount);
    const unfinished = this.bounds.findIndex((startMs) => startMs - 1 >= nowMs);
    this.overCount = Math.max(0, unfinished === -1 ? this.unitCount : unfinished - 1);
  }

  get cohortCount(): number {
    return this.slots.length;
  }

  get unitCount(): number {
    return Math.max(0, this.bounds.length - 1);
  }

  /** The number of the unit that begins at an instant; the number of units for one later than all. */
  unitOf(startMs: number): number {
    return Math.min(firstAtLeast(this.bounds, startMs), this.unitCount);
  }

  placeOf(cohort: number, period: number): number {
    return cohort * (this.periodCount + 1) + period;
  }

  newCounts(): CohortCounts {
    return { sizes: new Uint32Array(this.cohortCount), returned: new Uint32Array(this.placeOf(this.cohortCount, 0)) };
  }

  cohortsOf({ sizes, returned }: CohortCounts): Retention["cohorts"] {
    return this.slots.map(({ bucket }, cohort) => {
      const size = sizes[cohort]!;
      const periods = Array.from({ length: this.periodCount + 1 }, (_, period): RetentionPeriod => {
        const isBegun = period === 0 || this.bounds[cohort + period]! <= this.nowMs;
        const entities = !isBegun ? null : period === 0 ? size : returned[this.placeOf(cohort, period)]!;
        return { of: size, entities, rate: entities === null ? null : rateOf(entities, size), incomplete: cohort + period >= this.overCount };
      });
      return { bucket, size, periods };
    });
  }

  /** Number of cohorts whose period is over: the first ones. */
  overCohorts(period: number): number {
    return Math.min(Math.max(this.overCount - period, 0), this.cohortCount);
  }

  /** The sums over the cohorts whose period is over. */
  totalOf({ sizes, returned }: CohortCounts): RetentionPeriod[] {
    return this.shown((period) => {
      let [of, entities] = [0, 0];
      for (let cohort = 0; cohort < this.overCohorts(period); cohort += 1) {
        of += sizes[cohort]!;
        entities += period === 0 ? sizes[cohort]! : returned[this.placeOf(cohort, period)]!;
      }
      return { of, entities };
    });
  }

  shown(sumsOf: (period: number) => { readonly of: number; readonly entities: number }): RetentionPeriod[] {
    return Array.from({ length: this.periodCount + 1 }, (_, period): RetentionPeriod => {
      const { of, entities } = sumsOf(period);
      return { of, entities, rate: rateOf(entities, of), incomplete: this.overCohorts(period) < this.cohortCount };
    });
  }
}

export class RetentionTimes {
  readonly cut: PeriodCut;
  /** The range of the cohorts, widened to whole units. */
  readonly whole: AxisScope;

  constructor(readonly plan: RetentionPlan) {
    this.cut = { ...cutOf(plan.calendar, plan.interval), unit: plan.interval };
    this.whole = widened(plan, plan.interval);
  }

  get cohorts(): Range {
    return this.whole.range;
  }

  get earlier(): Range {
    return { fromMs: 0, toMs: this.cohorts.fromMs };
  }

  /** The time in which entities may come back: open-ended if every later time counts. */
  get returns(): Range {
    const { periods, returned } = this.plan;
    const { fromMs, toMs } = this.cohorts;
    if (this.whole.isOpen.end || returned === "on_or_after") return { fromMs, toMs: LIMITS.instantMaxMs };
    const endMs = unitStarts(this.cut, toMs - 1, toMs - 1, periods + 2, periods).at(-1) ?? LIMITS.instantMaxMs;
    return { fromMs, toMs: Math.min(LIMITS.instantMaxMs, endMs) };
  }

  /** @param extent of the units with members @throws invalid_parameter (too many cohorts) */
  axisOf(extent: Extent | null): PeriodAxis {
    return new PeriodAxis(slotsOf(this.whole, this.plan.interval, extent), this.plan.periods, this.cut, this.plan.nowMs);
  }
}

/** The starts of units, from that of the first instant on. @param count of these, which must end at most `behind` units after the last instant */
function unitStarts(cut: PeriodCut, firstMs: number, lastMs: number, count: number, behind: number): Float64Array {
  const toMs = lastMs + (behind + 2) * LONGEST_DAYS[cut.unit] * MS_PER_DAY;
  return axisOf(cut, firstMs, toMs, Infinity)?.bounds.slice(0, count) ?? new Float64Array(0);
}

/** By cohort, how many members returned in a period or later. @param furthest by the last period with a return */
export function orAfter(axis: PeriodAxis, furthest: CohortCounts): CohortCounts {
  const returned = furthest.returned.slice();
  for (let cohort = 0; cohort < axis.cohortCount; cohort += 1)
    for (let period = axis.periodCount - 1; period > 0; period -= 1) returned[axis.placeOf(cohort, period)]! += returned[axis.placeOf(cohort, period + 1)]!;
  return { sizes: furthest.sizes, returned };
}
/* eslint-enable @typescript-eslint/no-non-null-assertion */

/** The figures of a bucket. @param histogram entities by their number of units; the entry of 0 is not used */
export function stickinessOf(histogram: readonly number[]): Pick<StickinessBucket, "entities" | "avg" | "units"> {
  const units: StickinessBucket["units"][number][] = [];
  let [entities, sum] = [0, 0];
  for (let count = histogram.length - 1; count > 0; count -= 1) {
    const own = histogram[count] ?? 0;
    if (own === 0) continue;
    entities += own;
    sum += own * count;
    units.push({ units: count, entities: own, atLeast: entities });
  }
  // Both are exact integers, so their quotient is the nearest double.
  return { entities, avg: entities === 0 ? null : sum / entities, units: units.reverse() };
}
