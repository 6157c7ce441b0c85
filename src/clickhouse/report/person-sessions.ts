import { sessionize } from "../../query/answer/sessionize.js";
import { LIMITS } from "../../core/base/limits.js";
import type { Range, RevenueRule, SessionRule } from "../../query/plan/plan.js";
import { Needs } from "../query/needs.js";
import { isMoney } from "../query/payments.js";
import { inRange } from "../query/where.js";
import { allOf, sql, text, type Sql } from "../sql/sql.js";
import { listsOf } from "../connection/lists-of.js";
import type { ReportContext } from "./report.js";

/** The sessions to read. */
export interface SessionPlan {
  /** Null: all projects, each by itself. */
  readonly project: string | null;
  readonly session: SessionRule;
  readonly revenue: RevenueRule;
}

/** A session, and the selected columns of its events, in order. */
export interface PersonSession<Own extends readonly unknown[]> {
  /** Number of the person, from 1. */
  readonly person: number;
  readonly startMs: number;
  readonly endMs: number;
  readonly events: readonly Own[];
}

type SessionRow<Own extends readonly unknown[]> = readonly [who: string, ms: number, project: string, ...own: Own];

/**
 * The sessions that start in a range, person by person: events arrive sorted by person, and the embedded engine's code sessionizes them.
 * Memory: the events of one person.
 */
export async function* sessionsOfPeople<Own extends readonly unknown[]>(
  plan: SessionPlan,
  range: Range,
  columns: (needs: Needs) => Sql,
  asking: ReportContext,
): AsyncGenerator<PersonSession<Own>> {
  const projects = new Map<string, number>();
  let person = 0;
  for await (const rows of listsOf(asking.connection.stream<SessionRow<Own>>(eventsOf(plan, range, columns, asking), asking.signal))) {
    person += 1;
    const times = Float64Array.from(rows, ([, ms]) => ms);
    const numbers = rows.map(([, , project]) => numberIn(projects, project));
    const { sessionOf } = sessionize(times, numbers, null, plan.session);
    const sessions: { startMs: number; endMs: number; readonly events: Own[] }[] = [];
    rows.forEach(([, ms, , ...own], at) => {
      const session = (sessions[sessionOf[at] ?? 0] ??= { startMs: ms, endMs: ms, events: [] });
      session.endMs = ms;
      session.events.push(own);
    });
    for (const session of sessions) if (session.startMs >= range.fromMs && session.startMs < range.toMs) yield { person, ...session };
  }
}

/** The events of everyone active in a range, and all earlier ones of theirs: a session continues until there is a pause. */
function eventsOf(plan: SessionPlan, range: Range, columns: (needs: Needs) => Sql, asking: ReportContext): Sql {
  const { project, session, revenue } = plan;
  const needs = new Needs(asking);
  const selected = sql`${needs.who()} AS who, ms, project, ${columns(needs)}`;
  const isOfProject = project === null ? [] : [sql`project = ${text(project)}`];
  // Payments reported by a server, without a page, belong to no session.
  const isThere = sql`NOT (url = '' AND hostname = '' AND ${isMoney(revenue)})`;
  const before = { fromMs: 0, toMs: Math.min(range.toMs + session.maxMs, LIMITS.instantMaxMs) };
  const there = new Needs(asking);
  const who = there.who();
  const active = sql`SELECT DISTINCT ${who} FROM ${there.rows()} WHERE ${allOf([...inRange(range), ...isOfProject])}`;
  const where = allOf([...inRange(before), ...isOfProject, isThere, sql`who != ''`, sql`who GLOBAL IN (${active})`]);
  return sql`SELECT ${selected} FROM ${needs.rows()} WHERE ${where} ORDER BY who, ms, toUInt128(id), project`;
}

function numberIn(numbers: Map<string, number>, of: string): number {
  const number = numbers.get(of) ?? numbers.size;
  numbers.set(of, number);
  return number;
}
