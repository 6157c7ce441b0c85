import type { ChoicesOf } from "../../state/choices.js";
import { isAnyEvent, type EventChoice } from "../../state/event-choice.js";
import type { Scope } from "../../state/scope.js";
import type { FunnelAnswer, LifecycleAnswer, PathsAnswer, RetentionAnswer, StickinessAnswer } from "../answers.js";
import type { Question } from "../question.js";
import { insight, selector } from "./scoped.js";

const DAY_SEC = 86_400;
const ROW_COUNT = 10;
const PATH_ROWS = 60;

/** The funnel that was built; null while it has fewer than two steps that say something. */
export function funnelQuestion(scope: Scope, { step, order, level, window, by }: ChoicesOf<"funnels">): Question<FunnelAnswer> | null {
  if (step.length < 2 || step.some(isAnyEvent)) return null;
  return insight("funnel", scope, {
    steps: step.map(selector),
    order,
    level,
    conversion_window_sec: window * DAY_SEC,
    breakdown: by === "" ? null : { fields: [by], limit: ROW_COUNT },
  });
}

/** Who came back. */
export function retentionQuestion(
  scope: Scope,
  { cohort, back, members, returned, unit, periods }: ChoicesOf<"retention">,
): Question<RetentionAnswer> {
  return insight("retention", scope, {
    cohort_event: isAnyEvent(cohort) ? null : selector(cohort),
    return_event: isAnyEvent(back) ? null : selector(back),
    cohort: members,
    returned,
    interval: unit,
    periods,
  });
}

/** Who is new in a unit of time, stays, comes again or stays away. */
export function lifecycleQuestion(scope: Scope, { cohort, unit }: Pick<ChoicesOf<"retention">, "cohort" | "unit">): Question<LifecycleAnswer> {
  return insight("lifecycle", among(scope, cohort), { event_name: cohort.event === "" ? null : cohort.event, interval: unit });
}

/** On how many units of the range somebody was active. */
export function stickinessQuestion(scope: Scope, { cohort, unit }: Pick<ChoicesOf<"retention">, "cohort" | "unit">): Question<StickinessAnswer> {
  return insight("stickiness", among(scope, cohort), { event_name: cohort.event === "" ? null : cohort.event, interval: "total", unit });
}

/** The scope with the filters of a choice of events. */
function among(scope: Scope, { filters }: EventChoice): Scope {
  return { ...scope, filters: [...scope.filters, ...filters] };
}

/** Ways through visits. */
export function pathsQuestion(scope: Scope, { node, start, end, depth }: ChoicesOf<"paths">): Question<PathsAnswer> {
  return insight("paths", scope, {
    node: node === "" ? "path" : node,
    start_at: start === "" ? null : start,
    end_at: end === "" || end === start ? null : end,
    max_depth: depth,
    limit: PATH_ROWS,
  });
}
