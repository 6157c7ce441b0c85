import { line, toldRecord } from "../../engine/privacy/bundle-lines.js";
import { RECORD_FIELDS, type RecordField } from "../../identity/record-table.js";
import { copyOf } from "../question/event-copies.js";
import { EVENT_COLUMNS, type EventColumns } from "../question/event-columns.js";
import { personOf } from "../question/person.js";
import type { Subject, Subjects } from "../question/subject.js";
import { ofActors } from "../question/where.js";
import { isInForce } from "../question/who.js";
import { joined, name, sql, texts } from "../sql/sql.js";
import { idOf } from "./people.js";

type RecordRow = [kind: string, id: string, ms: number, ...fields: string[]];

/** All that is held about somebody as NDJSON lines: who they are, what was told about them, every event, as they come from the servers. */
export async function* bundleOf(person: Subject, subjects: Subjects): AsyncGenerator<string> {
  const { connection, moment, signal } = subjects;
  const { tables } = moment;
  const { users, anonymous } = person;
  const names = { userIds: [...users].sort(), anonymousIds: [...anonymous].sort() };
  yield line({ kind: "identity", identityId: idOf(person), resolvedIdentifier: await resolvedIdentifier(person, subjects), ...names });
  const isNamed = sql`userId IN ${texts(users)} OR fromUserId IN ${texts(users)}
    OR ((kind = 'alias' OR userId = '') AND anonymousId IN ${texts(anonymous)})`;
  const columns = joined(RECORD_FIELDS.map((field) => name(field)), ", ");
  const records = sql`SELECT kind, id, ms, ${columns} FROM ${tables.all("records")}
    WHERE kind != 'unlink' AND (${isNamed}) AND ${isInForce(sql`id`, moment)} ORDER BY storedMs, ms, toUInt128(id)`;
  for await (const [kind, id, ms, ...fields] of connection.stream<RecordRow>(records, signal))
    yield line(toldRecord(kind, id, ms, (field: RecordField) => fields[RECORD_FIELDS.indexOf(field)] ?? ""));
  const events = sql`SELECT ${EVENT_COLUMNS} FROM ${tables.all("events")} WHERE ${ofActors(person)} ORDER BY day, ms, toUInt128(id), project`;
  for await (const event of connection.stream<EventColumns>(events, signal)) yield line({ kind: "event", ...copyOf(event) });
}

/** The newest email if it finds this person, else the user id; null for an anonymous one. */
async function resolvedIdentifier(person: Subject, subjects: Subjects): Promise<string | null> {
  const { connection, moment, signal } = subjects;
  const { tables } = moment;
  const rows = sql`SELECT email FROM ${tables.all("records")} WHERE kind = 'identify' AND email != '' AND (${ofActors(person)})
    AND ${isInForce(sql`id`, moment)} ORDER BY ms DESC, toUInt128(id) DESC LIMIT 1`;
  const [[email] = [null]] = await connection.rows<[string]>(rows, signal);
  const found = email === null ? null : await personOf({ kind: "email", email }, subjects);
  if (found?.kind === person.kind && found.id === person.id) return email;
  return person.kind === "user" ? person.id : null;
}
