/* eslint-disable @typescript-eslint/no-non-null-assertion -- sessions are bounded by their list */
import { Visits } from "../../answer/visits/visits.js";
import { inChunks } from "../../../core/base/in-chunks.js";
import { LIMITS } from "../../../core/base/limits.js";
import type { Scratch } from "../../../core/base/scratch.js";
import { select } from "../../filter/select.js";
import { selectedRows } from "../../filter/selected-rows.js";
import type { Range, QueryScope, SessionRule } from "../../plan/plan.js";
import { mergedByStart } from "../../tables/sessions/by-start.js";
import type { SessionView } from "../../tables/sessions/session-view.js";
import type { Pass } from "../form/pass.js";
import type { RowContext } from "../form/report.js";

/** One bit per session. */
export type SessionMarks = Uint32Array;

type VisitScope = QueryScope & { readonly session: SessionRule };

/** Whether sessions need a matching event; without filters each has one. */
export function isFiltered({ eventName, where }: QueryScope): boolean {
  return eventName !== null || where.length > 0;
}

/** Marks the sessions that have a matching event. Cost: about 5 ns per matching row. */
export function marksOf(plan: VisitScope, range: Range, view: SessionView): Pass<SessionMarks> {
  // Events lie at most `maxMs` after the start of their session.
  const toMs = Math.min(range.toMs + plan.session.maxMs, LIMITS.instantMaxMs);
  return {
    scopes: [{ ...plan, range: { fromMs: range.fromMs, toMs } }],
    columns: [],
    begin: () => new Uint32Array((view.count + 31) >>> 5),
    scan: (marks, rows, [selector]) => {
      const sessions = view.rowSessions(rows);
      const selected = selectedRows(select(rows, selector!));
      for (let at = 0; at < selected.length; at += 1) {
        const session = sessions.of(selected[at]!);
        if (session >= 0) marks[session >>> 5]! |= 1 << (session & 31);
      }
    },
  };
}

/** Null for all projects. */
export function projectCodeOf({ project }: QueryScope, { dictionaries }: RowContext): number | null {
  return project === null ? null : dictionaries.named("project").codeOf(project);
}

/** Tests whether a session exists, belongs to the project and is marked. */
export function testOf(projectCode: number | null, marks: SessionMarks | null, view: SessionView): (session: number) => boolean {
  const { projects } = view.facts;
  return (session) =>
    view.isAlive(session) &&
    (projectCode === null || projects[session] === projectCode) &&
    (marks === null || (marks[session >>> 5]! & (1 << (session & 31))) !== 0);
}

/**
 * The sessions of a project that start in a range and are marked. Cost: one read per session that starts there.
 * @param marks null: all
 * @param scratch holds the result
 */
export async function visitsOf(
  scope: QueryScope,
  { fromMs, toMs }: Range,
  marks: SessionMarks | null,
  view: SessionView,
  context: RowContext,
  scratch: Scratch,
  pause: () => Promise<void>,
): Promise<Visits<SessionView>> {
  const { facts, others } = view;
  const isAsked = testOf(projectCodeOf(scope, context), marks, view);
  const [first, end] = [view.firstAt(fromMs), view.firstAt(toMs)];
  const found = scratch.take(end - first);
  let count = 0;
  await inChunks(found.length, pause, (from, to) => {
    for (let session = first + from; session < first + to; session += 1) {
      found[count] = session;
      if (isAsked(session)) count += 1;
    }
  });
  const foundOthers = others.subarray(view.firstOtherAt(fromMs), view.firstOtherAt(toMs)).filter(isAsked);
  await pause();
  return new Visits(view, mergedByStart(found.subarray(0, count), foundOthers, facts.starts, (length) => scratch.take(length)));
}
