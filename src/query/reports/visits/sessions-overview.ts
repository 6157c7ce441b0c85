import type { SessionsOverview } from "../../plan/insights/answers.js";
/* eslint-disable @typescript-eslint/no-non-null-assertion -- each kind of keys has a list */
import { ListedSessions, type VisitCounting, type Visits, type RequestedSessions } from "../../answer/visits/visits.js";
import { sessionsAnswer } from "../../answer/visits/sessions-answer.js";
import { Scratch } from "../../../core/base/scratch.js";
import type { SessionsOverviewPlan } from "../../plan/insights/plan.js";
import type { SessionView } from "../../tables/sessions/session-view.js";
import { asOfAnswer, type Pass, type RowContext, type MultiPass } from "../form/report.js";
import { rowKeysOf, type RowKeys } from "../insights/row-keys.js";
import { CachedSessions } from "./cached-sessions.js";
import { keysOfVisits, urlsOfVisits, isFiltered, marksOf, visitsOf, type SessionMarks } from "./visits.js";

/** Above this number of urls, each query computes the paths itself: caching them would take too much memory. */
const URL_COUNT_MAX = 64 * 1024;
/** Memory per url: its path of about 40 characters, and its lookup entry. */
const BYTES_PER_URL = 200;

/** The keys of url paths, computed once per url while sessions are cached. */
function keptPaths({ kept }: SessionView, context: RowContext): RowKeys {
  const urlCount = context.dictionaries.named("url").size;
  const make = () => rowKeysOf([{ kind: "path" }], context);
  return urlCount > URL_COUNT_MAX ? make() : kept.lasting("paths", make, urlCount * BYTES_PER_URL);
}

type OverviewParts = Readonly<Record<string, Pass<SessionMarks>>>;

/** Numbers and durations of the sessions that start in the range, over time and by the values of their first events. */
export const sessionsOverview: MultiPass<SessionsOverviewPlan, SessionsOverview, OverviewParts, SessionView> = {
  kind: "multi_pass",
  needsCompanies: ({ breakdown }) => breakdown?.fields.some(({ kind }) => kind === "companyId") === true,
  read: (plan, moment, missing) => moment.tables.sessions(plan, moment, missing),
  parts: (plan, _context, view) => (isFiltered(plan) ? { marks: marksOf(plan, plan.range, view) } : {}),
  finish: ({ marks = null }, plan, context, view, pause) =>
    Scratch.of(async (scratch) => {
      const counting = { scratch, pause };
      const asked = await askedOf(plan, marks, view, context, counting);
      const groups = rowKeysOf(plan.breakdown?.fields ?? [], context);
      const of = {
        paths: keptPaths(view, context),
        groups,
        // The visits come from `asked`.
        keysOf: async (visits: Visits) => (await keysOfVisits(visits as Visits<SessionView>, [groups], scratch, pause))[0]!,
      };
      const answer = await sessionsAnswer(asked, plan, of, counting);
      return { definition: plan.definition, asOf: asOfAnswer(plan, context), ...answer };
    }),
};

/** Sessions selected by filters are read one by one. */
async function askedOf(
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
