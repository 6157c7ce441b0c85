import { compareCodePoints } from "../../core/base/text-order.js";
import { looksLikeEmail, normalEmail } from "../../identity/emails.js";
import type { RequestedPerson } from "../../query/plan/plan.js";
import type { PrivacyHolder } from "../../engine/privacy/lifecycle.js";
import { identityIdOf } from "../../identity/identity-ids.js";
import { name, sql, text, texts, type Sql } from "../sql/sql.js";
import { isInForce, ownersOf, recordsInForce, survivingId, identityKeyOf, type ActorIds, type IdentityContext } from "./identity-context.js";

/** A person: the surviving user id, or the anonymous id where there is no user, and all ids that belong to it. */
export interface PersonActors extends ActorIds {
  readonly kind: "user" | "anonymous";
  readonly id: string;
}

/** Records in force from which an id is known: unlinks, and aliases of a user to itself, make none known. */
function namesSomeone(context: IdentityContext): Sql {
  return sql`kind != 'unlink' AND NOT (fromUserId != '' AND fromUserId = userId) AND ${isInForce(sql`id`, context)}`;
}

/** The person with this user id, else with this anonymous id; null where unknown. */
export async function personOfId(id: string, context: IdentityContext): Promise<PersonActors | null> {
  if (await isUser(id, context)) return await personOfUser(id, context);
  const isOf = sql`anonymousId = ${text(id)}`;
  return (await isKnown(isOf, isOf, context)) ? await personOfHolder({ anonymousId: id }, context) : null;
}

export function isUser(id: string, context: IdentityContext): Promise<boolean> {
  return isKnown(sql`userId = ${text(id)}`, sql`userId = ${text(id)} OR fromUserId = ${text(id)}`, context);
}

/** The person with an id, which need not be known. */
export async function personOfHolder(holder: PrivacyHolder, context: IdentityContext): Promise<PersonActors> {
  if ("userId" in holder) return await personOfUser(holder.userId, context);
  const { anonymousId: id } = holder;
  const owners = ownersOf(context.tables.all("links"), context, sql`anonymousId = ${text(id)}`);
  const [[, owner = ""] = []] = await context.connection.rows<string[]>(owners);
  return owner === "" ? { kind: "anonymous", id, users: [], anonymous: [id] } : await personOfUser(owner, context);
}

async function personOfUser(id: string, context: IdentityContext): Promise<PersonActors> {
  const { connection, tables, survivors } = context;
  const survivor = survivingId(id, survivors);
  const users = [survivor, ...survivors.from.filter((_, at) => survivors.to[at] === survivor)];
  const linked = sql`anonymousId GLOBAL IN (SELECT anonymousId FROM ${tables.all("links")} WHERE userId IN ${texts(users)})`;
  const owners = ownersOf(tables.all("links"), context, linked);
  const owned = await connection.rows<string[]>(sql`SELECT linked FROM (${owners}) WHERE owner IN ${texts(users)}`);
  return { kind: "user", id: survivor, users, anonymous: owned.map(([anonymousId = ""]) => anonymousId) };
}

async function isKnown(ofEvents: Sql, ofRecords: Sql, context: IdentityContext): Promise<boolean> {
  const { connection, tables } = context;
  // Grouped as the servers keep it.
  const events = sql`SELECT 1 FROM ${tables.all("events")} WHERE ${ofEvents} GROUP BY userId, anonymousId LIMIT 1`;
  return await connection.hasRows(events, sql`SELECT 1 FROM ${tables.all("records")} WHERE (${ofRecords}) AND ${namesSomeone(context)} LIMIT 1`);
}

/** The person that a query names; null where unknown. */
export async function personOf(named: RequestedPerson, context: IdentityContext): Promise<PersonActors | null> {
  if (named.kind === "userId") return await personOfId(named.userId, context);
  const holder = await holderOf(named.email, context);
  return holder === null ? null : await personOfHolder(holder, context);
}

