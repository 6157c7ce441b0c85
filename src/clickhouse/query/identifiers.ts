import { sql, type Sql } from "../sql/sql.js";
import type { QueryContext } from "./needs.js";
import { isInForce, ownersOf, whoOf } from "./who.js";

/** People whose newest email resolves to them: `named`, with that `identifier`. All others with a user id are shown by it. */
export function emailIdentifiers(moment: QueryContext): Sql {
  const { tables, survivors } = moment;
  const owners = sql`GLOBAL ANY LEFT JOIN (${ownersOf(tables.all("links"), moment)}) AS owners ON owners.linked = records.anonymousId`;
  // Among records of one ms an email resolves to the smallest user id, as in queries by email.
  const identified = sql`SELECT ${whoOf(survivors)} AS person, email, (ms, toUInt128(id)) AS told,
    (-toInt64(ms), userId = '', userId, anonymousId) AS rank FROM ${tables.all("records")} AS records ${owners}
    WHERE kind = 'identify' AND email != '' AND ${isInForce(sql`id`, moment)}`;
  return sql`SELECT person AS named, argMax(email, told) AS identifier FROM (${identified}) GROUP BY person
    HAVING (named, identifier) GLOBAL IN (SELECT argMin(person, rank), email FROM (${identified}) GROUP BY email)`;
}

/** Whether a person is identified by a user id or an email. Needs the join with `emailIdentifiers`. */
export function isIdentified(who: Sql): Sql {
  return sql`(startsWith(${who}, 'u') OR identifier != '')`;
}
