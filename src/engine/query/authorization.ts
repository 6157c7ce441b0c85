import type { AnyPlan } from "../../query/plan/plan.js";

/** Key of the option that authorizes or rejects a query. The same for all copies of this package in a process. */
export const AUTHORIZE: unique symbol = Symbol.for("daybook.authorize") as typeof AUTHORIZE;

/** Called with a valid plan before any stored data is read for it. An error it throws rejects the query. */
export interface Authorization {
  readonly [AUTHORIZE]?: ((plan: AnyPlan) => void) | undefined;
}
