import { uuidText } from "../../core/base/uuid.js";
import type { ExportedEvent } from "../../core/schema/exported-event.js";
import type { ExportPlace, ExportedRecordPlace } from "../../engine/exports/place.js";
import { RECORD_FIELDS, RECORD_KINDS, type RecordField } from "../../identity/record-table.js";
import type { RecordPlace } from "../../identity/record-order.js";
import { storedRecord } from "../../identity/stored-record.js";
import type { ExportPlan } from "../../query/plan/reports/export-events.js";
import type { StoredRecord } from "../../core/schema/record.js";
import { copyOf } from "../query/event-copies.js";
import { EVENT_COLUMNS, type EventTuple } from "../query/event-columns.js";
import { Needs } from "../query/needs.js";
import { inRange } from "../query/where.js";
import { identityIdOfWho } from "../query/who.js";
import { allOf, joined, name, sql, text, uuid, whole, type Sql } from "../sql/sql.js";
import type { ReportContext } from "./report.js";

/** Every stored event in (createdAt, id, project) order, streamed from the servers. @param after the last event exported before */
export async function* exportedEvents({ project, range, identityIds }: ExportPlan, after: ExportPlace | null, asking: ReportContext): AsyncGenerator<ExportedEvent> {
  const needs = new Needs(asking);
  const identityId = identityIds ? identityIdOfWho(needs.who()) : sql`''`;
  const where = allOf([...inRange(range), ...behind(after), ...(project === null ? [] : [sql`project = ${text(project)}`])]);
  const statement = sql`SELECT ${identityId}, ${EVENT_COLUMNS} FROM ${needs.rows()} WHERE ${where} ORDER BY day, ms, toUInt128(id), project`;
  for await (const [id, ...event] of asking.connection.streamAll<[string, ...EventTuple]>(statement, asking.signal))
    yield { ...(copyOf(event) as ExportedEvent), ...(id === "" ? {} : { identityId: id }) };
}

const RECORD_ORDER = sql`ms, toUInt128(id), kind = 'unlink'`;

function behindRecord({ createdAtMs, id, isUnlink }: RecordPlace): Sql {
  return sql`(${RECORD_ORDER}) > (${whole(createdAtMs)}, toUInt128(${uuid(uuidText(id))}), ${whole(isUnlink ? 1 : 0)})`;
}

type ExportedRow = [kind: keyof typeof RECORD_KINDS, id: string, ms: number, ...string[]];

function behind(after: ExportPlace | null): Sql[] {
  if (after === null) return [];
  const ms = whole(after.createdAtMs);
  // The first condition alone lets the servers skip days.
  return [sql`ms >= ${ms}`, sql`(ms, toUInt128(id), project) > (${ms}, toUInt128(${uuid(uuidText(after.id))}), ${text(after.project)})`];
}

/**
 * Every project without events, then every record in (createdAt, id) order, an unlink after the record that it takes back.
 * @param after the last item exported before
 */
export async function* exportedRecords(after: ExportedRecordPlace | null, { connection, tables, signal }: ReportContext): AsyncGenerator<StoredRecord> {
  const seen = sql`SELECT DISTINCT project FROM ${tables.all("events")}`;
  const from = after !== null && "name" in after ? after.name : "";
  const unseen = sql`SELECT DISTINCT name FROM ${tables.all("projects")} WHERE name > ${text(from)} AND name GLOBAL NOT IN (${seen}) ORDER BY name`;
  const isInRecords = after !== null && !("name" in after);
  if (!isInRecords) for (const [project] of await connection.rows<[string]>(unseen, signal)) yield { type: "project", name: project };
  const fields = joined(RECORD_FIELDS.map((field) => name(field)), ", ");
  const statement = sql`SELECT kind, id, ms, ${fields} FROM ${tables.all("records")} WHERE ${isInRecords ? behindRecord(after) : sql`true`} ORDER BY ${RECORD_ORDER}`;
  for await (const [kind, id, ms, ...texts] of connection.streamAll<ExportedRow>(statement, signal))
    yield storedRecord(RECORD_KINDS[kind], id, ms, (field: RecordField) => texts[RECORD_FIELDS.indexOf(field)] ?? "");
}
