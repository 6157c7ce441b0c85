import { parameterError } from "../core/base/errors.js";
import { hmacSha256 } from "../core/base/hash.js";
import { isoOfDay } from "../core/base/time.js";
import type { EventRecord } from "../core/schema/event.js";
import { checkPatterns } from "../query/filter/regex.js";
import { encodeCursor } from "../query/plan/cursor.js";
import type { ScopePlan } from "../query/plan/scope.js";
import type { Plan, QueryNotice, QueryOptions, ReportName } from "../query/queries.js";
import { textOfRows } from "../query/scope-events.js";
import { checkScopedFields, checkScopedInput, namesSegment, shownEvent } from "../query/scope-rules.js";
import type { Explanation } from "./query/explain.js";
import { noticesOf } from "./query/notices.js";
import { checkProject, pageOf, planInput, type PlanningContext } from "./queries.js";
import { AUTHORIZE, type Authorization } from "./query/authorization.js";
import type { ScopeView, ScopeViews } from "./scoped/scope-view.js";

/** A query that all scopes allow, and what it reads. */
interface AllowedQuery<K extends ReportName> {
  readonly plan: Plan<K>;
  readonly view: ScopeView;
  readonly notices: readonly QueryNotice[];
  readonly cursorKey: Uint8Array;
}

/** What scoped queries need of their Daybook. */
export interface Scoping {
  readonly scopes: ScopeViews;
  /** Brings the store up to date first. @param namesSegment false: the query needs no saved segments @throws closed */
  planning(namesSegment: boolean): Promise<PlanningContext>;
  notify(notices: readonly QueryNotice[], options: QueryOptions | undefined): void;
}

/** Runs a query within scopes, all of which apply. @throws forbidden_by_scope, and what the query throws */
export async function runScoped(
  scoping: Scoping,
  scopes: readonly ScopePlan[],
  report: ReportName,
  input: unknown,
  options: (QueryOptions & Authorization) | undefined,
): Promise<unknown> {
  const { plan, view, notices, cursorKey } = await allowed(scoping, scopes, report, input, options);
  scoping.notify(notices, options);
  const answer = await pageOf(plan, (own) => view.execute(own, options?.signal), (next, { report: paged, fingerprint }) => encodeCursor(paged, next, fingerprint, cursorKey));
  return plan.report === "searchEvents" ? masked(answer as { readonly events: readonly EventRecord[] }, scopes) : answer;
}

/**
 * Explains a query within scopes: its plan, and the events of each day of its range. Columns are not told, as values of other events decide about
 * them. @throws as `runScoped`
 */
export async function explainScoped(
  scoping: Scoping,
  scopes: readonly ScopePlan[],
  report: ReportName,
  input: unknown,
  options: Authorization | undefined,
): Promise<Explanation> {
  const { plan, view, notices } = await allowed(scoping, scopes, report, input, options);
  const days = await view.daysOf(plan.range);
  const segments = [...days].map(([day, rowCount]) => ({ day: isoOfDay(day), rowCount, sealed: false, access: "scan" as const }));
  const rowCount = segments.reduce((sum, segment) => sum + segment.rowCount, 0);
  return { report, plan: withoutSegments(plan), segments, columns: [], rowCount, dictionaryValueCount: 0, notices: notices.map(({ message }) => message) };
}

/** A plan without the conditions of saved segments, which are not for holders of a scope. */
function withoutSegments(plan: unknown): unknown {
  return JSON.parse(JSON.stringify(plan, (name, value: unknown) => (name === "segment" ? undefined : value)));
}

/** Plans a query and checks it. Reads nothing before it is allowed. */
async function allowed<K extends ReportName>(
  { scopes: views, planning }: Scoping,
  scopes: readonly ScopePlan[],
  report: K,
  given: unknown,
  options: Authorization | undefined,
): Promise<AllowedQuery<K>> {
  const input = plainCopyOf(given);
  for (const scope of scopes) checkScopedInput(report, input, scope);
  const context = await planning(namesSegment(input));
  const cursorKey = cursorKeyOf(context.cursorKey, scopes);
  const savedSegments = new Map([...context.savedSegments].filter(([name]) => scopes.every(({ segments }) => segments.includes(name))));
  const { plan, patterns } = planned(report, input, { ...context, cursorKey, savedSegments }, scopes);
  for (const scope of scopes) checkScopedFields(plan, input, scope);
  options?.[AUTHORIZE]?.(plan);
  await checkPatterns([...patterns, ...scopes.flatMap((scope) => scope.patterns)]);
  const view = await views.viewOf(scopes, context.nowMs);
  const projects = "payProject" in plan ? await view.projects() : [];
  checkProject(plan, () => projects);
  return { plan, view, notices: view.hasKey === null ? [] : noticesOf(plan, input, view.hasKey), cursorKey };
}

/** What is checked is what is planned, even if the input has getters. @throws invalid_parameter */
function plainCopyOf(input: unknown): unknown {
  try {
    return structuredClone(input);
  } catch (cause) {
    throw parameterError("invalid_parameter", "input", `expected plain data (${(cause as Error).message})`);
  }
}

/** With the calendar that a scope sets. */
function planned<K extends ReportName>(report: K, input: unknown, context: PlanningContext, scopes: readonly ScopePlan[]) {
  const known = planInput(report, input, context);
  const fixed = Object.fromEntries(
    (["timeZone", "weekStart"] as const).flatMap((name) => {
      const value = scopes.find((scope) => scope[name] !== null)?.[name] ?? null;
      return value === null ? [] : [[name, value]];
    }),
  );
  const isFixed = "calendar" in known.plan && Object.keys(fixed).length > 0;
  return isFixed ? planInput(report, { ...(input as object | undefined), ...fixed }, context) : known;
}

/** A cursor is valid in the scope that made it. */
function cursorKeyOf(key: Uint8Array, scopes: readonly ScopePlan[]): Uint8Array {
  return hmacSha256(key, new TextEncoder().encode(`scope ${scopes.map(({ rows }) => textOfRows(rows)).join(" ")}`));
}

function masked<P extends { readonly events: readonly EventRecord[] }>(page: P, scopes: readonly ScopePlan[]): P {
  return { ...page, events: page.events.map((event) => shownEvent(event, scopes)) };
}
