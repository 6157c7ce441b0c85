/* eslint-disable @typescript-eslint/no-non-null-assertion -- keys are below the length of their counts */
import { slotsOf } from "../../answer/insights/buckets.js";
import { combinationsOf, greatestOf, restOf } from "../../answer/insights/combinations.js";
import { rateOf } from "../../answer/numbers/shown.js";
import { Scratch } from "../../base/scratch.js";
import type { SessionPage, SessionsOverview } from "../../plan/insights/answers.js";
import type { SessionsOverviewPlan } from "../../plan/insights/plan.js";
import type { SessionView } from "../../table/sessions/session-view.js";
import type { Part } from "../form/part.js";
import type { RowContext, Survey } from "../form/report.js";
import { asOfAnswer } from "../insights/as-of-answer.js";
import { inPieces } from "../insights/in-pieces.js";
import { rowKeysOf, type RowKeys } from "../insights/row-keys.js";
import { keysOfVisits, urlsOfVisits } from "./keys-of-visits.js";
import { sessionFigures, UserCounter } from "./session-figures.js";
import { greatest, groupsOfKeys } from "./visit-list.js";
import { VisitsByKey } from "./visits-by-key.js";
import { isFiltered, marksOf, visitsOf, type SessionMarks, type Visits, type Counting } from "./visits.js";

type OverviewParts = Readonly<Record<string, Part<SessionMarks>>>;

/** Sessions that start in the range, counted and timed, over time and by the values of their first events. */
export const sessionsOverview: Survey<"sessionsOverview", OverviewParts, SessionView> = {
  kind: "survey",
  tables: () => ["sessions"],
  needsCompanies: ({ breakdown }) => breakdown?.fields.some(({ kind }) => kind === "companyId") === true,
  read: (plan, moment, missing) => moment.tables.sessions(plan, moment, missing),
  parts: (plan, _context, view) => (isFiltered(plan) ? { marks: marksOf(plan, plan.range, view) } : {}),
  finish: ({ marks = null }, plan, context, view, pause) =>
    Scratch.of(async (scratch) => {
      const visits = await visitsOf(plan, plan.range, marks, view, context, scratch, pause);
      const users = new UserCounter(scratch);
      const figuresOf = (some: Visits) => sessionFigures(some, users, pause);
      const slots = slotsOf(plan, plan.interval, visits.extent);
      const path = rowKeysOf([{ kind: "path" }], context);
      const buckets: SessionsOverview["buckets"][number][] = [];
      for (const slot of slots) {
        buckets.push({ ...slot.bucket, ...(await figuresOf(visits.within(slot))) });
      }
      const total = await figuresOf(visits);
      const pages = { path, limit: plan.limit, scratch, pause };
      const entryPages = await pagesOf(visits, "entry", pages);
      const exitPages = await pagesOf(visits, "exit", pages);
      return {
        definition: plan.definition,
        asOf: asOfAnswer(plan, context),
        buckets,
        total,
        ...(await rowsOf(visits, plan, context, figuresOf, { scratch, pause })),
        entryPages,
        exitPages,
      };
    }),
};

type Breakdown = Pick<SessionsOverview, "rows" | "rest" | "valueCount">;

/** By the values of first events. */
async function rowsOf(
  visits: Visits,
  { breakdown }: SessionsOverviewPlan,
  context: RowContext,
  figuresOf: (visits: Visits) => Promise<SessionsOverview["total"]>,
  { scratch, pause }: Counting,
): Promise<Breakdown> {
  if (breakdown === null) return { rows: null, rest: null, valueCount: 0 };
  const keys = rowKeysOf(breakdown.fields, context);
  const [keyOfVisit] = await keysOfVisits(visits, [keys], scratch, pause);
  const byKey = new VisitsByKey(visits, keyOfVisit!);
  const all = combinationsOf(byKey.keys, keys);
  const sizes = Float64Array.from(all, (combination) => byKey.countOf(combination.keys));
  const shown = greatestOf(all, sizes, breakdown.limit);
  const rows: { values: readonly string[]; figures: SessionsOverview["total"] }[] = [];
  for (const { values, keys: own } of shown) {
    rows.push({ values, figures: await figuresOf(byKey.of(own)) });
  }
  return { rows, rest: breakdown.rest ? await figuresOf(byKey.of(restOf(all, new Set(shown)))) : null, valueCount: all.length };
}

/** Pages by the sessions that begin, or end, there. */
async function pagesOf(visits: Visits, end: "entry" | "exit", { path, limit, scratch, pause }: Counting & { readonly path: RowKeys; readonly limit: number }): Promise<SessionPage[]> {
  const { view, sessions } = visits;
  const { eventCounts } = view.facts;
  const keyOfVisit = urlsOfVisits(visits, end, scratch);
  await pause();
  const { groupOfKey, numbers } = groupsOfKeys(keyOfVisit, path);
  const [counts, bounces] = [new Uint32Array(numbers.length), new Uint32Array(numbers.length)];
  await inPieces(keyOfVisit.length, pause, (from, to) => {
    for (let at = from; at < to; at += 1) {
      const group = groupOfKey[keyOfVisit[at]!]!;
      counts[group]! += 1;
      if (eventCounts[sessions[at]!] === 1) bounces[group]! += 1;
    }
  });
  const shown = greatest(counts, counts, (group) => path.valuesOfGroup(numbers[group]!)[0]!, limit);
  return shown.map(({ place, value }) => {
    const [count, bounced] = [counts[place]!, bounces[place]!];
    return { value, sessions: count, bounces: bounced, bounceRate: rateOf(bounced, count) };
  });
}
