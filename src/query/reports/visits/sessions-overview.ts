import type { SessionsOverview } from "../../plan/insights/answers.js";
/* eslint-disable @typescript-eslint/no-non-null-assertion -- each kind of keys has a list */
import { ListedSessions, type VisitCounting, type Visits, type RequestedSessions } from "../../answer/visits/visits.js";
import { sessionsAnswer } from "../../answer/visits/sessions-answer.js";
import { Scratch } from "../../../core/base/scratch.js";
import type { SessionsOverviewPlan } from "../../plan/insights/plan.js";
import type { SessionView } from "../../tables/sessions/session-view.js";
import { asOfAnswer, type Report, type RowContext, type StateOf } from "../form/report.js";
import { rowKeysOf, type RowKeys } from "../insights/row-keys.js";
import { CachedSessions } from "./cached-sessions.js";
import { keysOfVisits, urlsOfVisits, isFiltered, marksOf, visitsOf, type SessionMarks } from "./visits.js";

/** Above this number of urls, each query computes the paths itself: caching them would take too much memory. */
const URL_COUNT_MAX = 64 * 1024;
/** Memory per url: its path of about 40 characters, and its lookup entry. */
const BYTES_PER_URL = 200;

/** The keys of url paths, computed once per url while sessions are cached. */
function cachedPaths({ cache }: SessionView, context: RowContext): RowKeys {
  const urlCount = context.dictionaries.named("url").size;
  const make = () => rowKeysOf([{ kind: "path" }], context);
  return urlCount > URL_COUNT_MAX ? make() : cache.lasting("paths", make, urlCount * BYTES_PER_URL);
}

/** Numbers and durations of the sessions that start in the range, over time and by the values of their first events. */
export const sessionsOverview: Report<SessionsOverviewPlan, SessionsOverview> = {
  readsTables: true,
  prepare: (plan, context, pending) => {
    const view = context.tables.sessions(plan, context, pending);
    if (view === null) return null;
    const marks = isFiltered(plan) ? marksOf(plan, plan.range, view) : null;
    const finish = (stateOf: StateOf) =>
      Scratch.of(async (scratch) => {
        const counting = { scratch, pause: context.pause };
        const requested = await requestedSessions(plan, marks === null ? null : stateOf(marks), view, context, counting);
        const groups = rowKeysOf(plan.breakdown?.fields ?? [], context);
        const of = {
          paths: cachedPaths(view, context),
          groups,
          // The visits are requested sessions.
          keysOf: async (visits: Visits) => (await keysOfVisits(visits as Visits<SessionView>, [groups], scratch, context.pause))[0]!,
        };
        const answer = await sessionsAnswer(requested, plan, of, counting);
        return { definition: plan.definition, asOf: asOfAnswer(plan, context), ...answer };
      });
    return { passes: marks === null ? [] : [marks], finish };
  },
};

async function requestedSessions(
  plan: SessionsOverviewPlan,
  marks: SessionMarks | null,
  view: SessionView,
  context: RowContext,
  counting: VisitCounting,
): Promise<RequestedSessions> {
  if (marks === null) return new CachedSessions(plan, view, context, counting);
  const { scratch, pause } = counting;
  const visits = await visitsOf(plan, plan.range, marks, view, context, scratch, pause);
  return new ListedSessions(visits, (end) => urlsOfVisits(visits, end, scratch, pause), counting);
}
