import { parameterError, shown } from "../../base/errors.js";
import { isoOf } from "../../base/time.js";
import { companyOf } from "../question/companies.js";
import { emailIdentifiers, isIdentified } from "../question/identifiers.js";
import { Needs } from "../question/needs.js";
import { inRange } from "../question/where.js";
import { unlinked } from "../question/who.js";
import { allOf, sql, text, whole } from "../sql/sql.js";
import type { Asking, Report } from "./report.js";

/** The identified identities that were most active for a company in the window. */
export const companyTopUsers: Report<"companyTopUsers"> = async ({ companyId, window, limit }, asking) => {
  if (!(await isKnown(companyId, asking))) throw parameterError("company_not_found", "companyId", `no company is known by ${shown(companyId)}`);
  const needs = new Needs(asking);
  const isOfCompany = sql`${companyOf(needs)} = ${text(companyId)}`;
  const seen = sql`SELECT ${needs.who()} AS person, ms FROM ${needs.rows()} WHERE ${allOf(inRange(window))} AND ${isOfCompany} AND person != ''`;
  const called = sql`if(any(identifier) != '', any(identifier), substring(person, 2))`;
  const statement = sql`SELECT ${called} AS resolvedIdentifier, count() AS eventCount, max(ms) AS lastMs FROM (${seen}) AS seen
    GLOBAL ANY LEFT JOIN (${emailIdentifiers(asking)}) AS identifiers ON identifiers.named = seen.person
    WHERE ${isIdentified(sql`person`)} GROUP BY person
    ORDER BY eventCount DESC, lastMs DESC, resolvedIdentifier ${limit === null ? sql`` : sql`LIMIT ${whole(limit)}`}`;
  const rows = await asking.connection.rows<[string, number, number]>(statement, asking.signal);
  return { companyId, users: rows.map(([resolvedIdentifier, events, lastMs]) => ({ resolvedIdentifier, events, lastSeen: isoOf(lastMs) })) };
};

/** Whether an event, or a group call in force, names a company. */
async function isKnown(companyId: string, { connection, tables, signal }: Asking): Promise<boolean> {
  const ofEvents = sql`SELECT 1 FROM ${tables.all("events")} WHERE companyId = ${text(companyId)} GROUP BY companyId`;
  const inForce = sql`kind = 'group' AND id GLOBAL NOT IN (${unlinked(tables)})`;
  const ofRecords = sql`SELECT 1 FROM ${tables.all("records")} WHERE companyId = ${text(companyId)} AND ${inForce} LIMIT 1`;
  return companyId !== "" && (await connection.rows(sql`SELECT * FROM (${ofEvents} UNION ALL ${ofRecords}) LIMIT 1`, signal)).length > 0;
}
