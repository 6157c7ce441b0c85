import { companyNames } from "../../query/answer/company-names.js";
import { ZERO, addMoney, compareMoney, majorUnits, type Money } from "../../query/answer/money.js";
import { compareCodePoints } from "../../core/base/order.js";
import { isoOf } from "../../core/base/time.js";
import type { Plan } from "../../query/plan/plan.js";
import { newestTexts } from "../../core/schema/record.js";
import { companyOf, rowsByActor } from "../query/companies.js";
import { emailIdentifiers, isIdentified } from "../query/person.js";
import { Needs } from "../query/needs.js";
import { groupedPayments, moneyRows, paymentsOf } from "../query/payments.js";
import { inRange } from "../query/where.js";
import { isInForce } from "../query/who.js";
import { allOf, sql, texts, text, whole } from "../sql/sql.js";
import { Conversion, type PaymentColumns } from "./revenue.js";
import type { ReportContext, StatementReport } from "./report.js";
import { parameterError, shown } from "../../core/base/errors.js";

type CompanyRow = readonly [companyId: string, events: number, users: number, lastSeenMs: number];

/** The companies with events in the window, over all projects. */
export const topCompanies: StatementReport<"topCompanies"> = async (plan, asking) => {
  const { currency } = plan.revenue;
  const money = await moneyByCompany(plan, asking);
  const moneyOf = (companyId: string) => money.get(companyId) ?? ZERO;
  const rows = (await activeCompanies(plan, asking)).sort(orderOf(plan, moneyOf)).slice(0, plan.limit);
  const traits = await traitsOf(rows.map(([companyId]) => companyId), asking);
  const companies = rows.map(([companyId, events, users, lastSeenMs]) => ({
    ...companyNames(companyId, traits.get(companyId) ?? {}),
    events,
    users,
    lastSeen: isoOf(lastSeenMs),
    revenue: majorUnits(moneyOf(companyId), currency),
  }));
  return { currency, companies };
};

async function activeCompanies({ window }: Plan<"topCompanies">, asking: ReportContext): Promise<CompanyRow[]> {
  const needs = new Needs(asking, rowsByActor(asking, sql`count() AS eventCount, max(ms) AS lastMs`, allOf(inRange(window))));
  const seen = sql`SELECT ${companyOf(needs)} AS company, ${needs.who()} AS person, eventCount, lastMs FROM ${needs.rows()} WHERE company != ''`;
  const people = sql`uniqExactIf(person, ${isIdentified(sql`person`)})`;
  return await asking.connection.rows<CompanyRow>(sql`SELECT company, sum(eventCount), ${people}, max(lastMs) FROM (${seen}) AS seen
    GLOBAL ANY LEFT JOIN (${emailIdentifiers(asking)}) AS identifiers ON identifiers.named = seen.person GROUP BY company`, asking.signal) as CompanyRow[];
}

async function moneyByCompany({ window, revenue }: Plan<"topCompanies">, asking: ReportContext): Promise<ReadonlyMap<string, Money>> {
  const needs = new Needs(asking, moneyRows(revenue, asking.tables));
  const payments = paymentsOf(revenue, needs, sql`, ${companyOf(needs)} AS company`);
  const paid = sql`SELECT company, amount, isRefund, currencies, day FROM (${payments}) WHERE company != '' AND ${allOf(inRange(window))}`;
  const conversion = new Conversion(revenue.currency, asking.rules.rates);
  const sums = new Map<string, Money>();
  const added = groupedPayments(["company"], paid, revenue);
  for await (const [company, ...payment] of asking.connection.stream<[string, ...PaymentColumns]>(added, asking.signal)) {
    const { converted } = conversion.paid(payment);
    if (converted !== null) sums.set(company, addMoney(sums.get(company) ?? ZERO, converted));
  }
  return sums;
}

function orderOf({ sort }: Plan<"topCompanies">, moneyOf: (companyId: string) => Money): (a: CompanyRow, b: CompanyRow) => number {
  const first = {
    users: () => 0,
    events: (a: CompanyRow, b: CompanyRow) => b[1] - a[1],
    last_seen: (a: CompanyRow, b: CompanyRow) => b[3] - a[3],
    revenue: (a: CompanyRow, b: CompanyRow) => compareMoney(moneyOf(b[0]), moneyOf(a[0])),
  }[sort];
  return (a, b) => first(a, b) || b[2] - a[2] || b[1] - a[1] || b[3] - a[3] || compareCodePoints(a[0], b[0]);
}

/** The newest text of every trait of some companies. */
async function traitsOf(companyIds: readonly string[], asking: ReportContext): Promise<Map<string, Record<string, unknown>>> {
  const { connection, tables, signal } = asking;
  const inForce = sql`kind = 'group' AND traits != '' AND ${isInForce(sql`id`, asking)}`;
  const rows = await connection.rows<[string, string]>(sql`SELECT companyId, traits FROM ${tables.all("records")}
    WHERE ${inForce} AND companyId IN ${texts(companyIds)} ORDER BY ms, toUInt128(id)`, signal);
  const told = new Map<string, string[]>();
  for (const [companyId, traits] of rows) told.set(companyId, [...(told.get(companyId) ?? []), traits]);
  return new Map([...told].map(([companyId, traits]) => [companyId, newestTexts(traits)]));
}

/** The identified identities that were most active for a company in the window. */
export const companyTopUsers: StatementReport<"companyTopUsers"> = async ({ companyId, window, limit }, asking) => {
  if (!(await isKnown(companyId, asking))) throw parameterError("company_not_found", "companyId", `no company has the id ${shown(companyId)}`);
  const needs = new Needs(asking, rowsByActor(asking, sql`count() AS eventCount, max(ms) AS lastMs`, allOf(inRange(window))));
  const isOfCompany = sql`${companyOf(needs)} = ${text(companyId)}`;
  const person = needs.who();
  const seen = sql`SELECT ${person} AS person, eventCount, lastMs FROM ${needs.rows()} WHERE ${isOfCompany} AND person != ''`;
  const called = sql`if(any(identifier) != '', any(identifier), substring(person, 2))`;
  const statement = sql`SELECT ${called} AS resolvedIdentifier, sum(eventCount) AS events, max(lastMs) AS last FROM (${seen}) AS seen
    GLOBAL ANY LEFT JOIN (${emailIdentifiers(asking)}) AS identifiers ON identifiers.named = seen.person
    WHERE ${isIdentified(sql`person`)} GROUP BY person
    ORDER BY events DESC, last DESC, resolvedIdentifier ${limit === null ? sql`` : sql`LIMIT ${whole(limit)}`}`;
  const rows = await asking.connection.rows<[string, number, number]>(statement, asking.signal);
  return { companyId, users: rows.map(([resolvedIdentifier, events, lastMs]) => ({ resolvedIdentifier, events, lastSeen: isoOf(lastMs) })) };
};

/** Whether an event, or a group call in force, has this company. */
async function isKnown(companyId: string, asking: ReportContext): Promise<boolean> {
  const { connection, tables, signal } = asking;
  const ofEvents = sql`SELECT 1 FROM ${tables.all("events")} WHERE companyId = ${text(companyId)} GROUP BY companyId`;
  const inForce = sql`kind = 'group' AND ${isInForce(sql`id`, asking)}`;
  const ofRecords = sql`SELECT 1 FROM ${tables.all("records")} WHERE companyId = ${text(companyId)} AND ${inForce} LIMIT 1`;
  return companyId !== "" && (await connection.rows(sql`SELECT * FROM (${ofEvents} UNION ALL ${ofRecords}) LIMIT 1`, signal)).length > 0;
}
