import { sessionize } from "../../query/answer/sessionize.js";
import { getOrMake } from "../../core/base/arrays.js";
import { LIMITS } from "../../core/base/limits.js";
import type { Range, RevenueRule, SessionRule } from "../../query/plan/plan.js";
import { RequiredJoins } from "../query/required-joins.js";
import { isMoney } from "../query/payments.js";
import { inRange, ALL_TIME, whereOf } from "../query/where.js";
import { allOf, sql, text, texts, type Sql } from "../sql/sql.js";
import { listsOf } from "../connection/connection.js";
import { insight, Numbered, pauseOf, propertiesColumn, PropertyKeys, TextNumbers, type Properties, type ReportContext } from "./report.js";
import { Visits, ListedSessions } from "../../query/answer/visits/visits.js";
import { pathOf } from "../../query/filter/value-test.js";
import type { InsightScope } from "../../query/plan/insights/plan.js";
import { sessionsAnswer } from "../../query/answer/visits/sessions-answer.js";
import { Scratch } from "../../core/base/scratch.js";
import { LabelNumbers, NO_LABEL, PathCounts, sequenceRule } from "../../query/answer/paths/path-counts.js";
import { pathsAnswer } from "../../query/answer/paths/paths-answer.js";
import { compileRules } from "../../query/filter/regex.js";
import { labelOf } from "../query/operand.js";

interface SessionPlan {
  /** Null: all projects, each by itself. */
  readonly project: string | null;
  readonly session: SessionRule;
  readonly revenue: RevenueRule;
}

interface PersonSession<Own extends readonly unknown[]> {
  /** Number of the person, from 1. */
  readonly person: number;
  readonly startMs: number;
  readonly endMs: number;
  readonly events: readonly Own[];
}

type SessionRow<Own extends readonly unknown[]> = readonly [identityKey: string, ms: number, project: string, ...own: Own];

