import { sql, type Sql } from "../sql/sql.js";
import type { TableNames } from "../tables/names.js";
import type { Moment, Needs, Source } from "./needs.js";
import { ownersOf, unlinked, whoOf } from "./who.js";

/** The company behind a row: its own, else the one that its identity was last seen with before it, else the first. */
export function companyOf(needs: Needs): Sql {
  const companies = needs.companies();
  const before = sql`arrayCount(seen -> (seen.1, seen.2) < (ms, toUInt128(id)), ${companies})`;
  return sql`if(companyId != '' OR empty(${companies}), toString(companyId), ${companies}[greatest(${before}, 1)].3)`;
}

/** The company that the identity behind a row was last seen with; `""` for none. */
export function lastCompanyOf(needs: Needs): Sql {
  return sql`${needs.companies()}[-1].3`;
}

/**
 * Of everybody who was seen with a company the times of that, the ids of the events or records, and the companies, in order. Most were seen with one
 * alone: it is there once, at no time.
 */
export function memberships({ tables, survivors }: Moment): Sql {
  const owners = (links: Sql) => sql`ANY LEFT JOIN (${ownersOf(links, tables)}) AS owners ON owners.linked = anonymousId`;
  const who = whoOf(survivors);
  const actors = sql`SELECT userId, anonymousId, companyId FROM ${tables.all("events")} WHERE companyId != '' GROUP BY userId, anonymousId, companyId`;
  const ofActors = sql`(${actors}) AS actors GLOBAL ${owners(tables.all("links"))}`;
  const records = sql`${tables.all("records")} AS records GLOBAL ${owners(tables.all("links"))}
    WHERE kind = 'group' AND id GLOBAL NOT IN (${unlinked(tables)})`;
  const pairs = sql`SELECT ${who} AS member, toString(companyId) AS company FROM ${ofActors}
    UNION ALL SELECT ${who} AS member, toString(companyId) AS company FROM ${records}`;
  const single = sql`SELECT member, [(toUInt64(0), toUInt128(0), any(company))] AS companies FROM (${pairs})
    WHERE member != '' GROUP BY member HAVING min(company) = max(company)`;

  const ofSeveral = sql`SELECT member FROM (${pairs}) WHERE member != '' GROUP BY member HAVING min(company) != max(company)`;
  const ids = sql`SELECT userId, anonymousId FROM (SELECT userId, anonymousId, ${who} AS member FROM ${ofActors}) WHERE member GLOBAL IN (${ofSeveral})`;
  const seen = sql`ms AS seenMs, toUInt128(id) AS seenId, toString(companyId) AS company`;
  const ofEvents = sql`SELECT ${who} AS member, ${seen} FROM ${tables.all("events")} AS events ${owners(tables.ofShard("links"))}
    WHERE companyId != '' AND (userId, anonymousId) GLOBAL IN (${ids})`;
  const ofRecords = sql`SELECT ${who} AS member, ${seen} FROM ${records}`;
  const several = sql`SELECT member, arraySort(groupArray((seenMs, seenId, company))) AS companies FROM (${ofEvents} UNION ALL ${ofRecords})
    WHERE member GLOBAL IN (${ofSeveral}) GROUP BY member`;
  return sql`SELECT member, companies FROM (${single} UNION ALL ${several})`;
}

/** Who was there with which company in which project, and the day of the first time: the servers keep it beside the events. */
export function actorRows(tables: TableNames): Source {
  const columns = sql`userId, anonymousId, companyId, project`;
  return { rows: sql`(SELECT ${columns}, min(day) AS firstDay FROM ${tables.all("events")} GROUP BY ${columns})`, isGathered: true };
}
