import type { Answer, Executor, Plan, QUERIES, ReportName } from "../query/queries.js";
import { reportRules } from "../query/plan/report-rules.js";
import { DaybookError } from "../core/base/errors.js";
import { DEFAULT_PROJECT } from "../core/schema/fields.js";
import type { ScopeView } from "../engine/scoped/scope-view.js";
import type { QueryScope } from "../query/plan/plan.js";
import { operandsOf } from "../query/plan/scopes-of.js";
import type { Connection } from "./connection/connection.js";
import { readMultiCompany } from "./query/companies.js";
import { knownOfPlan, NOTHING_KNOWN } from "./query/known-traits.js";
import { personOfId } from "./query/person.js";
import { ScopedTables } from "./query/scoped-tables.js";
import { sql } from "./sql/sql.js";
import { readIdentityContext } from "./query/identity-context.js";
import { aggregate, countEvents, countEventsPerDay, countEventsRunningTotalPerDay, countUniqueUsers, countUniqueUsersPerDay } from "./report/counts.js";
import { companyTopUsers, topCompanies } from "./report/companies.js";
import { funnel } from "./report/funnel.js";
import { identityDeviceGeo, identityProfile, identityReferrers, identitySessions } from "./report/identity.js";
import { lifecycle, retention, stickiness } from "./report/returns.js";
import { ltvCohorts, revenueByAttribution } from "./report/revenue.js";
import { paths } from "./report/paths.js";
import { sessionsOverview } from "./report/sessions-overview.js";
import { searchEvents } from "./report/search-events.js";
import { trend } from "./report/trend.js";
import { webOverview } from "./report/web-overview.js";
import type { ReportContext, StatementReport } from "./report/report.js";
import type { TableNames } from "./tables/layout.js";

type OnClickHouse = { [K in ReportName]: (typeof QUERIES)[K] extends { readonly onClickHouse: false } ? never : K }[ReportName];

/** Every query that ClickHouse answers, by its name. */
export const reports: { readonly [K in OnClickHouse]: StatementReport<K> } = {
  countEvents,
  countEventsPerDay,
  countEventsRunningTotalPerDay,
  countUniqueUsers,
  countUniqueUsersPerDay,
  aggregate,
  searchEvents,
  identitySessions,
  identityProfile,
  identityReferrers,
  identityDeviceGeo,
  revenueByAttribution,
  ltvCohorts,
  topCompanies,
  companyTopUsers,
  trend,
  funnel,
  paths,
  sessionsOverview,
  webOverview,
  retention,
  lifecycle,
  stickiness,
};

export class ClickHouseExecutor implements Executor {
  constructor(
    readonly connection: Connection,
    readonly tables: TableNames,
    readonly rules: ReportContext["rules"],
  ) {}

  async execute<K extends ReportName>(plan: Plan<K>, signal?: Pick<AbortSignal, "aborted">): Promise<Answer<K>> {
    return await answerOf(plan, await this.context(signal));
  }

  /** What only events that fulfil all conditions answer, with all records. */
  within(conditions: readonly QueryScope[]): Pick<ScopeView, "execute" | "projects"> {
    const namesCompanies = conditions.some(({ where }) => where.flat().some(({ operand }) => operand.kind === "companyId"));
    const context = async (signal?: Pick<AbortSignal, "aborted">) => {
      const whole = await this.context(signal);
      const several = namesCompanies ? await readMultiCompany(whole) : null;
      return { ...whole, tables: new ScopedTables({ ...whole, several }, conditions) };
    };
    return {
      execute: async (plan, signal) => await answerOf(plan, await context(signal)),
      projects: async () => {
        const { connection, tables } = await context();
        const rows = await connection.rows<[string]>(sql`SELECT DISTINCT project FROM ${tables.all("events")}`);
        return [DEFAULT_PROJECT, ...rows.map(([project]) => project)];
      },
    };
  }

  /** Context shared by the statements of one query, not yet with known traits or companies. */
  async context(signal?: Pick<AbortSignal, "aborted">): Promise<ReportContext> {
    const { touch, revenue } = reportRules(this.rules);
    const identityContext = await readIdentityContext(this.connection.stoppedBy(signal), this.tables);
    return { ...identityContext, touch, revenue, rules: this.rules, several: null, known: NOTHING_KNOWN, person: null };
  }
}

async function answerOf<K extends ReportName>(plan: Plan<K>, now: ReportContext): Promise<Answer<K>> {
  const all: { readonly [N in ReportName]?: StatementReport<N> } = reports;
  const report: StatementReport<K> | undefined = all[plan.report as K];
  if (report === undefined) throw new DaybookError("not_supported", `${plan.report}: ClickHouse does not support this query`);
  const several = readsCompanies(plan) ? await readMultiCompany(now) : null;
  const context = { ...now, several, known: await knownOfPlan(plan, now) };
  if (plan.userId === null) return await report(plan, context);
  return await report(plan, { ...context, person: (await personOfId(plan.userId, context)) ?? NOBODY });
}

/** Whether a plan needs the companies of users: then it pays to look up first which users have several. */
function readsCompanies(plan: Plan): boolean {
  const isOfCompany = (kind: string) => kind === "companyId" || kind === "company";
  const isOfAccounts = "level" in plan && plan.level === "account";
  return OF_COMPANIES.has(plan.report) || isOfAccounts || operandsOf(plan).some(({ operand }) => isOfCompany(operand.kind));
}

const OF_COMPANIES: ReadonlySet<ReportName> = new Set<ReportName>(["topCompanies", "companyTopUsers"]);

/** An unknown user id has no events. */
const NOBODY = { users: [], anonymous: [] };
