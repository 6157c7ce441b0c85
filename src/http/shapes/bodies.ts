import { z } from "zod";
import { SERVER_LIMITS } from "../../core/base/server-limits.js";

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

export const eventsBody = z.strictObject({
  events: z.array(z.unknown().meta({ $ref: "#/components/schemas/Event" })),
});

const recordText = z.string().nullish();
const recordId = z.union([z.string(), z.number()]);
const traits = z.record(z.string(), z.unknown()).nullish();
const moment = {
  id: recordText.meta({ description: "A UUID; any other string is hashed to one; absent: one is assigned." }),
  createdAt: z.union([z.string(), z.number()]).nullish().meta({
    description: "RFC 3339 with a zone, or epoch milliseconds from 1973 on; absent: now.",
  }),
};
const personIds = { userId: recordId.nullish(), anonymousId: recordId.nullish() };

/** One record of `POST /v1/records`, for the OpenAPI document; like an event, it is checked when it is stored. */
export const recordSchema = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("identify"), ...moment, ...personIds, email: recordText, traits }),
  z.strictObject({ type: z.literal("group"), ...moment, companyId: recordId, ...personIds, traits }),
  z.strictObject({ type: z.literal("alias"), ...moment, from: recordId, to: recordId }),
  z.strictObject({ type: z.literal("unlink"), ...moment, linkId: z.string().meta({ description: "The id of the record to undo." }) }),
  z.strictObject({ type: z.literal("project"), name: z.string() }),
]);

export const recordsBody = z.strictObject({
  records: z.array(z.unknown().meta({ $ref: "#/components/schemas/Record" })),
});

const beaconText = z.string().nullish();

/** One event that a page sends. The texts are checked when the event is stored. */
export const beaconEvent = z.strictObject({
  name: beaconText.meta({ description: "Default: `pageview`. `$identify` links its `userId` to the visitor and is not stored as an event." }),
  url: beaconText,
  referrer: beaconText,
  title: beaconText,
  screen: beaconText.meta({ description: "For example `1280x800`." }),
  language: beaconText.meta({ description: "Default: the first language of the Accept-Language header." }),
  metadata: z.record(z.string(), z.unknown()).nullish(),
  id: beaconText.meta({ description: "An event that is sent again with the same id is stored once." }),
  age_ms: z
    .number()
    .min(0, `expected a number from 0 to ${SERVER_LIMITS.beaconAgeMs}`)
    .max(SERVER_LIMITS.beaconAgeMs, `expected a number from 0 to ${SERVER_LIMITS.beaconAgeMs}`)
    .nullish()
    .meta({ description: "How long ago the event happened, if it could not be sent at once." }),
  value: z.number().nullish(),
  currency: beaconText,
  anonymousId: beaconText.meta({ description: "Only if the key accepts anonymous ids. If absent, the address and user agent identify the visitor." }),
  userId: beaconText.meta({ description: "Only if the key accepts user ids." }),
});

export type Beacon = z.infer<typeof beaconEvent>;

/** Body of `POST /v1/collect`. Each event is checked on its own. */
export const collectBody = z.strictObject({
  key: z.string().meta({ description: "A public key, which starts with pk_." }),
  events: z.array(z.unknown().meta({ $ref: "#/components/schemas/Beacon" })).min(1, "expected at least one event"),
});
