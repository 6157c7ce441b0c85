import { looksLikeEmail, normalEmail } from "../../identity/emails.js";
import { compareCodePoints } from "../../core/base/order.js";
import type { Subject as Named } from "../../query/plan/plan.js";
import type { PrivacyHolder } from "../../engine/privacy/lifecycle.js";
import { sql, text, type Sql } from "../sql/sql.js";
import type { PersonActors, PersonLookup } from "./person-lookup.js";
import { isInForce } from "./who.js";

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
