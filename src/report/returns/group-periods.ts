/* eslint-disable @typescript-eslint/no-non-null-assertion -- groups and periods are bounded by their numbers */
import type { PeriodAxis } from "../../answer/insights/retention-periods.js";
import type { RetentionPeriod } from "../../plan/insights/answers.js";

/** Totals of groups of members, over those cohorts whose period is over. */
export class GroupPeriods {
  /** By group and period: those of whom it is the last one that is over, and the last one that is over in which they came back. */
  readonly #members: Uint32Array;
  readonly #furthest: Uint32Array;
  /** Those who came back in it. */
  readonly #returned: Uint32Array;
  readonly #width: number;

  constructor(
    readonly axis: PeriodAxis,
    groupCount: number,
  ) {
    this.#width = axis.periodCount + 1;
    this.#members = new Uint32Array(groupCount * this.#width);
    this.#furthest = new Uint32Array(groupCount * this.#width);
    this.#returned = new Uint32Array(groupCount * this.#width);
  }

  /** A member of a group whose cohort is that of a unit. */
  addMember(group: number, unit: number): void {
    const period = this.#lastOver(unit, this.axis.periodCount);
    if (period >= 0) this.#members[group * this.#width + period]! += 1;
  }

  /** A member came back in a period. */
  addReturn(group: number, unit: number, period: number): void {
    if (unit + period < this.axis.overCount) this.#returned[group * this.#width + period]! += 1;
  }

  /** A member came back in all periods up to one, which may be beyond the last. */
  addReturns(group: number, unit: number, period: number): void {
    const last = this.#lastOver(unit, period);
    if (last > 0) this.#furthest[group * this.#width + last]! += 1;
  }

  totalOf(group: number): RetentionPeriod[] {
    const from = group * this.#width;
    const [of, returned] = [new Float64Array(this.#width), new Float64Array(this.#width)];
    let [members, furthest] = [0, 0];
    for (let period = this.#width - 1; period >= 0; period -= 1) {
      of[period] = members += this.#members[from + period]!;
      furthest += this.#furthest[from + period]!;
      returned[period] = period === 0 ? members : furthest + this.#returned[from + period]!;
    }
    return this.axis.shown((period) => ({ of: of[period]!, entities: returned[period]! }));
  }

  /** The last period that is over of a cohort, up to one; below 0 for none. */
  #lastOver(unit: number, period: number): number {
    return Math.min(period, this.axis.periodCount, this.axis.overCount - 1 - unit);
  }
}
