/* eslint-disable @typescript-eslint/no-non-null-assertion -- each kind of keys has a list */
import { sessionsAnswer } from "../../answer/visits/sessions-answer.js";
import { Scratch } from "../../base/scratch.js";
import type { SessionView } from "../../table/sessions/session-view.js";
import type { Part } from "../form/part.js";
import type { Survey } from "../form/report.js";
import { asOfAnswer } from "../insights/as-of-answer.js";
import { rowKeysOf } from "../insights/row-keys.js";
import { keysOfVisits, urlsOfVisits } from "./keys-of-visits.js";
import { isFiltered, marksOf, visitsOf, type SessionMarks } from "./visits.js";

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
      const groups = rowKeysOf(plan.breakdown?.fields ?? [], context);
      const of = {
        paths: rowKeysOf([{ kind: "path" }], context),
        pagesAt: (end: "entry" | "exit") => urlsOfVisits(visits, end, scratch),
        groups,
        keys: async () => (await keysOfVisits(visits, [groups], scratch, pause))[0]!,
      };
      const answer = await sessionsAnswer(visits, plan, of, { scratch, pause });
      return { definition: plan.definition, asOf: asOfAnswer(plan, context), ...answer };
    }),
};
