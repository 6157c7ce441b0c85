import { DaybookError } from "../../base/errors.js";
import { nextTurn } from "../../base/turn.js";
import type { Rates } from "../../plan/input.js";
import type { RuleOptions } from "../../plan/revenue-rules.js";
import type { InsightScope } from "../../plan/insights/plan.js";
import type { Answer, Plan, ReportName, Scope } from "../../plan/plan.js";
import type { Connection } from "../connection/connection.js";
import { Needs, type Moment } from "../question/needs.js";
import { whereOf, type Actors } from "../question/where.js";
import { sql, type Sql } from "../sql/sql.js";

/** What a report asks with. */
export interface Asking extends Moment {
  readonly connection: Connection;
  readonly signal: Pick<AbortSignal, "aborted"> | undefined;
  /** The options that settle what answers mean. */
  readonly rules: RuleOptions & { readonly rates?: Rates };
  /** Whom the user id of the scope names; null: it names nobody. */
  readonly subject: Actors | null;
}

/** Answers the plans of one report by statements. */
export type Report<K extends ReportName> = (plan: Plan<K>, asking: Asking) => Promise<Answer<K>>;

/** Rows of a scope, and what a statement makes of them. */
export function selectRows(scope: Scope, asking: Asking, columns: (needs: Needs) => Sql, rest: Sql = sql``): Sql {
  const needs = new Needs(asking);
  const selected = columns(needs);
  const where = whereOf(scope, asking.subject, needs);
  return sql`SELECT ${selected} FROM ${needs.rows()} WHERE ${where} ${rest}`;
}

/** Only what is stored now is known here. @throws not_supported */
export function refuseAsOf({ asOf }: InsightScope): void {
  if (asOf !== null) throw new DaybookError("not_supported", "asOf: ClickHouse answers of now alone");
}

/** What gives others a turn while something long is made of rows. @throws aborted */
export function pauseOf({ signal }: Asking): () => Promise<void> {
  return async () => {
    await nextTurn();
    if (signal?.aborted === true) throw new DaybookError("aborted", "the question was given up");
  };
}
