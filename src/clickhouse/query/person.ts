import { looksLikeEmail, normalEmail } from "../../identity/emails.js";
import { compareCodePoints } from "../../core/base/order.js";
import type { Subject as Named } from "../../query/plan/plan.js";
import type { PrivacyHolder } from "../../engine/privacy/lifecycle.js";
import { sql, text, texts, type Sql } from "../sql/sql.js";
import { survivingId, type PersonActors, type PersonLookup } from "./person-lookup.js";
import { isInForce, ownersOf, whoOf } from "./who.js";
import type { QueryContext } from "./needs.js";
import { identityIdOf } from "../../identity/identity-ids.js";
import type { Connection } from "../connection/connection.js";

/** The person that a query names; null where unknown. */
export async function personOf(named: Named, subjects: PersonLookup): Promise<PersonActors | null> {
  if (named.kind === "userId") return await subjects.ofId(named.userId);
  const holder = await holderOf(named.email, subjects);
  if (holder === null) return null;
  return "userId" in holder ? await subjects.ofUser(holder.userId) : await subjects.ofAnonymous(holder.anonymousId);
}

/** The exact id that an email resolves to; null where unknown. @param email normalized */
export async function holderOf(email: string, subjects: PersonLookup): Promise<PrivacyHolder | null> {
  const { connection, moment, signal } = subjects;
  const { tables } = moment;
  const identified = sql`SELECT userId, anonymousId FROM ${tables.all("records")}
    WHERE kind = 'identify' AND email = ${text(email)} AND ${isInForce(sql`id`, moment)}
    ORDER BY ms DESC, userId = '', userId, anonymousId LIMIT 1`;
  const [[userId = "", anonymousId = ""] = []] = await connection.rows<[string, string]>(identified, signal);
  if (userId !== "") return { userId };
  if (anonymousId !== "") return { anonymousId };
  if (!looksLikeEmail(email)) return null;
  const inForce = sql`kind != 'unlink' AND NOT (fromUserId != '' AND fromUserId = userId) AND ${isInForce(sql`id`, moment)}`;
  const [first] = (await usersLike(email, subjects, inForce)).sort(compareCodePoints);
  return first === undefined ? null : { userId: first };
}

/** User ids that are this email themselves, of events and of records that fulfil `inForce`. Cost: reads all user ids. */
export async function usersLike(email: string, { connection, moment, signal }: PersonLookup, inForce: Sql): Promise<string[]> {
  const { tables } = moment;
  const isLike = (column: string) => sql`position(lowerUTF8(${{ type: "Identifier", value: column }}), ${text(email)}) > 0`;
  // Renamed, as a condition on `userId` would apply to the column selected under that name.
  const ofRecords = sql`SELECT arrayJoin([userId, fromUserId]) AS named FROM ${tables.all("records")} WHERE ${inForce}`;
  const ofEvents = sql`SELECT userId FROM ${tables.all("events")} WHERE ${isLike("userId")} GROUP BY userId`;
  const rows = await connection.rows<[string]>(sql`SELECT DISTINCT userId FROM (${ofEvents}
    UNION ALL SELECT named AS userId FROM (${ofRecords}) WHERE ${isLike("named")})`, signal);
  return rows.map(([userId]) => userId).filter((userId) => normalEmail(userId) === email);
}

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

/** The ids that an event was sent with; `""` for none. */
export interface SentIds {
  readonly userId: string;
  readonly anonymousId: string;
}

/**
 * The identity ids of a few events; null for an event without ids.
 * Cost: reads the links of their anonymous ids, and searches all aliases for each event.
 */
export async function identityIdsOf(
  sent: readonly SentIds[],
  connection: Connection,
  moment: QueryContext,
  signal: Pick<AbortSignal, "aborted"> | undefined,
): Promise<(string | null)[]> {
  const withoutUser = [...new Set(sent.filter(({ userId }) => userId === "").map(({ anonymousId }) => anonymousId))].filter((id) => id !== "");
  const owned = ownersOf(moment.tables.all("links"), moment, sql`anonymousId IN ${texts(withoutUser)}`);
  const owners = new Map(withoutUser.length === 0 ? [] : await connection.rows<[string, string]>(owned, signal));
  return sent.map(({ userId, anonymousId }) => {
    const user = userId === "" ? (owners.get(anonymousId) ?? "") : userId;
    if (user !== "") return identityIdOf("user", survivingId(user, moment.survivors));
    return anonymousId === "" ? null : identityIdOf("anonymous", anonymousId);
  });
}
