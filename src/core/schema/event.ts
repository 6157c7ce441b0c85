import type { ErrorCode } from "../base/errors.js";
import { isoOf } from "../base/time.js";
import { fieldIndex, FIELDS } from "./fields.js";

/** An event as `ingest` accepts it, in camelCase or snake_case. Dates: RFC 3339 text, epoch ms (from 1973 on) or `Date`. */
export interface EventInput {
  /** A UUID; any other string is always hashed to the same UUID; absent: a UUIDv7 is assigned. */
  readonly id?: string | null | undefined;
  readonly name: string;
  readonly userId?: string | number | null | undefined;
  readonly user_id?: string | number | null | undefined;
  readonly anonymousId?: string | number | null | undefined;
  readonly anonymous_id?: string | number | null | undefined;
  readonly project?: string | null | undefined;
  readonly createdAt?: string | number | Date | null | undefined;
  readonly created_at?: string | number | Date | null | undefined;
  readonly timestamp?: string | number | Date | null | undefined;
  /** An object of JSON values: at most 32 KiB, 8 levels deep. */
  readonly metadata?: object | null | undefined;
  readonly notify?: boolean | null | undefined;
  readonly slug?: string | null | undefined;
  readonly locationCountry?: string | null | undefined;
  readonly location_country?: string | null | undefined;
  readonly locationCity?: string | null | undefined;
  readonly location_city?: string | null | undefined;
  readonly locationRegion?: string | null | undefined;
  readonly location_region?: string | null | undefined;
  readonly locationLon?: string | number | null | undefined;
  readonly location_lon?: string | number | null | undefined;
  readonly locationLat?: string | number | null | undefined;
  readonly location_lat?: string | number | null | undefined;
  readonly device?: string | null | undefined;
  readonly os?: string | null | undefined;
  readonly browser?: string | null | undefined;
  readonly screen?: string | null | undefined;
  readonly language?: string | null | undefined;
  readonly referrer?: string | null | undefined;
  readonly url?: string | null | undefined;
  readonly hostname?: string | null | undefined;
  /** Revenue in major units of `currency`. */
  readonly value?: number | null | undefined;
  readonly currency?: string | null | undefined;
  /** Order key: only one payment per key counts; every refund counts. */
  readonly externalId?: string | null | undefined;
  readonly external_id?: string | null | undefined;
  readonly companyId?: string | null | undefined;
  readonly company_id?: string | null | undefined;
}

/** A stored event in query results; the camelCase form of the event record on the wire. */
export interface EventRecord {
  readonly id: string;
  readonly name: string;
  readonly notify: boolean;
  readonly slug: string;
  readonly userId: string;
  readonly project: string;
  /** ISO 8601, milliseconds, UTC. */
  readonly createdAt: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly locationCountry: string;
  readonly locationCity: string;
  readonly locationRegion: string;
  readonly locationLon: string;
  readonly locationLat: string;
  readonly device: string;
  readonly os: string;
  readonly browser: string;
  readonly screen: string;
  readonly language: string;
  readonly referrer: string | null;
  readonly url: string;
  readonly hostname: string;
}

/** An event found by a search: its record, all its other fields, and its identity. */
export interface FoundEvent extends EventRecord {
  /** `""`: not set. The same applies to the members below, except `value`. */
  readonly anonymousId: string;
  /** Revenue in major units of `currency`; null: not set. */
  readonly value: number | null;
  readonly currency: string;
  readonly externalId: string;
  /** As sent; the filter field `company_id` also covers the companies that people belong to. */
  readonly companyId: string;
  /** The identity it belongs to when the query runs, as in people reports; null: the event has neither user id nor anonymous id. */
  readonly identityId: string | null;
}

/** An event that was not stored, and the reason. */
export interface RejectedEvent {
  /** Position in the batch, from 0. */
  readonly index: number;
  readonly code: ErrorCode;
  readonly message: string;
}

/** An accepted event whose time was more than five minutes in the future. */
export interface AdjustedEvent {
  /** Position in the batch, from 0. */
  readonly index: number;
  /** The time of receipt, at which it is stored: ISO 8601, milliseconds, UTC. */
  readonly createdAt: string;
}

/** The outcome of one `ingest`: every event of the batch is counted in exactly one of the first three members. */
export interface IngestResult {
  readonly accepted: number;
  readonly duplicates: number;
  readonly rejected: readonly RejectedEvent[];
  /** The total number rejected, where `rejected` lists only the first ones: over HTTP, if there are more than a hundred. */
  readonly rejectedCount?: number;
  /** Accepted events with a changed time. Empty if `futureEvents` is `"keep"`. */
  readonly adjusted: readonly AdjustedEvent[];
}

const NAMES = [
  "name", "notify", "slug", "userId", "project", "location_country", "location_city", "location_region", "location_lon", "location_lat",
  "device", "os", "browser", "screen", "language", "referrer", "url", "hostname",
] as const;

export const RECORD_FIELDS: readonly string[] = NAMES;

const AT = Object.fromEntries(NAMES.map((name) => [name, fieldIndex(name)])) as Readonly<Record<(typeof NAMES)[number], number>>;

/** Builds the record of an event. @param text returns a field's text by its index in `FIELDS`, `""` where not set */
export function eventRecord(
  text: (field: number) => string,
  id: string,
  createdAtMs: number,
  metadata: Record<string, unknown>,
): EventRecord {
  const referrer = text(AT.referrer);
  return {
    id,
    name: text(AT.name),
    notify: text(AT.notify) === "true",
    slug: text(AT.slug),
    userId: text(AT.userId),
    project: text(AT.project),
    createdAt: isoOf(createdAtMs),
    metadata,
    locationCountry: text(AT.location_country),
    locationCity: text(AT.location_city),
    locationRegion: text(AT.location_region),
    locationLon: text(AT.location_lon),
    locationLat: text(AT.location_lat),
    device: text(AT.device),
    os: text(AT.os),
    browser: text(AT.browser),
    screen: text(AT.screen),
    language: text(AT.language),
    referrer: referrer === "" ? null : referrer,
    url: text(AT.url),
    hostname: text(AT.hostname),
  };
}

export interface EventCopy {
  readonly id: string;
  readonly createdAt: string;
  readonly [member: string]: unknown;
}

/** Every stored field of one event: what `export` writes and `ingest` accepts. Fields that are not set are left out. */
export type ExportedEvent = Omit<EventInput, "id" | "createdAt" | "metadata"> & {
  readonly id: string;
  readonly createdAt: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** Present if requested and the event has an identity. `ingest` rejects it: it is derived from ids and records. */
  readonly identityId?: string;
  /** Present if `afterSequence` was given: its place in the order in which events were stored. `ingest` rejects it. */
  readonly sequence?: number;
  /** Present beside `sequence` if it is known: when the event was accepted, ISO 8601, in UTC, with milliseconds. `ingest` rejects it. */
  readonly receivedAt?: string;
};

/** Builds the copy of a stored event. @param text returns a field's text by its index in `FIELDS`, `""` where not set */
export function exportedEvent(text: (field: number) => string, id: string, createdAtMs: number, metadata: Record<string, unknown>): EventCopy {
  const event: { id: string; createdAt: string; [member: string]: unknown } = { id, createdAt: isoOf(createdAtMs) };
  for (const [field, { camel, accepts }] of FIELDS.entries()) {
    const value = text(field);
    if (value === "" || (accepts === "boolean" && value === "false")) continue;
    event[camel] = accepts === "number" ? Number(value) : accepts === "boolean" ? true : value;
  }
  if (Object.keys(metadata).length > 0) event["metadata"] = metadata;
  return event;
}
