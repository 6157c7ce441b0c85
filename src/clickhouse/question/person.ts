import { looksLikeEmail, normalEmail } from "../../identity/emails.js";
import { compareCodePoints } from "../../base/order.js";
import type { Subject as Named } from "../../plan/plan.js";
import { sql, text } from "../sql/sql.js";
import type { Subject, Subjects } from "./subject.js";
import { isInForce } from "./who.js";

/** Whom a question about one person names; null for an unknown one. */
export async function personOf(named: Named, subjects: Subjects): Promise<Subject | null> {
  if (named.kind === "userId") return await subjects.ofId(named.userId);
  const { connection, moment, signal } = subjects;
  const { tables } = moment;
  const identified = sql`SELECT userId, anonymousId FROM ${tables.all("records")}
    WHERE kind = 'identify' AND email = ${text(named.email)} AND ${isInForce(sql`id`, moment)} ORDER BY ms DESC, toUInt128(id) DESC LIMIT 1`;
  const [[userId = "", anonymousId = ""] = []] = await connection.rows<[string, string]>(identified, signal);
  if (userId !== "") return await subjects.ofUser(userId);
  if (anonymousId !== "") return await subjects.ofAnonymous(anonymousId);
  if (!looksLikeEmail(named.email)) return null;
  const [first] = (await usersLike(named.email, subjects)).sort(compareCodePoints);
  return first === undefined ? null : await subjects.ofUser(first);
}

/** User ids that are this email themselves. Cost: a look at all user ids. */
async function usersLike(email: string, { connection, moment, signal }: Subjects): Promise<string[]> {
  const { tables } = moment;
  const isLike = (column: string) => sql`position(lowerUTF8(${{ type: "Identifier", value: column }}), ${text(email)}) > 0`;
  const inForce = sql`kind != 'unlink' AND NOT (fromUserId != '' AND fromUserId = userId) AND ${isInForce(sql`id`, moment)}`;
  const ofRecords = sql`SELECT arrayJoin([userId, fromUserId]) AS userId FROM ${tables.all("records")} WHERE ${inForce}`;
  const ofEvents = sql`SELECT userId FROM ${tables.all("events")} WHERE ${isLike("userId")} GROUP BY userId`;
  const rows = await connection.rows<[string]>(sql`SELECT DISTINCT userId FROM (${ofEvents}
    UNION ALL SELECT userId FROM (${ofRecords}) WHERE ${isLike("userId")})`, signal);
  return rows.map(([userId]) => userId).filter((userId) => normalEmail(userId) === email);
}
