import { normalEmail } from "../../plan/subject.js";
import { identityIdOf } from "../../identity/identity-id.js";
import type { StoredRequest } from "../../engine/privacy/lifecycle.js";
import type { PrivacySubject } from "../../engine/privacy/requests.js";
import { holderOf, personOf } from "../question/person.js";
import type { Subject, Subjects } from "../question/subject.js";
import { sql, text } from "../sql/sql.js";

/** Whom a subject names as of now. */
export async function namedBy(subject: PrivacySubject, subjects: Subjects): Promise<Pick<StoredRequest, "identityId" | "holder">> {
  const person = await found(subject, subjects);
  if (person === null) return { identityId: null, holder: null };
  const identityId = idOf(person);
  if ("email" in subject) return { identityId, holder: await holderOf(normalEmail(subject.email), subjects) };
  const userId = "userId" in subject ? subject.userId : "";
  return { identityId, holder: (await subjects.isUser(userId)) ? { userId } : { anonymousId: userId } };
}

/** Whom a request is about: of an email, whom it named when the request came. Null for nobody. */
export async function personOfRequest({ subject, holder }: StoredRequest, subjects: Subjects): Promise<Subject | null> {
  if ("erased" in subject) return null;
  if (holder === null || "userId" in subject || !(await isStored(holder, subjects))) return await found(subject, subjects);
  return "userId" in holder ? await subjects.ofUser(holder.userId) : await subjects.ofAnonymous(holder.anonymousId);
}

export function idOf({ kind, id }: Subject): string {
  return identityIdOf(kind, id);
}

async function found(subject: PrivacySubject, subjects: Subjects): Promise<Subject | null> {
  if ("erased" in subject) return null;
  if ("userId" in subject) return await subjects.ofId(subject.userId);
  return await personOf({ kind: "email", email: normalEmail(subject.email) }, subjects);
}

/** Whether some event or record names an id. */
async function isStored(holder: NonNullable<StoredRequest["holder"]>, { connection, moment }: Subjects): Promise<boolean> {
  const { tables } = moment;
  const isOf = "userId" in holder ? sql`userId = ${text(holder.userId)}` : sql`anonymousId = ${text(holder.anonymousId)}`;
  const orFrom = "userId" in holder ? sql` OR fromUserId = ${text(holder.userId)}` : sql``;
  const events = sql`SELECT 1 FROM ${tables.all("events")} WHERE ${isOf} LIMIT 1`;
  const records = sql`SELECT 1 FROM ${tables.all("records")} WHERE ${isOf}${orFrom} LIMIT 1`;
  return (await connection.rows(sql`SELECT * FROM (${events} UNION ALL ${records}) LIMIT 1`)).length > 0;
}
