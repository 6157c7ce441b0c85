import type { Rates } from "../query/plan/input.js";
import type { Answer, Executor, Plan, ReportName } from "../query/plan/plan.js";
import { reportRules, type RuleOptions } from "../query/plan/report-rules.js";
import { operandsOf } from "../query/plan/scopes-of.js";
import type { Connection } from "./connection/connection.js";
import { readMultiCompany } from "./query/companies.js";
import { knownOfPlan, NOTHING_KNOWN } from "./query/known-traits.js";
import { recordsNow } from "./query/merges.js";
import { PersonLookup } from "./query/person-lookup.js";
import { reports } from "./report/reports.js";
import type { ReportContext, StatementReport } from "./report/report.js";
import type { TableNames } from "./tables/layout.js";

/** Executes plans as ClickHouse statements. */
export class ClickHouseExecutor implements Executor {
  constructor(
    readonly connection: Connection,
    readonly tables: TableNames,
    readonly rules: RuleOptions & { readonly rates?: Rates },
  ) {}

  async execute<K extends ReportName>(plan: Plan<K>, signal?: Pick<AbortSignal, "aborted">): Promise<Answer<K>> {
    const report: StatementReport<K> = reports[plan.report as K];
    const now = await this.asking(signal);
    const several = asksCompanies(plan) ? await readMultiCompany(this.connection, now, signal) : null;
    const asking = { ...now, several, known: await knownOfPlan(plan, now) };
    if (plan.userId === null) return await report(plan, asking);
    const subject = await new PersonLookup(this.connection, asking, signal).ofId(plan.userId);
    return await report(plan, { ...asking, subject: subject ?? NOBODY });
  }

  /** Context shared by the statements of one query, not yet with known traits or companies. */
  async asking(signal?: Pick<AbortSignal, "aborted">): Promise<ReportContext> {
    const { connection, tables, rules } = this;
    const { touch, revenue } = reportRules(rules);
    const records = await recordsNow(connection, tables, signal);
    return { connection, tables, touch, revenue, rules, ...records, several: null, known: NOTHING_KNOWN, signal, subject: null };
  }
}

/** Whether a plan needs the companies of users: then it pays to look up first which users have several. */
function asksCompanies(plan: Plan): boolean {
  const isOfCompany = (kind: string) => kind === "companyId" || kind === "company";
  const isOfAccounts = "level" in plan && plan.level === "account";
  return OF_COMPANIES.has(plan.report) || isOfAccounts || operandsOf(plan).some(({ operand }) => isOfCompany(operand.kind));
}

const OF_COMPANIES: ReadonlySet<ReportName> = new Set<ReportName>(["topCompanies", "companyTopUsers"]);

/** An unknown user id has no events. */
const NOBODY = { users: [], anonymous: [] };
