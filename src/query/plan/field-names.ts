import type { Operand } from "./plan.js";

const field = <F extends string>(name: F) => ({ kind: "field", field: name }) as const;
const member = <F extends "value" | "currency">(name: F) => ({ kind: "member", field: name }) as const;
const metadataKey = <K extends string>(key: K) => ({ kind: "metadataKey", key }) as const;
const touch = <D extends "source" | "medium" | "campaign">(dimension: D) => ({ kind: "touch", dimension }) as const;

/** Every name of a field, in both spellings, with the operand that it stands for: the fields of filters, of `aggregate` and of their types. */
export const FIELD_OPERANDS = {
  location_country: field("location_country"),
  location_city: field("location_city"),
  location_region: field("location_region"),
  device: field("device"),
  os: field("os"),
  browser: field("browser"),
  screen: field("screen"),
  language: field("language"),
  referrer: field("referrer"),
  url: field("url"),
  hostname: field("hostname"),
  user_id: field("userId"),

  locationCountry: field("location_country"),
  locationCity: field("location_city"),
  locationRegion: field("location_region"),
  userId: field("userId"),
  country: field("location_country"),
  city: field("location_city"),
  region: field("location_region"),
  location_lon: field("location_lon"),
  locationLon: field("location_lon"),
  location_lat: field("location_lat"),
  locationLat: field("location_lat"),

  id: { kind: "id" },
  name: field("name"),
  event_name: field("name"),
  eventName: field("name"),
  slug: field("slug"),
  notify: field("notify"),
  project: field("project"),
  created_at: { kind: "createdAt" },
  createdAt: { kind: "createdAt" },
  anonymous_id: field("anonymousId"),
  anonymousId: field("anonymousId"),
  external_id: field("externalId"),
  externalId: field("externalId"),
  value: member("value"),
  currency: member("currency"),

  path: { kind: "path" },
  referrer_domain: { kind: "referrerDomain" },
  referrerDomain: { kind: "referrerDomain" },
  identity_id: { kind: "identityId" },
  identityId: { kind: "identityId" },
  company_id: { kind: "companyId" },
  companyId: { kind: "companyId" },
  touch_source: touch("source"),
  touchSource: touch("source"),
  touch_medium: touch("medium"),
  touchMedium: touch("medium"),
  touch_campaign: touch("campaign"),
  touchCampaign: touch("campaign"),
  utm_source: metadataKey("utm_source"),
  utmSource: metadataKey("utm_source"),
  utm_medium: metadataKey("utm_medium"),
  utmMedium: metadataKey("utm_medium"),
  utm_campaign: metadataKey("utm_campaign"),
  utmCampaign: metadataKey("utm_campaign"),
  utm_term: metadataKey("utm_term"),
  utmTerm: metadataKey("utm_term"),
  utm_content: metadataKey("utm_content"),
  utmContent: metadataKey("utm_content"),
} as const satisfies Readonly<Record<string, Operand>>;

/** A name of an event field. */
export type FieldName = keyof typeof FIELD_OPERANDS;

/** A trait of the event's person or company, or a dimension of the person's attribution. */
export type KnownFieldName = `${"person" | "company"}.${string}` | `${"first_touch" | "last_touch"}.${"source" | "medium" | "campaign"}`;

/** A name that can only be a field, unlike a bare metadata key. */
export type QualifiedFieldName = FieldName | KnownFieldName | `metadata.${string}`;

/** All field names, those in the documentation of the aggregate route first. */
export const FIELD_NAMES = Object.keys(FIELD_OPERANDS) as readonly FieldName[];

/** Whether a text is the name of a field. */
export function isFieldName(name: string): name is FieldName {
  return Object.hasOwn(FIELD_OPERANDS, name);
}