/** The exact id that an email resolves to; null where unknown. @param email normalized */
export async function holderOf(email: string, context: IdentityContext): Promise<PrivacyHolder | null> {
  const { connection, tables } = context;
  const identified = sql`SELECT userId, anonymousId FROM ${tables.all("records")}
    WHERE kind = 'identify' AND email = ${text(email)} AND ${isInForce(sql`id`, context)}
    ORDER BY ms DESC, userId = '', userId, anonymousId LIMIT 1`;
  const [[userId = "", anonymousId = ""] = []] = await connection.rows<[string, string]>(identified);
  if (userId !== "") return { userId };
  if (anonymousId !== "") return { anonymousId };
  if (!looksLikeEmail(email)) return null;
  const [first] = (await usersLike(email, context, namesSomeone(context))).sort(compareCodePoints);
  return first === undefined ? null : { userId: first };
}

/** User ids that are this email themselves, of events and of records that fulfil `inForce`. Cost: reads all user ids. */
export async function usersLike(email: string, { connection, tables }: IdentityContext, inForce: Sql): Promise<string[]> {
  const isLike = (column: string) => sql`position(lowerUTF8(${name(column)}), ${text(email)}) > 0`;
  // Renamed, as a condition on `userId` would apply to the column selected under that name.
  const ofRecords = sql`SELECT arrayJoin([userId, fromUserId]) AS named FROM ${tables.all("records")} WHERE ${inForce}`;
  const ofEvents = sql`SELECT userId FROM ${tables.all("events")} WHERE ${isLike("userId")} GROUP BY userId`;
  const rows = await connection.rows<[string]>(sql`SELECT DISTINCT userId FROM (${ofEvents}
    UNION ALL SELECT named AS userId FROM (${ofRecords}) WHERE ${isLike("named")})`);
  return rows.map(([userId]) => userId).filter((userId) => normalEmail(userId) === email);
}

/** The join of rows with a `person` to people whose newest email resolves to them, with that `identifier`. All others are shown by their user id. */
export function identifierJoin(context: IdentityContext): Sql {
  // Among records of one ms an email resolves to the smallest user id, as in queries by email.
  const identified = sql`SELECT ${identityKeyOf(context)} AS person, email, (ms, toUInt128(id)) AS recency,
    (-toInt64(ms), userId = '', userId, anonymousId) AS rank FROM ${recordsInForce("identify", sql`email != ''`, context)}`;
  const identifiers = sql`SELECT person AS named, argMax(email, recency) AS identifier FROM (${identified}) GROUP BY person
    HAVING (named, identifier) GLOBAL IN (SELECT argMin(person, rank), email FROM (${identified}) GROUP BY email)`;
  return sql`GLOBAL ANY LEFT JOIN (${identifiers}) AS identifiers ON identifiers.named = person`;
}

/** Whether a person is identified by a user id or an email. Needs `identifierJoin`. */
export const IS_IDENTIFIED = sql`(startsWith(person, 'u') OR identifier != '')`;

/** Null for an event without ids. Cost: reads the links of their anonymous ids, and searches all aliases for each event. */
export async function identityIdsOf(
  sent: readonly { readonly userId: string; readonly anonymousId: string }[], context: IdentityContext,
): Promise<(string | null)[]> {
  const withoutUser = [...new Set(sent.filter(({ userId }) => userId === "").map(({ anonymousId }) => anonymousId))].filter((id) => id !== "");
  const owned = ownersOf(context.tables.all("links"), context, sql`anonymousId IN ${texts(withoutUser)}`);
  const owners = new Map(withoutUser.length === 0 ? [] : await context.connection.rows<[string, string]>(owned));
  return sent.map(({ userId, anonymousId }) => {
    const user = userId === "" ? (owners.get(anonymousId) ?? "") : userId;
    if (user !== "") return identityIdOf("user", survivingId(user, context.survivors));
    return anonymousId === "" ? null : identityIdOf("anonymous", anonymousId);
  });
}
