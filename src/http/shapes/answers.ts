import { z } from "zod";
import type { EventRecord, FoundEvent } from "../../core/schema/event.js";

const day = z.string().meta({ description: "Start of the day, 00:00:00.000 UTC, ISO 8601." });
const count = z.int().min(0);

/** Accepted entries whose timestamp was replaced by the time of receipt. */
export const adjusted = z
  .array(z.strictObject({ index: count, createdAt: z.string().meta({ description: "The time of receipt, which replaced the time that was sent." }) }))
  .meta({ description: "Accepted entries whose time was more than five minutes ahead of the server's clock." });

/** Entries that were not stored, each with the reason; at most the first hundred. */
export const rejected = z.array(z.strictObject({ index: count, code: z.string(), message: z.string() }));
export const rejectedCount = count.optional().meta({ description: "Number of rejected entries, if `rejected` does not list all of them." });

function ok<T extends z.ZodType>(data: T) {
  return z.strictObject({ status: z.literal("OK"), data });
}

const eventRecord = z.strictObject({
  id: z.string(),
  name: z.string(),
  notify: z.boolean(),
  slug: z.string(),
  userId: z.string(),
  project: z.string(),
  createdAt: z.string(),
  metadata: z.record(z.string(), z.unknown()),
  location_country: z.string(),
  location_city: z.string(),
  location_region: z.string(),
  location_lon: z.string(),
  location_lat: z.string(),
  device: z.string(),
  os: z.string(),
  browser: z.string(),
  screen: z.string(),
  language: z.string(),
  referrer: z.string().nullable(),
  url: z.string(),
  hostname: z.string(),
});

const allFields = "Only with all_fields.";
const foundEvent = eventRecord.extend({
  anonymous_id: z.string().optional().meta({ description: allFields }),
  value: z.number().nullish().meta({ description: `${allFields} null: not set.` }),
  currency: z.string().optional().meta({ description: allFields }),
  external_id: z.string().optional().meta({ description: allFields }),
  company_id: z.string().optional().meta({ description: `${allFields} As it was sent.` }),
  identity_id: z.string().nullish().meta({ description: `${allFields} null: the event has neither a user id nor an anonymous id.` }),
});

export const answers = {
  count: ok(count),
  perDay: ok(z.array(z.strictObject({ day, count }))),
  aggregate: ok(z.array(z.strictObject({ property: z.string(), count }))),
  search: z.strictObject({
    cursor: z.string().nullable().meta({ description: "Cursor of the next page; null on the last page." }),
    events: z.array(foundEvent),
  }),
  ingest: z.strictObject({
    accepted: count,
    duplicates: count,
    rejected,
    rejectedCount,
    adjusted,
  }),
  health: z.strictObject({
    status: z.enum(["ok", "read_only", "unreachable", "closed"]),
    time_to_live: z.literal("waiting").optional(),
    distinct_values: z.literal("over_reserve").optional().meta({
      description: "Distinct values of an organization fill three quarters of their limit: new values from public keys are no longer stored.",
    }),
  }),
  openapi: z.looseObject({ openapi: z.string() }),
};

/** Converts an event to wire names; a `FoundEvent` keeps its extra fields. */
export function wireEvent(event: EventRecord | FoundEvent): z.infer<typeof foundEvent> {
  const record = wireRecord(event);
  if (!("identityId" in event)) return record;
  return {
    ...record,
    anonymous_id: event.anonymousId,
    value: event.value,
    currency: event.currency,
    external_id: event.externalId,
    company_id: event.companyId,
    identity_id: event.identityId,
  };
}

function wireRecord(event: EventRecord): z.infer<typeof eventRecord> {
  return {
    id: event.id,
    name: event.name,
    notify: event.notify,
    slug: event.slug,
    userId: event.userId,
    project: event.project,
    createdAt: event.createdAt,
    metadata: event.metadata,
    location_country: event.locationCountry,
    location_city: event.locationCity,
    location_region: event.locationRegion,
    location_lon: event.locationLon,
    location_lat: event.locationLat,
    device: event.device,
    os: event.os,
    browser: event.browser,
    screen: event.screen,
    language: event.language,
    referrer: event.referrer,
    url: event.url,
    hostname: event.hostname,
  };
}
