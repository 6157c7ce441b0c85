import { z } from "zod";
import type { EventRecord } from "../schema/event.js";

const day = z.string().meta({ description: "00:00:00.000 UTC of the day, ISO 8601." });
const count = z.int().min(0);

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

/** Shapes of the answers with status 200: what the description of the API shows. */
export const answers = {
  count: ok(count),
  perDay: ok(z.array(z.strictObject({ day, count }))),
  aggregate: ok(z.array(z.strictObject({ property: z.string(), count }))),
  search: z.strictObject({
    cursor: z.string().nullable().meta({ description: "For the next page; null on the last one." }),
    events: z.array(eventRecord),
  }),
  ingest: z.strictObject({
    accepted: count,
    duplicates: count,
    rejected: z.array(z.strictObject({ index: count, code: z.string(), message: z.string() })),
  }),
  health: z.strictObject({ status: z.enum(["ok", "read_only", "closed"]) }),
  openapi: z.looseObject({ openapi: z.string() }),
};

/** An event record in the names of the wire. */
export function wireEvent(event: EventRecord): z.infer<typeof eventRecord> {
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
