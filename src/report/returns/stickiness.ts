import { cutOf, slotsOf, type Slot } from "../../answer/insights/buckets.js";
import { stickinessOf } from "../../answer/insights/stickiness-units.js";
import type { StickinessPlan } from "../../plan/insights/plan.js";
import type { StickinessBucket } from "../../plan/insights/answers.js";
import type { Survey } from "../form/report.js";
import { asOfAnswer } from "../insights/as-of-answer.js";
import type { RowCut } from "../insights/row-units.js";
import { subjectsOf } from "../insights/subjects.js";
import { BitsOfUnits } from "./bits-of-units.js";
import { subjectsByUnit, type SubjectsByUnit } from "../insights/subjects-by-unit.js";
import { extentOf } from "../insights/unit-extent.js";
import { UnitCounts } from "./unit-counts.js";

interface StickinessParts {
  readonly [name: string]: ReturnType<typeof subjectsByUnit>;
  readonly active: ReturnType<typeof subjectsByUnit>;
}

/** A week may lie in two months, quarters and years: in each it counts as far as it lies inside. All other units lie in one of their interval. */
function cutsOf({ calendar, unit, interval }: StickinessPlan): [RowCut, ...RowCut[]] {
  const cut = cutOf(calendar, unit);
  return unit === "week" && interval !== "total" ? [cut, cutOf(calendar, interval)] : [cut];
}

/** In how many units each entity was active. Cost: what is kept of spans of days, a look at 32 entities of a unit at once, and at each entity. */
export const stickiness: Survey<"stickiness", StickinessParts> = {
  kind: "survey",
  needsCompanies: ({ level }) => level === "account",
  parts: (plan, context) => ({ active: subjectsByUnit(plan, cutsOf(plan), subjectsOf(plan.level, context)) }),
  finish: async ({ active }, plan, context, _read, pause) => {
    const slots = slotsOf(plan, plan.interval, extentOf(active.keys(), plan.range));
    const entities = new BitsOfUnits(subjectsOf(plan.level, context));
    const counts = new UnitCounts(entities.wordCount);
    const buckets: StickinessBucket[] = [];
    for (const { slot, units } of unitsOfSlots(slots, active)) {
      counts.begin();
      for (const unit of units) {
        counts.add(entities.of(unit));
        await pause();
      }
      buckets.push({ ...slot.bucket, ...stickinessOf(await counts.histogram(pause)) });
    }
    return { definition: plan.definition, asOf: asOfAnswer(plan, context), buckets };
  },
};

/** The units of each bucket, one after the other. */
function* unitsOfSlots(slots: readonly Slot[], active: SubjectsByUnit) {
  const starts = [...active.keys()].sort((a, b) => a - b);
  let at = 0;
  for (const slot of slots) {
    const from = at;
    while (at < starts.length && (starts[at] ?? 0) < slot.toMs) at += 1;
    yield { slot, units: starts.slice(from, at).map((unitMs) => active.get(unitMs) ?? []) };
  }
}
