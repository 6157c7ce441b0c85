import { companyNames } from "../../query/answer/company-names.js";
import { ZERO, addMoney, compareMoney, majorUnits, type Money } from "../../query/answer/money.js";
import { parameterError, shown } from "../../core/base/errors.js";
import { grouped } from "../../core/base/arrays.js";
import { compareCodePoints } from "../../core/base/text-order.js";
import { isoOf } from "../../core/base/time.js";
import type { Range, TopCompaniesPlan } from "../../query/plan/plan.js";
import { newestTexts } from "../../core/schema/record.js";
import { companyOf, rowsByActor } from "../query/companies.js";
import { identifierJoin, IS_IDENTIFIED } from "../query/person.js";
import { RequiredJoins } from "../query/required-joins.js";
import { moneyRows, paymentsOf } from "../query/payments.js";
import { inRange } from "../query/where.js";
import { isInForce } from "../query/identity-context.js";
import { allOf, limitOf, sql, texts, text, type Sql } from "../sql/sql.js";
import { paidGroups } from "./revenue.js";
import type { ReportContext, StatementReport } from "./report.js";

type CompanyRow = readonly [companyId: string, events: number, users: number, lastSeenMs: number];

export const topCompanies: StatementReport<"topCompanies"> = async (plan, context) => {
  const { currency } = plan.revenue;
  const money = await moneyByCompany(plan, context);
  const moneyOf = (companyId: string) => money.get(companyId) ?? ZERO;
  const rows = (await activeCompanies(plan, context)).sort(orderOf(plan, moneyOf)).slice(0, plan.limit);
  const traits = await traitsOf(rows.map(([companyId]) => companyId), context);
  const companies = rows.map(([companyId, events, users, lastSeenMs]) => ({
    ...companyNames(companyId, traits.get(companyId) ?? {}),
    events,
    users,
    lastSeen: isoOf(lastSeenMs),
    revenue: majorUnits(moneyOf(companyId), currency),
  }));
  return { currency, companies };
};

async function activeCompanies({ window }: TopCompaniesPlan, context: ReportContext): Promise<CompanyRow[]> {
  const people = sql`uniqExactIf(person, ${IS_IDENTIFIED})`;
  return await context.connection.rows<CompanyRow>(sql`SELECT company, sum(eventCount), ${people}, max(lastMs)
    FROM ${activity(window, sql`company != ''`, context)} GROUP BY company`) as CompanyRow[];
}

/** The events of the window by company and person, with the identifiers of these. */
function activity(window: Range, condition: Sql, context: ReportContext): Sql {
  const needs = new RequiredJoins(context, rowsByActor(context, sql`count() AS eventCount, max(ms) AS lastMs`, allOf(inRange(window))));
  const columns = sql`${companyOf(needs)} AS company, ${needs.identityKey()} AS person, eventCount, lastMs`;
  return sql`(SELECT ${columns} FROM ${needs.rows()} WHERE ${condition}) AS seen ${identifierJoin(context)}`;
}

async function moneyByCompany({ window, revenue }: TopCompaniesPlan, context: ReportContext): Promise<ReadonlyMap<string, Money>> {
  const needs = new RequiredJoins(context, moneyRows(revenue, context.tables));
  const payments = paymentsOf(revenue, needs, sql`, ${companyOf(needs)} AS company`);
  const paid = sql`SELECT company, amount, isRefund, currencies, day FROM (${payments}) WHERE company != '' AND ${allOf(inRange(window))}`;
  const sums = new Map<string, Money>();
  for await (const { keys: [company], money } of paidGroups<[string]>(["company"], paid, revenue, context))
    sums.set(company, addMoney(sums.get(company) ?? ZERO, money));
  return sums;
}

function orderOf({ sort }: TopCompaniesPlan, moneyOf: (companyId: string) => Money): (a: CompanyRow, b: CompanyRow) => number {
  const first = {
    users: () => 0,
    events: (a: CompanyRow, b: CompanyRow) => b[1] - a[1],
    last_seen: (a: CompanyRow, b: CompanyRow) => b[3] - a[3],
    revenue: (a: CompanyRow, b: CompanyRow) => compareMoney(moneyOf(b[0]), moneyOf(a[0])),
  }[sort];
  return (a, b) => first(a, b) || b[2] - a[2] || b[1] - a[1] || b[3] - a[3] || compareCodePoints(a[0], b[0]);
}

async function traitsOf(companyIds: readonly string[], context: ReportContext): Promise<Map<string, Record<string, unknown>>> {
  const { connection, tables } = context;
  const inForce = sql`kind = 'group' AND traits != '' AND ${isInForce(sql`id`, context)}`;
  const rows = await connection.rows<[string, string]>(sql`SELECT companyId, traits FROM ${tables.all("records")}
    WHERE ${inForce} AND companyId IN ${texts(companyIds)} ORDER BY ms, toUInt128(id)`);
  const byCompany = grouped(rows, ([companyId]) => companyId);
  return new Map([...byCompany].map(([companyId, own]) => [companyId, newestTexts(own.map(([, traits]) => traits))]));
}

/** The identified identities that were most active for a company in the window. */
export const companyTopUsers: StatementReport<"companyTopUsers"> = async ({ companyId, window, limit }, context) => {
  if (!(await isKnown(companyId, context))) throw parameterError("company_not_found", "companyId", `no company has the id ${shown(companyId)}`);
  const identifier = sql`if(any(identifier) != '', any(identifier), substring(person, 2))`;
  const rows = await context.connection.rows<[string, number, number]>(sql`SELECT ${identifier} AS resolvedIdentifier,
      sum(eventCount) AS events, max(lastMs) AS last
    FROM ${activity(window, sql`company = ${text(companyId)} AND person != ''`, context)}
    WHERE ${IS_IDENTIFIED} GROUP BY person
    ORDER BY events DESC, last DESC, resolvedIdentifier ${limitOf(limit)}`);
  return { companyId, users: rows.map(([resolvedIdentifier, events, lastMs]) => ({ resolvedIdentifier, events, lastSeen: isoOf(lastMs) })) };
};

async function isKnown(companyId: string, context: ReportContext): Promise<boolean> {
  const { connection, tables } = context;
  const isOf = sql`companyId = ${text(companyId)}`;
  const ofEvents = sql`SELECT 1 FROM ${tables.all("events")} WHERE ${isOf} GROUP BY companyId`;
  const ofRecords = sql`SELECT 1 FROM ${tables.all("records")} WHERE ${isOf} AND kind = 'group' AND ${isInForce(sql`id`, context)} LIMIT 1`;
  return companyId !== "" && (await connection.hasRows(ofEvents, ofRecords));
}
