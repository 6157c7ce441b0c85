import { z } from "zod";

const text = z.string().nullish();
const id = z.union([z.string(), z.number()]).nullish();
const instant = z.union([z.string(), z.number()]).nullish();
const degrees = z.union([z.string(), z.number()]).nullish();

/**
 * One event of `POST /v1/events`, for the OpenAPI document.
 * Each event is checked when it is stored, because a bad event is reported by its index instead of failing the batch.
 */
export const eventSchema = z.strictObject({
  id: text.meta({ description: "A UUID; any other string is hashed to one; absent: one is assigned." }),
  name: z.string(),
  userId: id,
  user_id: id,
  anonymousId: id,
  anonymous_id: id,
  project: text,
  createdAt: instant.meta({ description: "RFC 3339 with a zone, or epoch milliseconds from 1973 on; absent: now." }),
  created_at: instant,
  timestamp: instant,
  metadata: z.record(z.string(), z.unknown()).nullish(),
  notify: z.boolean().nullish(),
  slug: text,
  locationCountry: text,
  location_country: text,
  locationCity: text,
  location_city: text,
  locationRegion: text,
  location_region: text,
  locationLon: degrees,
  location_lon: degrees,
  locationLat: degrees,
  location_lat: degrees,
  device: text,
  os: text,
  browser: text,
  screen: text,
  language: text,
  referrer: text,
  url: text,
  hostname: text,
  value: z.number().nullish().meta({ description: "Revenue in major units of the currency." }),
  currency: text,
  externalId: text,
  external_id: text,
  companyId: text,
  company_id: text,
});

/** Body of `POST /v1/events`. */
export const eventsBody = z.strictObject({
  events: z.array(z.unknown().meta({ $ref: "#/components/schemas/Event" })),
});
