import { hmacSha256 } from "../../core/base/hash.js";
import { checkQueryOptions } from "../../core/base/options.js";
import { parameterError, shown } from "../../core/base/errors.js";
import type { EventRecord } from "../../core/schema/event.js";
import { checkPatterns } from "../../query/filter/regex.js";
import { encodeCursor } from "../../query/plan/cursor.js";
import { planScope, textOfRows, type Scope, type ScopePlan } from "../../query/plan/scope.js";
import { QUERY_NAMES, QueryMethods, type Answer, type Plan, type QueryNotice, type QueryOptions, type ReportName } from "../../query/queries.js";
import { checkScopedFields, checkScopedInput, shownEvent } from "../../query/scope-rules.js";
import type { ScopedDaybook } from "../daybook.js";
import { answerOf, executionOf } from "../query/executor.js";
import type { Explanation } from "../query/explain.js";
import { noticesOf } from "../query/notices.js";
import { AUTHORIZE, checkProject, KNOWN_OF_QUERIES, pageOf, planInput, type Authorization, type PlanningContext } from "../queries.js";
import type { Scopes, ScopeView } from "./scopes.js";

/** What scoped queries need of their Daybook. */
export interface ScopedServices {
  readonly scopes: Scopes;
  /** Brings the store up to date first. @throws closed */
  planning(): Promise<PlanningContext>;
  notify(notices: readonly QueryNotice[], options: QueryOptions | undefined): void;
  /** Retries a read whose files were replaced. */
  retrying<T>(read: () => Promise<T>): Promise<T>;
}

/** A query that the scope allows, and what it reads. */
interface AllowedQuery<K extends ReportName> {
  readonly plan: Plan<K>;
  readonly view: ScopeView;
  readonly notices: readonly QueryNotice[];
  readonly cursorKey: Uint8Array;
}

/** The queries of a Daybook within one scope or several, all of which apply. */
export class ScopedQueries extends QueryMethods implements ScopedDaybook {
  readonly #services: ScopedServices;
  readonly #plans: readonly ScopePlan[];

  constructor(services: ScopedServices, plans: readonly ScopePlan[]) {
    super();
    this.#services = services;
    this.#plans = plans;
  }

  scoped(scope: Scope): ScopedDaybook {
    const plan = planScope(scope, QUERY_NAMES);
    for (const name of ["timeZone", "weekStart"] as const) {
      const fixed = this.#plans.find((each) => each[name] !== null)?.[name] ?? null;
      if (fixed !== null && plan[name] !== null && plan[name] !== fixed)
        throw parameterError("forbidden_by_scope", `scope.${name}`, `expected ${shown(fixed)}, which the outer scope sets, got ${shown(plan[name])}`);
    }
    return new ScopedQueries(this.#services, [...this.#plans, plan]);
  }

  async explain(report: ReportName, input?: object, options?: Authorization): Promise<Explanation> {
    if (!QUERY_NAMES.includes(report))
      throw parameterError("invalid_parameter", "report", `expected one of ${QUERY_NAMES.join(", ")}, got ${shown(report)}`);
    const { plan, view, notices } = await this.#allowed(report, input, options);
    // Lazy: most programs explain nothing.
    const { explainOn } = await import("../rarely-used.js");
    const explained = await this.#services.retrying(async () => explainOn(await executionOf(plan, view.store, view.contexts, undefined)));
    return { ...explained, notices: notices.map(({ message }) => message) };
  }

  protected async run(report: ReportName, input: unknown, options: (QueryOptions & Authorization) | undefined): Promise<unknown> {
    checkQueryOptions(options, KNOWN_OF_QUERIES);
    const { plan, view, notices, cursorKey } = await this.#allowed(report, input, options);
    this.#services.notify(notices, options);
    const execute = <K extends ReportName>(own: Plan<K>): Promise<Answer<K>> =>
      this.#services.retrying(async () => answerOf(await executionOf(own, view.store, view.contexts, options?.signal)));
    const answer = await pageOf(plan, execute, (next, { report: paged, fingerprint }) => encodeCursor(paged, next, fingerprint, cursorKey));
    return plan.report === "searchEvents" ? this.#masked(answer as { readonly events: readonly EventRecord[] }) : answer;
  }

  /** Plans a query and checks it. Reads nothing before it is allowed. */
  async #allowed<K extends ReportName>(report: K, input: unknown, options: Authorization | undefined): Promise<AllowedQuery<K>> {
    const { planning, scopes } = this.#services;
    const context = await planning();
    for (const scope of this.#plans) checkScopedInput(report, input, scope);
    const cursorKey = this.#cursorKey(context.cursorKey);
    const savedSegments = new Map([...context.savedSegments].filter(([name]) => this.#plans.every(({ segments }) => segments.includes(name))));
    const plan = await this.#planned(report, input, { ...context, cursorKey, savedSegments });
    for (const scope of this.#plans) checkScopedFields(plan, input, scope);
    options?.[AUTHORIZE]?.(plan);
    for (const { patterns } of this.#plans) await checkPatterns(patterns);
    const view = scopes.viewOf(this.#plans, context.nowMs);
    await this.#services.retrying(() => view.refresh());
    checkProject(plan, () => view.projects());
    return { plan, view, notices: noticesOf(plan, input, (key) => view.hasKey(key)), cursorKey };
  }

  /** With the calendar that a scope sets. */
  async #planned<K extends ReportName>(report: K, input: unknown, context: PlanningContext): Promise<Plan<K>> {
    const plan = await planInput(report, input, context);
    const [timeZone, weekStart] = (["timeZone", "weekStart"] as const).map((name) => this.#plans.find((each) => each[name] !== null)?.[name] ?? undefined);
    if (!("calendar" in plan) || (timeZone === undefined && weekStart === undefined)) return plan;
    const fixed = Object.fromEntries(Object.entries({ timeZone, weekStart }).filter(([, value]) => value !== undefined));
    return await planInput(report, { ...(input as object | undefined), ...fixed }, context);
  }

  /** A cursor is valid in the scope that made it. */
  #cursorKey(key: Uint8Array): Uint8Array {
    return hmacSha256(key, new TextEncoder().encode(`scope ${this.#plans.map(({ rows }) => textOfRows(rows)).join(" ")}`));
  }

  #masked<P extends { readonly events: readonly EventRecord[] }>(page: P): P {
    return { ...page, events: page.events.map((event) => shownEvent(event, this.#plans)) };
  }
}
