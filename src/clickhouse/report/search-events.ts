import { sql, whole, text, uuid, allOf, joined, name, type Sql } from "../sql/sql.js";
import type { CursorPosition } from "../../query/plan/plan.js";
import type { ExportedEvent } from "../../core/schema/event.js";
import { EVENT_COLUMNS, foundEventOf, recordOf, sentIdsOf, copyOf, type EventTuple } from "../query/event-columns.js";
import { identityIdsOf } from "../query/person.js";
import { UNBOUNDED } from "../connection/settings.js";
import { selectRows, type ReportContext, type StatementReport } from "./report.js";
import { uuidText } from "../../core/base/uuid.js";
import type { ExportPlace, ExportedRecordPlace } from "../../engine/exports/place.js";
import { RECORD_FIELDS, RECORD_KINDS, storedRecord, type RecordField, type RecordPlace } from "../../identity/record-table.js";
import type { ExportPlan } from "../../query/plan/reports/exports.js";
import type { StoredRecord } from "../../core/schema/record.js";
import { RequiredJoins } from "../query/required-joins.js";
import { whereOf } from "../query/where.js";
import { identityIdOfKey } from "../query/identity-context.js";

/** Cursors have 32 bits for a time in ms: it is unambiguous for 49 days. */
const SPAN_MS = 2 ** 32;
/** Upper bound in ms for the difference between the clocks of two servers. */
const SKEW_MS = 3_600_000;

/** Epoch ms by the clock of `storedMs`. */
export const SERVER_NOW = sql`toUnixTimestamp64Milli(now64(3))`;

/** The time of a snapshot as it goes into a cursor. */
export function sequenceOf(serverNowMs: number): number {
  return serverNowMs % SPAN_MS;
}

/** Whether a row was stored by the time in a cursor. An ambiguous time means the latest one possible. */
export function isStoredUntil(sequence: number): Sql {
  const latest = sql`(${SERVER_NOW} + ${whole(SKEW_MS)})`;
  return sql`storedMs <= ${latest} - (${latest} - ${whole(sequence)}) % ${whole(SPAN_MS)}`;
}

/** Matching events, newest first, a page at a time: those stored before the first page was requested. */
export const searchEvents: StatementReport<"searchEvents"> = async (plan, context) => {
  const behind = plan.cursor === null ? sql`` : sql`AND ${isBehind(plan.cursor)}`;
  const order = sql`ORDER BY day DESC, ms DESC, toUInt128(id) DESC, project DESC LIMIT ${whole(plan.limit + 1)}`;
  const statement = selectRows(plan, context, () => sql`${SERVER_NOW}, ${EVENT_COLUMNS}`, sql`${behind} ${order}`);
  const rows = await context.connection.rows<readonly [nowMs: number, ...EventTuple]>(statement);
  const page = rows.slice(0, plan.limit).map(([, ...columns]): EventTuple => columns);
  const identityIds = plan.allFields ? await identityIdsOf(page.map(sentIdsOf), context) : null;
  const events = page.map((columns, at) => (identityIds === null ? recordOf(columns) : foundEventOf(columns, identityIds[at] ?? null)));
  const last = page.at(-1);
  if (rows.length <= plan.limit || last === undefined) return { next: null, events };
  const [[nowMs] = [0]] = rows;
  const { id, project } = recordOf(last);
  const [, createdAtMs] = last;
  return { next: { createdAtMs, id, project, sequence: plan.cursor?.sequence ?? sequenceOf(nowMs) }, events };
};

function isBehind({ createdAtMs, id, project, sequence }: CursorPosition): Sql {
  return sql`(ms, toUInt128(id), project) < (${whole(createdAtMs)}, toUInt128(${uuid(id)}), ${text(project)}) AND ${isStoredUntil(sequence)}`;
}

/** Every event of a plan in (createdAt, id, project) order, streamed from the servers. @param after the last event exported before */
export async function* exportedEvents(plan: ExportPlan, after: ExportPlace | null, context: ReportContext): AsyncGenerator<ExportedEvent> {
  const needs = new RequiredJoins(context);
  const identityId = plan.identityIds ? identityIdOfKey(needs.identityKey()) : sql`''`;
  const where = allOf([whereOf(plan, null, needs), ...behind(after)]);
  const statement = sql`SELECT ${identityId}, ${EVENT_COLUMNS} FROM ${needs.rows()} WHERE ${where} ORDER BY day, ms, toUInt128(id), project`;
  for await (const [id, ...event] of context.connection.stream<[string, ...EventTuple]>(statement, UNBOUNDED))
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

/** Projects without events, then records in (createdAt, id) order, an unlink after its record. @param after the last item exported before */
export async function* exportedRecords(after: ExportedRecordPlace | null, { connection, tables }: ReportContext): AsyncGenerator<StoredRecord> {
  const seen = sql`SELECT DISTINCT project FROM ${tables.all("events")}`;
  const from = after !== null && "name" in after ? after.name : "";
  const unseen = sql`SELECT DISTINCT name FROM ${tables.all("projects")} WHERE name > ${text(from)} AND name GLOBAL NOT IN (${seen}) ORDER BY name`;
  const isInRecords = after !== null && !("name" in after);
  if (!isInRecords) for (const [project] of await connection.rows<[string]>(unseen)) yield { type: "project", name: project };
  const fields = joined(RECORD_FIELDS.map((field) => name(field)), ", ");
  const statement = sql`SELECT kind, id, ms, ${fields} FROM ${tables.all("records")} WHERE ${isInRecords ? behindRecord(after) : sql`true`} ORDER BY ${RECORD_ORDER}`;
  for await (const [kind, id, ms, ...texts] of connection.stream<ExportedRow>(statement, UNBOUNDED))
    yield storedRecord(RECORD_KINDS[kind], id, ms, (field: RecordField) => texts[RECORD_FIELDS.indexOf(field)] ?? "");
}
