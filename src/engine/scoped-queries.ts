import { checkQueryOptions } from "../core/base/options.js";
import { parameterError, shown } from "../core/base/errors.js";
import { isSameSetting, planScope, type Scope, type ScopePlan } from "../query/plan/scope.js";
import { QUERY_NAMES, QueryMethods, type QueryOptions, type ReportName } from "../query/queries.js";
import type { ScopedDaybook } from "./daybook.js";
import type { Explanation } from "./query/explain.js";
import { checkReportName, KNOWN_OF_QUERIES } from "./queries.js";
import type { Authorization } from "./query/authorization.js";
import type { explainScoped, runScoped, Scoping } from "./run-scoped.js";
import type { ScopeViews } from "./scoped/scope-view.js";

export interface ScopedServices extends Omit<Scoping, "scopes"> {
  /** Lazy: most programs have no scopes. */
  readonly load: () => Promise<{ readonly runScoped: typeof runScoped; readonly explainScoped: typeof explainScoped; readonly scopes: ScopeViews }>;
}

/** The queries of a Daybook within one scope or several, all of which apply. */
export class ScopedQueries extends QueryMethods implements ScopedDaybook {
  // Private fields: printing it must not print the scope.
  readonly #services: ScopedServices;
  readonly #plans: readonly ScopePlan[];

  /** @param outer further scopes that apply @throws what `planScope` throws, forbidden_by_scope (another calendar than theirs) */
  constructor(services: ScopedServices, scope: Scope, outer: readonly ScopePlan[] = []) {
    super();
    const fixedIn = (name: "timeZone" | "weekStart") => outer.find((each) => each[name] !== null)?.[name] ?? null;
    const plan = planScope(scope, QUERY_NAMES, fixedIn("timeZone") ?? undefined);
    for (const name of ["timeZone", "weekStart"] as const) {
      const fixed = fixedIn(name);
      if (fixed !== null && plan[name] !== null && !isSameSetting(plan[name], fixed))
        throw parameterError("forbidden_by_scope", `scope.${name}`, `expected ${shown(fixed)}, which the outer scope sets, got ${shown(plan[name])}`);
    }
    this.#services = services;
    this.#plans = [...outer, plan];
  }

  scoped(scope: Scope): ScopedDaybook {
    return new ScopedQueries(this.#services, scope, this.#plans);
  }

  async explain(report: ReportName, input?: object, options?: Authorization): Promise<Explanation> {
    checkReportName(report);
    const loaded = await this.#services.load();
    return await loaded.explainScoped({ ...this.#services, scopes: loaded.scopes }, this.#plans, report, input, options);
  }

  protected async run(report: ReportName, input: unknown, options: (QueryOptions & Authorization) | undefined): Promise<unknown> {
    checkQueryOptions(options, KNOWN_OF_QUERIES);
    const loaded = await this.#services.load();
    return await loaded.runScoped({ ...this.#services, scopes: loaded.scopes }, this.#plans, report, input, options);
  }
}
