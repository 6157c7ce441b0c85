import { eventRecord, exportedEvent, type EventRecord, type FoundEvent, type EventInput } from "../../core/schema/event.js";
import { FIELDS, fieldIndex } from "../../core/schema/fields.js";
import { jsonOfTagged, type TaggedMetadata } from "../ingest/event-rows.js";
import { joined, name, sql, type Sql } from "../sql/sql.js";
import type { RowSource } from "./required-joins.js";
import { keyColumns, type TableNames } from "../tables/layout.js";

export type EventTuple = readonly [id: string, ms: number, keys: readonly string[], metadata: TaggedMetadata, ...fields: readonly string[]];

export const EVENT_COLUMNS: Sql = sql`id, ms, keys, metadata, ${joined(FIELDS.map(({ column }) => name(column)), ", ")}`;

export function recordOf([id, ms, keys, metadata, ...fields]: EventTuple): EventRecord {
  return eventRecord((field) => fields[field] ?? "", id, ms, metadataOf(keys, metadata));
}

/** The same, with everything the event was sent with, and its identity. */
export function foundEventOf(columns: EventTuple, identityId: string | null): FoundEvent {
  const [, , , , ...fields] = columns;
  const text = (column: string) => fields[fieldIndex(column)] ?? "";
  const value = text("value");
  return {
    ...recordOf(columns),
    anonymousId: text("anonymousId"),
    value: value === "" ? null : Number(value),
    currency: text("currency"),
    externalId: text("externalId"),
    companyId: text("companyId"),
    identityId,
  };
}

/** `""` for none. */
export function sentIdsOf([, , , , ...fields]: EventTuple): { readonly userId: string; readonly anonymousId: string } {
  return { userId: fields[fieldIndex("userId")] ?? "", anonymousId: fields[fieldIndex("anonymousId")] ?? "" };
}

/** The metadata as sent: the same members in the same order. */
function metadataOf(keys: readonly string[], tagged: TaggedMetadata): Record<string, unknown> {
  const members = keys.map((key) => `${JSON.stringify(key)}:${jsonOfTagged(tagged[keyColumns(key).value] as string)}`);
  return JSON.parse(`{${members.join(",")}}`) as Record<string, unknown>;
}

export function copyOf([id, ms, keys, metadata, ...fields]: EventTuple): EventInput & { readonly id: string } {
  const copy = exportedEvent((field) => fields[field] ?? "", id, ms, metadataOf(keys, metadata));
  // `name` is among the members: no event is stored without one.
  return copy as typeof copy & { readonly name: string };
}

/** The order of events within one ms: the id, then the rank of its project, which has one once its first event is stored. */
export function tieBreakerOf(tables: TableNames, id = sql`id`, project = sql`project`): Sql {
  const inOrder = sql`(SELECT arraySort(groupUniqArray(name)) FROM ${tables.all("projects")})`;
  // `indexOf` scans the list for each row: 600 times slower with 5,000 projects.
  return sql`(${recordTieBreakerOf(id)} + transform(${project}, ${inOrder}, arrayEnumerate(${inOrder}), 0))`;
}

/** The same for a record, which has no project. */
export function recordTieBreakerOf(id: Sql): Sql {
  return sql`bitShiftLeft(toUInt256(toUInt128(${id})), 64)`;
}

/** The order of events: ms, then num. One number, which a server compares faster than two. */
export function placeOf(ms: Sql, num: Sql): Sql {
  return sql`(bitShiftLeft(toUInt256(${ms}), 192) + ${num})`;
}

export function msOfPlace(place: Sql): Sql {
  return sql`toInt64(bitShiftRight(${place}, 192))`;
}

export function rowSortKey(tables: TableNames): Sql {
  return placeOf(sql`ms`, tieBreakerOf(tables));
}

/** Groups events into one row per pair of ids. @param columns aggregates */
export function rowsByIds(tables: TableNames, columns: Sql, where: Sql): RowSource {
  return { rows: sql`(SELECT userId, anonymousId, ${columns} FROM ${tables.all("events")} WHERE ${where} GROUP BY userId, anonymousId)`, isGathered: true };
}
