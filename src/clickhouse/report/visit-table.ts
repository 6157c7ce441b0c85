import { Visits } from "../../query/answer/visits/visits.js";
import { pathOf } from "../../query/filter/operand-value.js";
import type { InsightScope } from "../../query/plan/insights/plan.js";
import type { Range } from "../../query/plan/plan.js";
import type { Needs } from "../query/needs.js";
import { ALL_TIME, whereOf } from "../query/where.js";
import { sql, texts, type Sql } from "../sql/sql.js";
import { sessionsOfPeople, type SessionPlan } from "./person-sessions.js";
import type { ReportContext } from "./report.js";

/** The selected columns of an event of a visit. */
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
  rest: (needs: Needs) => Sql,
  kinds: readonly KeyOf<Rest>[],
  asking: ReportContext,
): Promise<KeyedVisits> {
  const columns = (needs: Needs) => {
    const matches = whereOf({ ...plan, range: ALL_TIME }, null, needs);
    return sql`(${matches}), slug IN ${texts(plan.pageviewSlugs)}, url${rest(needs)}`;
  };
  const found = columnsOf(FACT_COUNT + kinds.length);
  for await (const { person, startMs, endMs, events } of sessionsOfPeople<VisitEvent<Rest>>(plan, range, columns, asking)) {
    if (!events.some(([matches]) => matches)) continue;
    const pageviews = events.filter(([, isView]) => isView).length;
    const row = [startMs, endMs - startMs, person, events.length, pageviews, ...kinds.map((keyOf) => keyOf(events))];
    row.forEach((number, column) => found[column]?.push(number));
  }
  return keyed(found);
}

const FACT_COUNT = 5;

/** One list per column: a list per session would take twice as much memory. */
function columnsOf(count: number): number[][] {
  return Array.from({ length: count }, () => []);
}

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

/** The page of a visit's first event. */
export function entryPage([first]: readonly VisitEvent<readonly unknown[]>[]): string {
  return pathOf(first?.[2] ?? "");
}

/** The page of a visit's last event with a url. */
export function exitPage(events: readonly VisitEvent<readonly unknown[]>[]): string {
  return pathOf(events.findLast(([, , url]) => url !== "")?.[2] ?? "");
}
