import { isoOf } from "../../core/base/time.js";
import type { ErasureReceipt } from "../../engine/privacy/requests.js";
import { emailsInTraits, looksLikeEmail, normalEmail, traitsWithoutEmails } from "../../identity/emails.js";
import { usersLike, type PersonActors } from "../query/person.js";
import { isInForce, ofActors, type ActorIds, type IdentityContext } from "../query/identity-context.js";
import { partOf } from "../removal/deletions.js";
import { yearsToRename, type Note } from "../removal/removal.js";
import { sql, texts, uuids, type Bound, type Sql, anyOf, text } from "../sql/sql.js";

type ErasedRecordRow = readonly [id: string, kind: "identify" | "group" | "alias", email: string];

/** Cost: reads all events, records and user ids. @param email of the request, normalized; null for a request by id */
export async function erasedRows(person: PersonActors | null, email: string | null, context: IdentityContext, nowMs: number) {
  const { users, anonymous } = person ?? { users: [], anonymous: [] };
  const records = await goneRecords({ users, anonymous }, email, context);
  const ids = records.map(([id]) => id);
  const held = new Set(records.map(([, , each]) => each).filter((each) => each !== ""));
  const emails = await emailsOnlyTheirs(users, email, held, ids, context);
  const cut = await traitsWithout(emails, ids, context);
  const others = await heldEmails([...held], ids, context);
  const { lastStoredMs, ...gone } = await goneEvents({ users, anonymous }, context);
  const count = (kind: ErasedRecordRow[1]) => records.filter(([, each]) => each === kind).length;
  const notes: Note[] = [
    ...users.map((id): Note => ["userId", id]),
    ...anonymous.map((id): Note => ["anonymousId", id]),
    ...emails.map((each): Note => ["email", each]),
    ...ids.map((id): Note => ["record", id]),
    ["stored", String(lastStoredMs)],
    ...cut,
    ...(await yearsToRename({ connection: context.connection, names: context.tables }, sql`(${ofActors({ users, anonymous })})`)),
  ];
  const receipt: ErasureReceipt = {
    erasedAt: isoOf(nowMs),
    ...gone,
    identifyCalls: count("identify"),
    groupCalls: count("group"),
    aliasCalls: count("alias"),
    userIds: users.length,
    anonymousIds: anonymous.length,
    emails: [...held].filter((each) => !others.has(each)).length,
    // ClickHouse has no dictionaries.
    dictionaryValues: 0,
  };
  return { notes, receipt };
}

/** @returns also the time at which the last row with one of the ids was stored, by the servers' clocks */
async function goneEvents(ids: ActorIds, { connection, tables }: IdentityContext): Promise<Pick<ErasureReceipt, "events" | "segmentsRewritten"> & { readonly lastStoredMs: number }> {
  const isOwn = sql`(${ofActors(ids)})`;
  const names = sql`${isOwn} OR anonymousId IN ${texts(ids.anonymous)}`;
  const [[events, segmentsRewritten, ofEvents] = [0, 0, 0]] = await connection.rows<[number, number, number]>(sql`SELECT countIf(${isOwn}),
    uniqExact(${partOf(tables)}), max(storedMs) FROM ${tables.all("events")} WHERE ${names}`);
  const [[ofRecords] = [0]] = await connection.rows<[number]>(sql`SELECT max(storedMs) FROM ${tables.all("records")}
    WHERE ${names} OR fromUserId IN ${texts(ids.users)}`);
  return { events, segmentsRewritten, lastStoredMs: Math.max(ofEvents, ofRecords) };
}

/** The person's records, and records taken back whose email is only theirs. An unlink has the id of the record that it takes back. */
async function goneRecords({ users, anonymous }: ActorIds, email: string | null, context: IdentityContext): Promise<readonly ErasedRecordRow[]> {
  const { connection, tables } = context;
  const rows = sql`SELECT toString(id), kind, email FROM ${tables.all("records")} WHERE kind != 'unlink'`;
  const own = await connection.rows<ErasedRecordRow>(sql`${rows} AND ${isOwnRecord(texts(users), texts(anonymous))}`);
  const emails = [...new Set([...own.map(([, , each]) => each), email ?? ""])].filter((each) => each !== "");
  const others = sql`${rows} AND email IN ${texts(emails)} AND id NOT IN ${uuids(own.map(([id]) => id))}`;
  const inForce = isInForce(sql`id`, context);
  // An email in force for another person is not only theirs.
  const takenBack = sql`${others} AND NOT (${inForce}) AND email GLOBAL NOT IN (SELECT email FROM (${others} AND ${inForce}))`;
  return [...own, ...(await connection.rows<ErasedRecordRow>(takenBack))];
}

export function isOwnRecord(users: Sql | Bound, anonymous: Sql | Bound): Sql {
  const ofAlias = sql`userId IN ${users} OR fromUserId IN ${users} OR anonymousId IN ${anonymous}`;
  return sql`kind != 'unlink' AND if(kind = 'alias', ${ofAlias}, if(userId != '', userId IN ${users}, anonymousId IN ${anonymous}))`;
}

/** Those of the emails that some remaining record has. */
async function heldEmails(
  emails: readonly string[], goneIds: readonly string[], { connection, tables }: IdentityContext,
): Promise<ReadonlySet<string>> {
  const rows = await connection.rows<[string]>(sql`SELECT DISTINCT email FROM ${tables.all("records")}
    WHERE email != '' AND email IN ${texts(emails)} AND id NOT IN ${uuids(goneIds)}`);
  return new Set(rows.map(([email]) => email));
}

/** Of their records, of the request, and ids that are emails; without those that another person has too. */
async function emailsOnlyTheirs(
  users: readonly string[], requested: string | null, held: ReadonlySet<string>, goneIds: readonly string[], context: IdentityContext,
): Promise<readonly string[]> {
  const found = new Set([...held, ...(requested === null ? [] : [requested]), ...users.map(normalEmail).filter(looksLikeEmail)]);
  const others = await heldEmails([...found], goneIds, context);
  const theirs: string[] = [];
  for (const email of found) {
    if (others.has(email)) continue;
    // Records that were taken back count: an id that only they have is stored too.
    const like = looksLikeEmail(email) ? await usersLike(email, context, sql`true`) : [];
    if (like.every((userId) => users.includes(userId))) theirs.push(email);
  }
  return theirs;
}

/** Other records that contain one of the emails, with their new traits. */
async function traitsWithout(
  emails: readonly string[], goneIds: readonly string[], { connection, tables }: IdentityContext,
): Promise<readonly Note[]> {
  if (emails.length === 0) return [];
  // ClickHouse's `lower` changes ASCII only: check traits with other letters here.
  const has = emails.map((email) => sql`position(lower(traits), ${text(jsonOf(email))}) > 0`);
  const mayHave = anyOf([sql`length(traits) != lengthUTF8(traits)`, ...has]);
  const rows = connection.stream<[string, string]>(sql`SELECT toString(id), traits FROM ${tables.all("records")}
    WHERE position(traits, '"email":') > 0 AND ${mayHave} AND id NOT IN ${uuids(goneIds)}`);
  const notes: Note[] = [];
  const isCut = (email: string) => emails.includes(email);
  for await (const [id, traits] of rows) if (emailsInTraits(traits).some(isCut)) notes.push(["traits", id, traitsWithoutEmails(traits, isCut)]);
  return notes;
}

/** As escaped in JSON, without quotes. */
function jsonOf(email: string): string {
  return JSON.stringify(email).slice(1, -1);
}
