import { EMPTY, joined, NO_ID, sql, texts, whole, type Sql } from "../sql/sql.js";
import type { TableNames } from "../tables/layout.js";
import { tieBreakerOf, recordTieBreakerOf } from "./event-columns.js";
import type { QueryContext, RequiredJoins, RowSource } from "./required-joins.js";
import { ownerJoin, recordsInForce, identityKeyOf } from "./identity-context.js";

/** The companies that a row's identity was seen with, in order. */
export function companiesOf(needs: RequiredJoins): Sql {
  const identityKey = needs.identityKey();
  const [companies = EMPTY] = needs.join("companies", () => ({
    joins: sql`GLOBAL ANY LEFT JOIN (${memberships(needs.context)}) AS members ON members.member = ${identityKey}`,
    columns: [sql`companies`],
  }));
  return companies;
}

/** The company of a row: its own, else the last that its identity was seen with before, else the first. */
export function companyOf(needs: RequiredJoins): Sql {
  const companies = companiesOf(needs);
  const before = sql`arrayCount(seen -> (seen.1, seen.2) < (ms, ${tieBreakerOf(needs.context.tables)}), ${companies})`;
  return sql`if(companyId != '' OR empty(${companies}), toString(companyId), ${companies}[greatest(${before}, 1)].3)`;
}

/** The company that a row's identity was last seen with; `""` for none. */
export function lastCompanyOf(needs: RequiredJoins): Sql {
  return sql`${companiesOf(needs)}[-1].3`;
}

/** Above this number, statements find identities with several companies themselves. */
const NAMED_COUNT = 1_000;

/** Identities seen with several companies; null: too many to name, so each statement finds them. */
export async function readMultiCompany(context: QueryContext): Promise<readonly string[] | null> {
  const rows = await context.connection.rows<[string]>(sql`${severalOf(context)} LIMIT ${whole(NAMED_COUNT + 1)}`);
  return rows.length > NAMED_COUNT ? null : rows.map(([member]) => member);
}

function severalOf(context: QueryContext): Sql {
  return sql`SELECT member FROM (${pairs(context)}) WHERE member != '' GROUP BY member HAVING min(company) != max(company)`;
}

/** Distinct ids and companies of events, only with a company by default: grouped as the servers keep it. */
function actorsOf(context: QueryContext, condition = sql`companyId != ''`): Sql {
  const { tables } = context;
  const columns = sql`userId, anonymousId, companyId`;
  return sql`(SELECT ${columns} FROM ${tables.all("events")} WHERE ${condition} GROUP BY ${columns}) AS actors
    GLOBAL ${ownerJoin(tables.all("links"), context)}`;
}

function pairs(context: QueryContext): Sql {
  const pair = sql`SELECT ${identityKeyOf(context)} AS member, toString(companyId) AS company`;
  return sql`${pair} FROM ${actorsOf(context)} UNION ALL ${pair} FROM ${recordsInForce("group", sql`true`, context)}`;
}

/** For each identity: the times, their order within one ms, and the companies, in order. With a single company one entry with time 0. */
function memberships(context: QueryContext): Sql {
  const { several, tables } = context;
  const isOne = several === null ? sql`min(company) = max(company)` : several.length === 0 ? sql`true` : sql`member NOT IN ${texts(several)}`;
  const single = sql`SELECT member, [(toUInt64(0), toUInt256(0), any(company))] AS companies FROM (${pairs(context)})
    WHERE member != '' GROUP BY member HAVING ${isOne}`;
  if (several?.length === 0) return single;
  const seen = (num: Sql) => sql`SELECT ${identityKeyOf(context)} AS member, ms AS seenMs, ${num} AS seenNum, toString(companyId) AS company`;
  const ofEvents = sql`${seen(tieBreakerOf(tables))} FROM ${tables.all("events")} AS events ${ownerJoin(tables.ofShard("links"), context)}
    WHERE companyId != '' AND (userId, anonymousId) GLOBAL IN (${idsOfSeveral(context)})`;
  return sql`${single} UNION ALL SELECT member, arraySort(groupArray((seenMs, seenNum, company))) AS companies
    FROM (${ofEvents} UNION ALL ${seen(recordTieBreakerOf(sql`id`))} FROM ${recordsInForce("group", sql`true`, context)})
    WHERE ${isAmongSeveral(context)} GROUP BY member`;
}

function isAmongSeveral(context: QueryContext): Sql {
  return context.several === null ? sql`member GLOBAL IN (${severalOf(context)})` : sql`member IN ${texts(context.several)}`;
}

/** The ids of rows whose identity was seen with several companies: rows with a company, unless `condition` selects others. */
function idsOfSeveral(context: QueryContext, condition?: Sql): Sql {
  const members = sql`SELECT userId, anonymousId, ${identityKeyOf(context)} AS member FROM ${actorsOf(context, condition)}`;
  return sql`SELECT userId, anonymousId FROM (${members}) WHERE ${isAmongSeveral(context)}`;
}

/** Few rows with the same `companyOf`: one per ids and company, but one per event for identities with several. @param columns aggregates */
export function rowsByActor(context: QueryContext, columns: Sql, where: Sql): RowSource {
  const isByTime = sql`companyId = '' AND (userId, anonymousId) GLOBAL IN (${idsOfSeveral(context, sql`companyId = ''`)})`;
  const at = context.several?.length === 0 ? [] : [sql`if(${isByTime}, (ms, id, toString(project)), ${NO_TIME}) AS at`];
  const keys = joined([sql`userId`, sql`anonymousId`, sql`companyId`, ...at], ", ");
  const rows = sql`SELECT ${keys}, ${columns} FROM ${context.tables.all("events")} WHERE ${where}
    GROUP BY userId, anonymousId, companyId${at.length === 0 ? EMPTY : sql`, at`}`;
  const time = at.length === 0 ? NO_TIME : sql`at`;
  return { rows: sql`(SELECT *, ${time}.1 AS ms, ${time}.2 AS id, ${time}.3 AS project FROM (${rows}))`, isGathered: true };
}

const NO_TIME = sql`(toUInt64(0), ${NO_ID}, '')`;

/** Distinct ids, companies and projects of events, with the first day: grouped as the servers keep it. */
export function actorRows(tables: TableNames): RowSource {
  const columns = sql`userId, anonymousId, companyId, project`;
  return { rows: sql`(SELECT ${columns}, min(day) AS firstDay FROM ${tables.all("events")} GROUP BY ${columns})`, isGathered: true };
}
