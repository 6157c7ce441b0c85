import type { Rates } from "../plan/input.js";
import type { Answer, Executor, Plan, ReportName } from "../plan/plan.js";
import { reportRules, type RuleOptions } from "../plan/revenue-rules.js";
import type { Connection } from "./connection/connection.js";
import { knownOfPlan, NOTHING_KNOWN } from "./question/known-traits.js";
import { survivorsNow } from "./question/merges.js";
import { Subjects } from "./question/subject.js";
import { reports } from "./report/reports.js";
import type { Asking, Report } from "./report/report.js";
import type { TableNames } from "./tables/names.js";

/** Answers plans by statements of ClickHouse. */
export class ClickHouseExecutor implements Executor {
  constructor(
    readonly connection: Connection,
    readonly tables: TableNames,
    readonly rules: RuleOptions & { readonly rates?: Rates },
  ) {}

  async execute<K extends ReportName>(plan: Plan<K>, signal?: Pick<AbortSignal, "aborted">): Promise<Answer<K>> {
    const report: Report<K> = reports[plan.report as K];
    const now = await this.asking(signal);
    const asking = { ...now, known: await knownOfPlan(plan, now) };
    if (plan.userId === null) return await report(plan, asking);
    const subject = await new Subjects(this.connection, asking, signal).ofId(plan.userId);
    return await report(plan, { ...asking, subject: subject ?? NOBODY });
  }

  /** What statements of one question share; of people and companies nothing is known yet. */
  async asking(signal?: Pick<AbortSignal, "aborted">): Promise<Asking> {
    const { connection, tables, rules } = this;
    const { touch, revenue } = reportRules(rules);
    const survivors = await survivorsNow(connection, tables, signal);
    return { connection, tables, touch, revenue, rules, survivors, known: NOTHING_KNOWN, signal, subject: null };
  }
}

/** A user id that is not known has no events. */
const NOBODY = { users: [], anonymous: [] };
