import type { Plan, ReportName } from "../../query/plan/plan.js";
import type { Explanation } from "./explain.js";
import type { QueryOptions } from "./on-snapshot.js";

/** Key of the option that permits or rejects a query. The same for all copies of this package in a process. */
export const PERMIT: unique symbol = Symbol.for("daybook.permit") as typeof PERMIT;

/** Called with a valid plan before any stored data is read for it. An error it throws rejects the query. */
export interface Permitted {
  readonly [PERMIT]?: ((plan: Plan) => void) | undefined;
}

export type PermittingQueries = Readonly<Record<ReportName, (input: never, options?: QueryOptions & Permitted) => Promise<unknown>>>;

/**
 * A Daybook whose queries are validated, then permitted, then run. A wrapped one may skip the permission: callers that rely on it must check that it
 * was called.
 */
export interface PermittingDaybook extends PermittingQueries {
  explain(report: ReportName, input?: object, options?: Permitted): Promise<Explanation>;
}
