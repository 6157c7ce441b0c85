import type { ChoicesOf } from "../../state/choices.js";
import { isAnyEvent } from "../../state/event-choice.js";
import type { Scope } from "../../state/scope.js";
import type { FunnelAnswer, PathsAnswer, RetentionAnswer } from "../answers.js";
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
