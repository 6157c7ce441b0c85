import type { Connection } from "../connection/connection.js";
import { joined, sql, texts, whole, type Sql } from "../sql/sql.js";
import { tieBreakerOf, recordTieBreakerOf } from "./event-columns.js";
import type { TableNames } from "../tables/layout.js";
import type { QueryContext, Needs, RowSource } from "./needs.js";
import { isInForce, ownersOf, whoOf } from "./who.js";

/** The company of a row: its own, else the last that its identity was seen with before, else the first. */
export function companyOf(needs: Needs): Sql {
  const companies = needs.companies();
  const before = sql`arrayCount(seen -> (seen.1, seen.2) < (ms, ${tieBreakerOf(sql`id`, sql`project`, needs.moment.tables)}), ${companies})`;
  return sql`if(companyId != '' OR empty(${companies}), toString(companyId), ${companies}[greatest(${before}, 1)].3)`;
}

/** The company that a row's identity was last seen with; `""` for none. */
export function lastCompanyOf(needs: Needs): Sql {
  return sql`${needs.companies()}[-1].3`;
}

/** Above this number, statements find identities with several companies themselves. */
const NAMED_COUNT = 1_000;

/** Identities seen with several companies; null: too many to name, so each statement finds them. */
export async function readMultiCompany(connection: Connection, moment: QueryContext, signal?: Pick<AbortSignal, "aborted">): Promise<readonly string[] | null> {
  const rows = await connection.rows<[string]>(sql`${severalOf(moment)} LIMIT ${whole(NAMED_COUNT + 1)}`, signal);
  return rows.length > NAMED_COUNT ? null : rows.map(([member]) => member);
}

function severalOf(moment: QueryContext): Sql {
  return sql`SELECT member FROM (${pairs(moment)}) WHERE member != '' GROUP BY member HAVING min(company) != max(company)`;
}

const owners = (links: Sql, moment: QueryContext) => sql`ANY LEFT JOIN (${ownersOf(links, moment)}) AS owners ON owners.linked = anonymousId`;

/** Distinct ids and companies of events, only with a company by default: grouped as the servers keep it. */
function actorsOf(moment: QueryContext, isMeant = sql`companyId != ''`): Sql {
  const { tables } = moment;
  const columns = sql`userId, anonymousId, companyId`;
  return sql`(SELECT ${columns} FROM ${tables.all("events")} WHERE ${isMeant} GROUP BY ${columns}) AS actors
    GLOBAL ${owners(tables.all("links"), moment)}`;
}

function groupRecords(moment: QueryContext): Sql {
  const { tables } = moment;
  return sql`${tables.all("records")} AS records GLOBAL ${owners(tables.all("links"), moment)}
    WHERE kind = 'group' AND ${isInForce(sql`id`, moment)}`;
}

function pairs(moment: QueryContext): Sql {
  const pair = sql`SELECT ${whoOf(moment.survivors)} AS member, toString(companyId) AS company`;
  return sql`${pair} FROM ${actorsOf(moment)} UNION ALL ${pair} FROM ${groupRecords(moment)}`;
}

/**
 * For each identity seen with a company: the times, their order within one ms, and the companies, in order.
 * With a single company, as in most cases, there is one entry with time 0.
 */
export function memberships(moment: QueryContext): Sql {
  const { several, tables, survivors } = moment;
  const who = whoOf(survivors);
  const isOne = several === null ? sql`min(company) = max(company)` : several.length === 0 ? sql`true` : sql`member NOT IN ${texts(several)}`;
  const single = sql`SELECT member, [(toUInt64(0), toUInt256(0), any(company))] AS companies FROM (${pairs(moment)})
    WHERE member != '' GROUP BY member HAVING ${isOne}`;
  if (several?.length === 0) return single;
  const isOfSeveral = isAmongSeveral(moment);
  const seen = (num: Sql) => sql`SELECT ${who} AS member, ms AS seenMs, ${num} AS seenNum, toString(companyId) AS company`;
  const ofEvents = sql`${seen(tieBreakerOf(sql`id`, sql`project`, tables))} FROM ${tables.all("events")} AS events ${owners(tables.ofShard("links"), moment)}
    WHERE companyId != '' AND (userId, anonymousId) GLOBAL IN (${idsOfSeveral(moment)})`;
  return sql`${single} UNION ALL SELECT member, arraySort(groupArray((seenMs, seenNum, company))) AS companies
    FROM (${ofEvents} UNION ALL ${seen(recordTieBreakerOf(sql`id`))} FROM ${groupRecords(moment)}) WHERE ${isOfSeveral} GROUP BY member`;
}

/** Whether `member` was seen with several companies. */
function isAmongSeveral(moment: QueryContext): Sql {
  return moment.several === null ? sql`member GLOBAL IN (${severalOf(moment)})` : sql`member IN ${texts(moment.several)}`;
}

/** The ids of rows whose identity was seen with several companies: rows with a company, unless `isMeant` selects others. */
function idsOfSeveral(moment: QueryContext, isMeant?: Sql): Sql {
  const members = sql`SELECT userId, anonymousId, ${whoOf(moment.survivors)} AS member FROM ${actorsOf(moment, isMeant)}`;
  return sql`SELECT userId, anonymousId FROM (${members}) WHERE ${isAmongSeveral(moment)}`;
}

/**
 * Groups events into few rows for which `companyOf` is the same: one per ids and company, but one per event for identities with several companies.
 * @param columns aggregates with names of their own
 */
export function rowsByActor(moment: QueryContext, columns: Sql, where: Sql): RowSource {
  const isByTime = sql`companyId = '' AND (userId, anonymousId) GLOBAL IN (${idsOfSeveral(moment, sql`companyId = ''`)})`;
  const at = moment.several?.length === 0 ? [] : [sql`if(${isByTime}, (ms, id, toString(project)), ${NO_TIME}) AS at`];
  const keys = joined([sql`userId`, sql`anonymousId`, sql`companyId`, ...at], ", ");
  const rows = sql`SELECT ${keys}, ${columns} FROM ${moment.tables.all("events")} WHERE ${where}
    GROUP BY userId, anonymousId, companyId${at.length === 0 ? sql`` : sql`, at`}`;
  const time = at.length === 0 ? NO_TIME : sql`at`;
  return { rows: sql`(SELECT *, ${time}.1 AS ms, ${time}.2 AS id, ${time}.3 AS project FROM (${rows}))`, isGathered: true };
}

const NO_TIME = sql`(toUInt64(0), toUUID('00000000-0000-0000-0000-000000000000'), '')`;

/** Distinct ids, companies and projects of events, with the first day: grouped as the servers keep it. */
export function actorRows(tables: TableNames): RowSource {
  const columns = sql`userId, anonymousId, companyId, project`;
  return { rows: sql`(SELECT ${columns}, min(day) AS firstDay FROM ${tables.all("events")} GROUP BY ${columns})`, isGathered: true };
}
