import type { Connection } from "../connection/connection.js";
import { joined, sql, texts, whole, type Sql } from "../sql/sql.js";
import { numOf, numOfRecord } from "./place.js";
import type { TableNames } from "../tables/names.js";
import type { QueryContext, Needs, RowSource } from "./needs.js";
import { isInForce, ownersOf, whoOf } from "./who.js";

/** The company behind a row: its own, else the one that its identity was last seen with before it, else the first. */
export function companyOf(needs: Needs): Sql {
  const companies = needs.companies();
  const before = sql`arrayCount(seen -> (seen.1, seen.2) < (ms, ${numOf(sql`id`, sql`project`, needs.moment.tables)}), ${companies})`;
  return sql`if(companyId != '' OR empty(${companies}), toString(companyId), ${companies}[greatest(${before}, 1)].3)`;
}

/** The company that the identity behind a row was last seen with; `""` for none. */
export function lastCompanyOf(needs: Needs): Sql {
  return sql`${needs.companies()}[-1].3`;
}

/** Of those who were seen with several companies, statements name no more. */
const NAMED_COUNT = 1_000;

/** Who was seen with several companies; null: so many that a statement finds them. */
export async function severalNow(connection: Connection, moment: QueryContext, signal?: Pick<AbortSignal, "aborted">): Promise<readonly string[] | null> {
  const rows = await connection.rows<[string]>(sql`${severalOf(moment)} LIMIT ${whole(NAMED_COUNT + 1)}`, signal);
  return rows.length > NAMED_COUNT ? null : rows.map(([member]) => member);
}

function severalOf(moment: QueryContext): Sql {
  return sql`SELECT member FROM (${pairs(moment)}) WHERE member != '' GROUP BY member HAVING min(company) != max(company)`;
}

const owners = (links: Sql, moment: QueryContext) => sql`ANY LEFT JOIN (${ownersOf(links, moment)}) AS owners ON owners.linked = anonymousId`;

/** By their ids, with companies unless others are meant: what the servers keep of events. */
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
 * Of everybody who was seen with a company the times of that, what orders those of one ms, and the companies, in order. Most were seen with one
 * alone: it is there once, at no time.
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
  const ofEvents = sql`${seen(numOf(sql`id`, sql`project`, tables))} FROM ${tables.all("events")} AS events ${owners(tables.ofShard("links"), moment)}
    WHERE companyId != '' AND (userId, anonymousId) GLOBAL IN (${idsOfSeveral(moment)})`;
  return sql`${single} UNION ALL SELECT member, arraySort(groupArray((seenMs, seenNum, company))) AS companies
    FROM (${ofEvents} UNION ALL ${seen(numOfRecord(sql`id`))} FROM ${groupRecords(moment)}) WHERE ${isOfSeveral} GROUP BY member`;
}

/** Whether `member` was seen with several companies. */
function isAmongSeveral(moment: QueryContext): Sql {
  return moment.several === null ? sql`member GLOBAL IN (${severalOf(moment)})` : sql`member IN ${texts(moment.several)}`;
}

/** Under which ids the rows lie of whoever was seen with several: those with a company, unless others are meant. */
function idsOfSeveral(moment: QueryContext, isMeant?: Sql): Sql {
  const members = sql`SELECT userId, anonymousId, ${whoOf(moment.survivors)} AS member FROM ${actorsOf(moment, isMeant)}`;
  return sql`SELECT userId, anonymousId FROM (${members}) WHERE ${isAmongSeveral(moment)}`;
}

/**
 * Some events as the few rows of which `companyOf` tells the same: those with the same ids and company as one, and of whoever was seen with several
 * companies each by itself.
 * @param columns what is told of the events of a row: aggregates, with names of their own
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

/** Who was there with which company in which project, and the day of the first time: the servers keep it beside the events. */
export function actorRows(tables: TableNames): RowSource {
  const columns = sql`userId, anonymousId, companyId, project`;
  return { rows: sql`(SELECT ${columns}, min(day) AS firstDay FROM ${tables.all("events")} GROUP BY ${columns})`, isGathered: true };
}
