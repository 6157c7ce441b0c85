import type { Plan, ReportName } from "../../plan/plan.js";
import type { Explanation } from "./explain.js";
import type { QueryOptions } from "./query-options.js";

/** Under which a question's options say what it may be. The same for all copies of this package in a process. */
export const PERMIT: unique symbol = Symbol.for("daybook.permit") as typeof PERMIT;

/** Hears of a settled question, of which nothing is wrong, before anything stored is looked at for it. What it throws is the answer. */
export interface Permitted {
  readonly [PERMIT]?: ((plan: Plan) => void) | undefined;
}

export type PermittingQuestions = Readonly<Record<ReportName, (input: never, options?: QueryOptions & Permitted) => Promise<unknown>>>;

/**
 * A Daybook whose questions are settled, then permitted, then answered. One that was wrapped may ask nobody: who must know whether somebody was
 * asked has to look.
 */
export interface PermittingDaybook extends PermittingQuestions {
  explain(report: ReportName, input?: object, options?: Permitted): Promise<Explanation>;
}
