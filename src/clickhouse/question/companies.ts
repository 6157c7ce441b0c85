import { sql, type Sql } from "../sql/sql.js";
import type { Moment, Needs } from "./needs.js";
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

/** Of everybody who was seen with a company the times of that, the ids of the events or records, and the companies, in order. */
export function memberships({ tables, survivors }: Moment): Sql {
  const seen = sql`ms AS seenMs, toUInt128(id) AS seenId, toString(companyId) AS company`;
  const owners = (links: Sql) => sql`ANY LEFT JOIN (${ownersOf(links, tables)}) AS owners ON owners.linked = anonymousId`;
  const who = whoOf(survivors);
  const ofEvents = sql`SELECT ${who} AS member, ${seen} FROM ${tables.all("events")} AS events ${owners(tables.ofShard("links"))}
    WHERE companyId != ''`;
  const ofRecords = sql`SELECT ${who} AS member, ${seen} FROM ${tables.all("records")} AS records GLOBAL ${owners(tables.all("links"))}
    WHERE kind = 'group' AND id GLOBAL NOT IN (${unlinked(tables)})`;
  return sql`SELECT member, arraySort(groupArray((seenMs, seenId, company))) AS companies FROM (${ofEvents} UNION ALL ${ofRecords})
    WHERE member != '' GROUP BY member`;
}
