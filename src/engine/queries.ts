import { checkQueryOptions, type KnownOptions } from "../core/base/options.js";
import type { AnyPlan, CursorPosition } from "../query/plan/plan.js";
import { QueryMethods, type Answer, type Plan, type QueryOptions, type ReportName } from "../query/queries.js";
import type { Explanation } from "./query/explain.js";

/** Key of the option that authorizes or rejects a query. The same for all copies of this package in a process. */
export const AUTHORIZE: unique symbol = Symbol.for("daybook.permit") as typeof AUTHORIZE;

/** Called with a valid plan before any stored data is read for it. An error it throws rejects the query. */
export interface Authorization {
  readonly [AUTHORIZE]?: ((plan: AnyPlan) => void) | undefined;
}

type AuthorizedQueries = Readonly<Record<ReportName, (input: never, options?: QueryOptions & Authorization) => Promise<unknown>>>;

/** Queries are validated, authorized, then run. A wrapped Daybook may skip the authorization: callers must check that it was called. */
export interface AuthorizedDaybook extends AuthorizedQueries {
  explain(report: ReportName, input?: object, options?: Authorization): Promise<Explanation>;
}

const KNOWN: KnownOptions<QueryOptions> = { signal: true, onNotice: true };

/** Every query of a Daybook as a method: plans the input, runs the plan, and seals cursors into text. */
export abstract class PlannedQueries extends QueryMethods {
  protected abstract plan<K extends ReportName>(report: K, input: unknown): Promise<Plan<K>>;
  protected abstract notice(plan: Plan, input: unknown, options: QueryOptions | undefined): void;
  protected abstract execute<K extends ReportName>(plan: Plan<K>, options: QueryOptions | undefined): Promise<Answer<K>>;
  protected abstract sealCursor(next: CursorPosition, plan: Plan<"searchEvents" | "identitySessions">): string;

  protected async run(report: ReportName, input: unknown, options: (QueryOptions & Authorization) | undefined): Promise<unknown> {
    checkQueryOptions(options, KNOWN);
    const plan = await this.plan(report, input);
    options?.[AUTHORIZE]?.(plan);
    this.notice(plan, input, options);
    if (plan.report === "searchEvents") {
      const { next, events } = await this.execute<"searchEvents">(plan, options);
      return { cursor: next === null ? null : this.sealCursor(next, plan), events };
    }
    if (plan.report === "identitySessions") {
      const { identityId, sessions, next } = await this.execute<"identitySessions">(plan, options);
      return { identityId, sessions, cursor: next === null ? null : this.sealCursor(next, plan) };
    }
    return await this.execute(plan, options);
  }
}
