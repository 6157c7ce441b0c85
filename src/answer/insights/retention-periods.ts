/* eslint-disable @typescript-eslint/no-non-null-assertion -- cohorts and periods are bounded by their numbers */
import { MS_PER_DAY } from "../../base/time.js";
import { axisOf, type TimeCut } from "../../calendar/axis.js";
import type { Retention, RetentionPeriod } from "../../plan/insights/answers.js";
import { rateOf } from "../numbers/shown.js";
import type { Slot } from "./buckets.js";

/** Members of some cohorts, and how many of them came back. */
export interface CohortCounts {
  /** By cohort. */
  readonly sizes: Uint32Array;
  /** By cohort and period, as `PeriodAxis.placeOf` has it; those of period 0 mean nothing. */
  readonly returned: Uint32Array;
}

/** The longest units of a calendar: a day that a zone repeats is two. */
const LONGEST_DAYS = { day: 2, week: 8, month: 32 } as const;

/** Cuts time into periods. */
export type PeriodCut = TimeCut & { readonly unit: keyof typeof LONGEST_DAYS };

/** Cohorts, and the units of the calendar that are periods behind them. A unit is told by its number: that of the first cohort is 0. */
export class PeriodAxis {
  /** Where units begin: one more than there are periods of any cohort. */
  readonly bounds: Float64Array;
  /** Units that are over: those whose number is below. */
  readonly overCount: number;

  /** @param slots the cohorts @param periodCount periods behind a cohort's own */
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

  /** Units in which something may be a return that is told of by itself, cohorts included. */
  get unitCount(): number {
    return Math.max(0, this.bounds.length - 1);
  }

  /** The number of the unit that begins then; of one that is later than all, how many there are. */
  unitOf(startMs: number): number {
    let [low, high] = [0, this.unitCount];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.bounds[middle]! < startMs) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  placeOf(cohort: number, period: number): number {
    return cohort * (this.periodCount + 1) + period;
  }

  newCounts(): CohortCounts {
    return { sizes: new Uint32Array(this.cohortCount), returned: new Uint32Array(this.placeOf(this.cohortCount, 0)) };
  }

  /** Cohorts with the number of their members, and their periods. */
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

  /** How many cohorts there are whose period is over: the first ones. */
  overCohorts(period: number): number {
    return Math.min(Math.max(this.overCount - period, 0), this.cohortCount);
  }

  /** The sums over those cohorts whose period is over. */
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

  /** Periods of several cohorts together. */
  shown(sumsOf: (period: number) => { readonly of: number; readonly entities: number }): RetentionPeriod[] {
    return Array.from({ length: this.periodCount + 1 }, (_, period): RetentionPeriod => {
      const { of, entities } = sumsOf(period);
      return { of, entities, rate: rateOf(entities, of), incomplete: this.overCohorts(period) < this.cohortCount };
    });
  }
}

/** Where units begin, from that of the first instant on. @param count of these, which are at most so many more units behind the last instant */
export function unitStarts(cut: PeriodCut, firstMs: number, lastMs: number, count: number, behind: number): Float64Array {
  const toMs = lastMs + (behind + 2) * LONGEST_DAYS[cut.unit] * MS_PER_DAY;
  return axisOf(cut, firstMs, toMs, Infinity)?.bounds.slice(0, count) ?? new Float64Array(0);
}

/**
 * Of each cohort, how many came back in a period or later.
 * @param furthest how many came back in that period last, those beyond the last one in it
 */
export function orAfter(axis: PeriodAxis, furthest: CohortCounts): CohortCounts {
  const returned = furthest.returned.slice();
  for (let cohort = 0; cohort < axis.cohortCount; cohort += 1)
    for (let period = axis.periodCount - 1; period > 0; period -= 1) returned[axis.placeOf(cohort, period)]! += returned[axis.placeOf(cohort, period + 1)]!;
  return { sizes: furthest.sizes, returned };
}
