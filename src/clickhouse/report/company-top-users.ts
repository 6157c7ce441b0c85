import { parameterError, shown } from "../../core/base/errors.js";
import { isoOf } from "../../core/base/time.js";
import { companyOf, rowsByActor } from "../query/companies.js";
import { emailIdentifiers, isIdentified } from "../query/identifiers.js";
import { Needs } from "../query/needs.js";
import { inRange } from "../query/where.js";
import { isInForce } from "../query/who.js";
import { allOf, sql, text, whole } from "../sql/sql.js";
import type { ReportContext, StatementReport } from "./report.js";

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
