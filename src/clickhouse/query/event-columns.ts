import { eventRecord } from "../../core/schema/event-record.js";
import type { EventRecord, FoundEvent } from "../../core/schema/event.js";
import { FIELDS, fieldIndex } from "../../core/schema/fields.js";
import { jsonOfTagged, type TaggedMetadata } from "../ingest/tagged-metadata.js";
import { joined, name, sql, type Sql } from "../sql/sql.js";
import type { SentIds } from "./identity-ids.js";
import { keyColumn } from "../tables/metadata-columns.js";

/** An event as statements select it. */
export type EventTuple = readonly [id: string, ms: number, keys: readonly string[], metadata: TaggedMetadata, ...fields: readonly string[]];

/** The columns of `EventTuple`. */
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

export function sentIdsOf([, , , , ...fields]: EventTuple): SentIds {
  return { userId: fields[fieldIndex("userId")] ?? "", anonymousId: fields[fieldIndex("anonymousId")] ?? "" };
}

/** The metadata as sent: the same members in the same order. */
export function metadataOf(keys: readonly string[], tagged: TaggedMetadata): Record<string, unknown> {
  const members = keys.map((key) => `${JSON.stringify(key)}:${jsonOfTagged(tagged[keyColumn(key)] as string)}`);
  return JSON.parse(`{${members.join(",")}}`) as Record<string, unknown>;
}
