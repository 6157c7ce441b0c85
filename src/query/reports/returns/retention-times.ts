import { cutOf, slotsOf, widened, type AxisScope, type Extent } from "../../answer/insights/buckets.js";
import { PeriodAxis, unitStarts, type PeriodCut } from "../../answer/insights/retention-periods.js";
import { LIMITS } from "../../../core/base/limits.js";
import type { RetentionPlan } from "../../plan/insights/plan.js";
import type { Range } from "../../plan/plan.js";

/** The time ranges that a retention reads. */
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

  /** The time before all cohorts. */
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
