import { cutOf, slotsOf, widened, type AxisScope, type Extent } from "../../answer/insights/buckets.js";
import { PeriodAxis, unitStarts, type PeriodCut } from "../../answer/insights/retention-periods.js";
import { LIMITS } from "../../../core/base/limits.js";
import type { RetentionPlan } from "../../plan/insights/plan.js";
import type { Range } from "../../plan/plan.js";
import { assert } from "../../../core/base/assert.js";
import type { Retention } from "../../plan/insights/answers.js";
import type { TableSnapshot } from "../../tables/tables.js";
import type { RowContext, Survey } from "../form/report.js";
import { asOfAnswer } from "../insights/as-of-answer.js";
import { rowKeysOf, type RowKeys } from "../insights/row-keys.js";
import { countedEntitiesOf, entitiesByUnit } from "../insights/counted-entities.js";
import { EntitiesOfUnits } from "./entities-of-units.js";
import { firstsByUnit } from "./first-rows.js";
import { membersOf } from "./members.js";
import { PlainRetention } from "./plain-retention.js";
import { RetentionByValues } from "./retention-by-values.js";

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

type SubjectsPart = ReturnType<typeof entitiesByUnit>;
type FirstsPart = ReturnType<typeof firstsByUnit>;

interface RetentionParts {
  readonly [name: string]: SubjectsPart | FirstsPart;
  /** Subjects of the cohort event: before all cohorts, if only the first time counts, and in them. */
  readonly earlier: SubjectsPart;
  readonly cohorts: SubjectsPart;
  /** Replaces both if there is a breakdown: the first cohort event of each subject. */
  readonly firsts: FirstsPart;
  readonly returns: SubjectsPart;
}

const NEVER = { fromMs: 0, toMs: 0 };

const keysOfQuestions = new WeakMap<RowContext, RowKeys>();

/** The same for all parts of a query and its end. */
function keysOf({ breakdown }: RetentionPlan, context: RowContext): RowKeys {
  let keys = keysOfQuestions.get(context);
  if (keys === undefined) keysOfQuestions.set(context, (keys = rowKeysOf(breakdown?.fields ?? [], context)));
  return keys;
}

/** How many members of each cohort come back. Cost: cached spans of days, and a few steps per entity and unit. */
export const retention: Survey<"retention", RetentionParts, TableSnapshot> = {
  kind: "survey",
  needsCompanies: ({ level }) => level === "account",
  read: (_plan, moment) => moment,
  parts: (plan, context) => {
    const { cohortEvent, returnEvent, cohort, breakdown } = plan;
    const times = new RetentionTimes(plan);
    const subjects = countedEntitiesOf(plan.level, context);
    const isFirstTime = cohort === "first_time";
    const made = isFirstTime ? { fromMs: 0, toMs: times.cohorts.toMs } : times.cohorts;
    return {
      earlier: entitiesByUnit({ ...cohortEvent, range: isFirstTime && breakdown === null ? times.earlier : NEVER }, [null], subjects),
      cohorts: entitiesByUnit({ ...cohortEvent, range: breakdown === null ? times.cohorts : NEVER }, [times.cut], subjects),
      firsts: firstsByUnit({ ...cohortEvent, range: breakdown === null ? NEVER : made }, isFirstTime ? null : times.cut, subjects, keysOf(plan, context)),
      returns: entitiesByUnit({ ...returnEvent, range: times.returns }, [times.cut], subjects),
    };
  },
  finish: async ({ firsts, ...states }, plan, context, moment, pause): Promise<Retention> => {
    const { definition, breakdown } = plan;
    const times = new RetentionTimes(plan);
    const subjects = countedEntitiesOf(plan.level, context);
    if (breakdown === null) {
      const { axis, counts } = await new PlainRetention(times, states, subjects, pause).counted();
      return { definition, asOf: asOfAnswer(plan, context), cohorts: axis.cohortsOf(counts), total: axis.totalOf(counts), rows: null, rest: null, valueCount: 0 };
    }
    assert(moment !== null, "a snapshot was read");
    const members = await membersOf(firsts, subjects, moment, pause);
    return { definition, asOf: asOfAnswer(plan, context), ...(await new RetentionByValues(times, breakdown, keysOf(plan, context), new EntitiesOfUnits(subjects), pause).answers(members, states.returns)) };
  },
};
