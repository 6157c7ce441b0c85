import type { ChoicesOf } from "../../state/choices.js";
import { isAnyEvent, type EventChoice } from "../../state/event-choice.js";
import type { ViewScope } from "../../state/scope.js";
import type { FunnelAnswer, LifecycleAnswer, PathsAnswer, RetentionAnswer, StickinessAnswer } from "../answers.js";
import type { PageQuery } from "../page-query.js";
import { insight, selector } from "./scoped.js";

const DAY_SEC = 86_400;
const ROW_COUNT = 10;
const PATH_ROWS = 60;

/** The configured funnel; null if it has fewer than two steps, or one that any event matches. */
export function funnelQuery(scope: ViewScope, { step, order, level, window, by }: ChoicesOf<"funnels">): PageQuery<FunnelAnswer> | null {
  if (step.length < 2 || step.some(isAnyEvent)) return null;
  return insight("funnel", scope, {
    steps: step.map(selector),
    order,
    level,
    conversion_window_sec: window * DAY_SEC,
    breakdown: by === "" ? null : { fields: [by], limit: ROW_COUNT },
  });
}

/** How many members of each cohort come back. */
export function retentionQuery(
  scope: ViewScope,
  { cohort, back, members, returned, unit, periods }: ChoicesOf<"retention">,
): PageQuery<RetentionAnswer> {
  return insight("retention", scope, {
    cohort_event: isAnyEvent(cohort) ? null : selector(cohort),
    return_event: isAnyEvent(back) ? null : selector(back),
    cohort: members,
    returned,
    interval: unit,
    periods,
  });
}

/** New, returning, resurrecting and dormant people by unit of time. */
export function lifecycleQuery(scope: ViewScope, { cohort, unit }: Pick<ChoicesOf<"retention">, "cohort" | "unit">): PageQuery<LifecycleAnswer> {
  return insight("lifecycle", among(scope, cohort), { event_name: cohort.event === "" ? null : cohort.event, interval: unit });
}

/** In how many units of the range people were active. */
export function stickinessQuery(scope: ViewScope, { cohort, unit }: Pick<ChoicesOf<"retention">, "cohort" | "unit">): PageQuery<StickinessAnswer> {
  return insight("stickiness", among(scope, cohort), { event_name: cohort.event === "" ? null : cohort.event, interval: "total", unit });
}

/** The scope with the additional filters of an event choice. */
function among(scope: ViewScope, { filters }: EventChoice): ViewScope {
  return { ...scope, filters: [...scope.filters, ...filters] };
}

/** Paths through visits. */
export function pathsQuery(scope: ViewScope, { node, start, end, depth }: ChoicesOf<"paths">): PageQuery<PathsAnswer> {
  return insight("paths", scope, {
    node: node === "" ? "path" : node,
    start_at: start === "" ? null : start,
    end_at: end === "" || end === start ? null : end,
    max_depth: depth,
    limit: PATH_ROWS,
  });
}
