import { checkQueryOptions, type KnownOptions } from "../core/base/options.js";
import { DaybookError, parameterError, shown } from "../core/base/errors.js";
import { checkPatterns } from "../query/filter/regex.js";
import type { CursorPosition, Pattern, PlanContext } from "../query/plan/plan.js";
import { QUERY_NAMES, QueryMethods, type Answer, type Plan, type QueryOptions, type ReportName } from "../query/queries.js";
import { reports } from "../query/reports/reports.js";
import { AUTHORIZE, type Authorization } from "./query/authorization.js";
import type { Explanation } from "./query/explain.js";

type AuthorizedQueries = Readonly<Record<ReportName, (input: never, options?: QueryOptions & Authorization) => Promise<unknown>>>;

/** Queries are validated, authorized, then run. A wrapped Daybook may skip the authorization: callers must check that it was called. */
export interface AuthorizedDaybook extends AuthorizedQueries {
  explain(report: ReportName, input?: object, options?: Authorization): Promise<Explanation>;
}

/** What planning needs besides the input. */
export type PlanningContext = Omit<PlanContext, "patterns">;

/** Plans a query for any executor: fully validated, whatever is stored. @param projects names of all projects @throws the error in the query */
export async function planQuery<K extends ReportName>(report: K, input: unknown, context: PlanningContext, projects: () => readonly string[]): Promise<Plan<K>> {
  const { plan, patterns } = planInput(report, input, context);
  await checkPatterns(patterns);
  checkProject(plan, projects);
  return plan;
}

/** Plans a query, but for its regular expressions and whether its project exists. @throws the error in the query */
export function planInput<K extends ReportName>(report: K, input: unknown, context: PlanningContext): { readonly plan: Plan<K>; readonly patterns: readonly Pattern[] } {
  const patterns: Pattern[] = [];
  // The cast: the compiler does not pair a generic name with its planner.
  return { plan: reports[report].plan(input, { ...context, patterns }) as Plan<K>, patterns };
}

/** @throws project_not_found */
export function checkProject(plan: Plan, projects: () => readonly string[]): void {
  if ("payProject" in plan && !projects().includes(plan.payProject))
    throw new DaybookError("project_not_found", `project: there is no project ${shown(plan.payProject)}`, { param: "project" });
}

/** @throws invalid_parameter */
export function checkReportName(report: ReportName): void {
  if (!QUERY_NAMES.includes(report)) throw parameterError("invalid_parameter", "report", `expected one of ${QUERY_NAMES.join(", ")}, got ${shown(report)}`);
}

type PagedPlan = Plan<"searchEvents" | "identitySessions">;

/** Runs a plan and seals the position of the next page into text. */
export async function pageOf(
  plan: Plan,
  execute: <K extends ReportName>(plan: Plan<K>) => Promise<Answer<K>>,
  sealCursor: (next: CursorPosition, plan: PagedPlan) => string,
): Promise<unknown> {
  if (plan.report === "searchEvents") {
    const { next, events } = await execute<"searchEvents">(plan);
    return { cursor: next === null ? null : sealCursor(next, plan), events };
  }
  if (plan.report === "identitySessions") {
    const { identityId, sessions, next } = await execute<"identitySessions">(plan);
    return { identityId, sessions, cursor: next === null ? null : sealCursor(next, plan) };
  }
  return await execute(plan);
}

export const KNOWN_OF_QUERIES: KnownOptions<QueryOptions> = { signal: true, onNotice: true };

/** Every query of a Daybook as a method: plans the input, runs the plan, and seals cursors into text. */
export abstract class PlannedQueries extends QueryMethods {
  protected abstract plan<K extends ReportName>(report: K, input: unknown): Promise<Plan<K>>;
  protected abstract notice(plan: Plan, input: unknown, options: QueryOptions | undefined): void;
  protected abstract execute<K extends ReportName>(plan: Plan<K>, options: QueryOptions | undefined): Promise<Answer<K>>;
  protected abstract sealCursor(next: CursorPosition, plan: PagedPlan): string;

  protected async run(report: ReportName, input: unknown, options: (QueryOptions & Authorization) | undefined): Promise<unknown> {
    checkQueryOptions(options, KNOWN_OF_QUERIES);
    const plan = await this.plan(report, input);
    options?.[AUTHORIZE]?.(plan);
    this.notice(plan, input, options);
    return await pageOf(plan, (own) => this.execute(own, options), (next, own) => this.sealCursor(next, own));
  }
}
