import { emailsInTraits, looksLikeEmail, normalEmail, traitsWithoutEmails } from "../../identity/emails.js";
import { usersLike } from "../question/person.js";
import type { Subjects } from "../question/subject.js";
import type { Note } from "../removal/removal.js";
import { anyOf, sql, text, texts, uuids } from "../sql/sql.js";

/** Of some emails those that a record has which stays. */
export async function heldEmails(
  emails: readonly string[], goneIds: readonly string[], { connection, moment }: Subjects,
): Promise<ReadonlySet<string>> {
  const rows = await connection.rows<[string]>(sql`SELECT DISTINCT email FROM ${moment.tables.all("records")}
    WHERE email != '' AND email IN ${texts(emails)} AND id NOT IN ${uuids(goneIds)}`);
  return new Set(rows.map(([email]) => email));
}

/**
 * Emails of the erased: of their records, of the request, and of ids that are emails. One by which somebody else is known is not only theirs.
 * @param held by the records that go
 */
export async function emailsOnlyTheirs(
  users: readonly string[], asked: string | null, held: ReadonlySet<string>, goneIds: readonly string[], subjects: Subjects,
): Promise<readonly string[]> {
  const found = new Set([...held, ...(asked === null ? [] : [asked]), ...users.map(normalEmail).filter(looksLikeEmail)]);
  const others = await heldEmails([...found], goneIds, subjects);
  const theirs: string[] = [];
  for (const email of found) {
    if (others.has(email)) continue;
    // An id that only a record bears which was taken back is stored too.
    const like = looksLikeEmail(email) ? await usersLike(email, subjects, sql`true`) : [];
    if (like.every((userId) => users.includes(userId))) theirs.push(email);
  }
  return theirs;
}

/** The records of others that say one of these emails, with their traits as they will be. */
export async function traitsWithout(
  emails: readonly string[], goneIds: readonly string[], { connection, moment }: Subjects,
): Promise<readonly Note[]> {
  if (emails.length === 0) return [];
  // Letters beyond ASCII are not lowered everywhere as they are here.
  const has = emails.map((email) => sql`position(lower(traits), ${text(jsonOf(email))}) > 0`);
  const mayHave = anyOf([sql`length(traits) != lengthUTF8(traits)`, ...has]);
  const rows = connection.stream<[string, string]>(sql`SELECT toString(id), traits FROM ${moment.tables.all("records")}
    WHERE position(traits, '"email":') > 0 AND ${mayHave} AND id NOT IN ${uuids(goneIds)}`);
  const notes: Note[] = [];
  const isCut = (email: string) => emails.includes(email);
  for await (const [id, traits] of rows) if (emailsInTraits(traits).some(isCut)) notes.push(["traits", id, traitsWithoutEmails(traits, isCut)]);
  return notes;
}

/** As it stands in JSON. */
function jsonOf(email: string): string {
  return JSON.stringify(email).slice(1, -1);
}
