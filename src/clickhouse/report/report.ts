import { DaybookError } from "../../core/base/errors.js";
import { yieldToEventLoop } from "../../core/base/turn.js";
import type { Rates } from "../../query/plan/input.js";
import type { RuleOptions } from "../../query/plan/report-rules.js";
import type { InsightScope } from "../../query/plan/insights/plan.js";
import type { Answer, Plan, ReportName, QueryScope } from "../../query/plan/plan.js";
import type { Connection } from "../connection/connection.js";
import { Needs, type QueryContext } from "../query/needs.js";
import { whereOf, type ActorIds } from "../query/where.js";
import { sql, type Sql } from "../sql/sql.js";

/** Context of a report. */
export interface ReportContext extends QueryContext {
  readonly connection: Connection;
  readonly signal: Pick<AbortSignal, "aborted"> | undefined;
  /** The options that affect answers. */
  readonly rules: RuleOptions & { readonly rates?: Rates };
  /** The person of the scope's user id; null: the scope has none. */
  readonly subject: ActorIds | null;
}

/** Answers the plans of one report by statements. */
export type StatementReport<K extends ReportName> = (plan: Plan<K>, asking: ReportContext) => Promise<Answer<K>>;

/** A SELECT over the rows of a scope. */
export function selectRows(scope: QueryScope, asking: ReportContext, columns: (needs: Needs) => Sql, rest: Sql = sql``): Sql {
  const needs = new Needs(asking);
  const selected = columns(needs);
  const where = whereOf(scope, asking.subject, needs);
  return sql`SELECT ${selected} FROM ${needs.rows()} WHERE ${where} ${rest}`;
}

/** ClickHouse answers for the present only. @throws not_supported */
export function refuseAsOf({ asOf }: InsightScope): void {
  if (asOf !== null) throw new DaybookError("not_supported", "asOf: ClickHouse supports only queries of the current state");
}

/** A pause that yields during long computations. @throws aborted */
export function pauseOf({ signal }: ReportContext): () => Promise<void> {
  return async () => {
    await yieldToEventLoop();
    if (signal?.aborted === true) throw new DaybookError("aborted", "the query was stopped by its signal");
  };
}
