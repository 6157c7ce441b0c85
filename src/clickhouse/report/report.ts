import { DaybookError } from "../../core/base/errors.js";
import { yieldToEventLoop } from "../../core/base/yield.js";
import type { Rates } from "../../query/plan/input.js";
import type { RuleOptions } from "../../query/plan/report-rules.js";
import type { Answer, Plan, ReportName } from "../../query/queries.js";
import type { QueryScope } from "../../query/plan/plan.js";
import { Needs, type QueryContext } from "../query/needs.js";
import { whereOf } from "../query/where.js";
import type { ActorIds } from "../query/who.js";
import { EMPTY, sql, type Sql } from "../sql/sql.js";

export interface ReportContext extends QueryContext {
  /** The options that affect answers. */
  readonly rules: RuleOptions & { readonly rates?: Rates };
  /** The person of the scope's user id; null: the scope has none. */
  readonly subject: ActorIds | null;
}

/** Answers the plans of one report by statements. */
export type StatementReport<K extends ReportName> = (plan: Plan<K>, context: ReportContext) => Promise<Answer<K>>;

/** The reports whose plans have a definition and may be of an earlier state. */
type InsightName = { [K in ReportName]: Answer<K> extends { readonly asOf: number | null } ? K : never }[ReportName];

/** A report that answers for the present only. @param figuresOf the rest of the answer @throws not_supported (another state was requested) */
export function insight<K extends InsightName>(
  figuresOf: (plan: Plan<K>, context: ReportContext) => Promise<Omit<Answer<K>, "definition" | "asOf">>,
): StatementReport<K> {
  return async (plan, context) => {
    if (plan.asOf !== null) throw new DaybookError("not_supported", "asOf: ClickHouse supports only queries of the current state");
    return { definition: plan.definition, asOf: null, ...(await figuresOf(plan, context)) } as Answer<K>;
  };
}

/** A SELECT over the rows of a scope. */
export function selectRows(scope: QueryScope, context: ReportContext, columns: (needs: Needs) => Sql, rest = EMPTY): Sql {
  const needs = new Needs(context);
  const selected = columns(needs);
  const where = whereOf(scope, context.subject, needs);
  return sql`SELECT ${selected} FROM ${needs.rows()} WHERE ${where} ${rest}`;
}

export function identityCount(needs: Needs): Sql {
  return sql`uniqExactIf(${needs.who()} AS who, who != '')`;
}

/** A pause that yields during long computations. @throws aborted */
export function pauseOf({ connection }: ReportContext): () => Promise<void> {
  return async () => {
    await yieldToEventLoop();
    connection.refuseStopped();
  };
}
