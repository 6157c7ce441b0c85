import { Turns } from "../../core/base/turn.js";
import type { Dictionaries } from "../../storage/column/dictionaries.js";
import { emailsInTraits, looksLikeEmail, normalEmail, traitsWithoutEmails } from "../../identity/emails.js";
import { RECORD_FIELD_COUNT, RECORD_FIELDS } from "../../identity/record-table.js";
import type { RecordTable } from "../../identity/record-table.js";
import type { Store } from "../live/store.js";
import type { Erased } from "./erase.js";
import type { CodesByDictionary } from "./replace-content.js";

const TRAITS = RECORD_FIELDS.indexOf("traits");

/**
 * The normalized emails of the erased: of their records, of the request, and of user ids that are emails, except those by which
 * someone else is known. Cost: each remaining record, and once each user id.
 * @param table the remaining records
 * @param codes codes that the erased records used
 */
export function erasedEmails({ dictionaries, resolver }: Store, { userIds, email }: Erased, table: RecordTable, codes: CodesByDictionary): ReadonlySet<string> {
  const users = dictionaries.named("userId");
  const stored = dictionaries.named("email");
  const found = new Set([...codes.of("email")].map((code) => stored.valueOf(code)));
  if (email !== null) found.add(email);
  for (const code of userIds) {
    const text = normalEmail(users.valueOf(code));
    if (looksLikeEmail(text)) found.add(text);
  }
  for (let row = 0; row < table.rowCount; row += 1) found.delete(stored.valueOf(table.code(row, "email")));
  for (const each of found) if (resolver.emails.usersNamedLike(each, users.size).some((code) => !userIds.has(code))) found.delete(each);
  return found;
}

/** Removes these emails from the traits of others, and notes the former traits in `codes`. Cost: each record and each text of traits. */
export async function cutEmails(dictionaries: Dictionaries, emails: ReadonlySet<string>, table: RecordTable, codes: CodesByDictionary): Promise<void> {
  if (emails.size === 0) return;
  const traits = dictionaries.named("traits");
  const turns = new Turns();
  const cut = new Map<number, number>();
  for (let row = 0; row < table.rowCount; row += 1) {
    const code = table.code(row, "traits");
    if (code === 0) continue;
    let without = cut.get(code);
    if (without === undefined) {
      const text = traits.valueOf(code);
      without = emailsInTraits(text).some((email) => emails.has(email)) ? traits.intern(traitsWithoutEmails(text, (email) => emails.has(email))) : code;
      cut.set(code, without);
      await turns.took(text.length);
    }
    if (without === code) continue;
    codes.add("traits", code);
    table.codes[row * RECORD_FIELD_COUNT + TRAITS] = without;
  }
}