/** Events arrive sorted by person, and the embedded engine's code sessionizes them. Memory: the events of one person. */
export async function* sessionsOfPeople<Own extends readonly unknown[]>(
  plan: SessionPlan,
  range: Range,
  columns: (needs: RequiredJoins) => Sql,
  context: ReportContext,
): AsyncGenerator<PersonSession<Own>> {
  const projects = new Numbered<string>();
  let person = 0;
  for await (const rows of listsOf(context.connection.stream<SessionRow<Own>>(eventsOf(plan, range, columns, context)))) {
    person += 1;
    const times = Float64Array.from(rows, ([, ms]) => ms);
    const numbers = rows.map(([, , project]) => projects.numberOf(project));
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
function eventsOf(plan: SessionPlan, range: Range, columns: (needs: RequiredJoins) => Sql, context: ReportContext): Sql {
  const { project, session, revenue } = plan;
  const needs = new RequiredJoins(context);
  const selected = sql`${needs.identityKey()} AS identityKey, ms, project, ${columns(needs)}`;
  const isOfProject = project === null ? [] : [sql`project = ${text(project)}`];
  // Payments reported by a server, without a page, belong to no session.
  const isThere = sql`NOT (url = '' AND hostname = '' AND ${isMoney(revenue)})`;
  const before = { fromMs: 0, toMs: Math.min(range.toMs + session.maxMs, LIMITS.instantMaxMs) };
  const there = new RequiredJoins(context);
  const identityKey = there.identityKey();
  const active = sql`SELECT DISTINCT ${identityKey} FROM ${there.rows()} WHERE ${allOf([...inRange(range), ...isOfProject])}`;
  const where = allOf([...inRange(before), ...isOfProject, isThere, sql`identityKey != ''`, sql`identityKey GLOBAL IN (${active})`]);
  return sql`SELECT ${selected} FROM ${needs.rows()} WHERE ${where} ORDER BY identityKey, ms, toUInt128(id), project`;
}

export type VisitEvent<Rest extends readonly unknown[]> = readonly [matches: boolean, isView: boolean, url: string, ...rest: Rest];

/** Computes a number for a visit from its events, which are in order. */
export type KeyOf<Rest extends readonly unknown[]> = (events: readonly VisitEvent<Rest>[]) => number;

type VisitPlan = InsightScope & SessionPlan & { readonly pageviewSlugs: readonly string[] };

/** The sessions of a query by start, with a key of each per kind: numbers only, some 70 bytes per session and at most 12 per key. */
export interface KeyedVisits {
  readonly visits: Visits;
  /** One array per kind, in the order of the visits. */
  readonly keys: readonly Uint32Array[];
}

/** The sessions that start in a range and have a matching event. @param rest further columns, for the keys */
export async function visitsIn<Rest extends readonly unknown[]>(
  plan: VisitPlan,
  range: Range,
  rest: (needs: RequiredJoins) => Sql,
  kinds: readonly KeyOf<Rest>[],
  context: ReportContext,
): Promise<KeyedVisits> {
  const columns = (needs: RequiredJoins) => {
    const matches = whereOf({ ...plan, range: ALL_TIME }, null, needs);
    return sql`(${matches}), slug IN ${texts(plan.pageviewSlugs)}, url${rest(needs)}`;
  };
  // One list per column: a list per session would take twice as much memory.
  const found = Array.from({ length: FACT_COUNT + kinds.length }, (): number[] => []);
  for await (const { person, startMs, endMs, events } of sessionsOfPeople<VisitEvent<Rest>>(plan, range, columns, context)) {
    if (!events.some(([matches]) => matches)) continue;
    const pageviews = events.filter(([, isView]) => isView).length;
    const row = [startMs, endMs - startMs, person, events.length, pageviews, ...kinds.map((keyOf) => keyOf(events))];
    row.forEach((number, column) => found[column]?.push(number));
  }
  return keyed(found);
}

const FACT_COUNT = 5;

function keyed(columns: readonly (readonly number[])[]): KeyedVisits {
  const [starts = [], lengths = [], identities = [], eventCounts = [], pageviewCounts = [], ...keys] = columns;
  const facts = {
    starts: Float64Array.from(starts),
    lengths: Float64Array.from(lengths),
    identities: Uint32Array.from(identities),
    eventCounts: Uint32Array.from(eventCounts),
    pageviewCounts: Uint32Array.from(pageviewCounts),
  };
  const identityEnd = identities.reduce((end, person) => Math.max(end, person + 1), 1);
  const byStart = Uint32Array.from(starts.keys()).sort((a, b) => (facts.starts[a] ?? 0) - (facts.starts[b] ?? 0));
  return { visits: new Visits({ facts, identityEnd }, byStart), keys: keys.map((own) => byStart.map((at) => own[at] ?? 0)) };
}

export function entryPage([first]: readonly VisitEvent<readonly unknown[]>[]): string {
  return pathOf(first?.[2] ?? "");
}

/** The page of a visit's last event with a url. */
export function exitPage(events: readonly VisitEvent<readonly unknown[]>[]): string {
  return pathOf(events.findLast(([, , url]) => url !== "")?.[2] ?? "");
}

/** Sessions are streamed person by person; only numbers of each are kept, and the embedded engine's code computes the answer from them. */
export const sessionsOverview = insight<"sessionsOverview">(async (plan, context) => {
  const [paths, groups] = [new TextNumbers(), new PropertyKeys()];
  const kinds: KeyOf<readonly [Properties]>[] = [
    (events) => paths.numberOf(entryPage(events)),
    (events) => paths.numberOf(exitPage(events)),
    ([first]) => groups.numberOf(first?.[3] ?? []),
  ];
  const { visits, keys: [entries, exits, values] } = await visitsIn(
    plan, plan.range, (needs) => sql`, ${propertiesColumn(plan, needs)}`, kinds, context);
  const pageKeys = (end: "entry" | "exit") => (end === "entry" ? entries : exits) ?? new Uint32Array(0);
  const of = { paths, groups, keysOf: () => Promise.resolve(values ?? new Uint32Array(0)) };
  return await Scratch.of((scratch) => {
    const counting = { scratch, pause: pauseOf(context) };
    return sessionsAnswer(new ListedSessions(visits, pageKeys, counting), plan, of, counting);
  });
});

/** Sessions to reserve room for at a time. */
const SESSIONS_PER_PAUSE = 1_024;

/** Paths through sessions: these are streamed person by person, and counted by the embedded engine's code. */
export const paths = insight<"paths">((plan, context) => Scratch.of(async (scratch) => {
  const pause = pauseOf(context);
  const labels = new LabelNumbers(await compileRules(plan));
  const counts = new PathCounts(sequenceRule(plan, (text) => labels.ofLabel(text)), scratch);
  const label = labelOf(plan.node);
  const columns = (needs: RequiredJoins) => sql`(${whereOf({ ...plan, range: ALL_TIME }, null, needs)}), ${label.column(needs)}`;
  const known = new Map<string, number>();
  const numberOf = (texts: readonly string[]) => getOrMake(known, JSON.stringify(texts), () => labels.ofValue(label.textOf(texts)));
  let count = 0;
  for await (const { events } of sessionsOfPeople<readonly [isNode: boolean, texts: readonly string[]]>(plan, plan.range, columns, context)) {
    if (count % SESSIONS_PER_PAUSE === 0) await counts.reserve(SESSIONS_PER_PAUSE, pause);
    count += 1;
    const nodes = Uint32Array.from(events.flatMap(([isNode, texts]) => (isNode ? [numberOf(texts)] : [])).filter((number) => number !== NO_LABEL));
    counts.add(nodes, 0, nodes.length);
  }
  return await pathsAnswer(counts, { textOf: (number) => labels.textOf(number), limit: plan.limit, pause });
}));
