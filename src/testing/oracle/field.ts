import { parameterError } from "../../base/errors.js";
import type { Companies } from "./companies.js";
import type { OracleEvent } from "./event.js";
import type { Rules } from "./rules.js";
import { touchOf } from "./touch.js";
import { identityId, type Identities } from "./identities.js";

/** What events are resolved to, beside what they hold. */
export interface Derived {
  readonly identities: Identities;
  readonly companies: Companies;
  readonly rules: Rules;
}

const RECORD_FIELDS: Readonly<Record<string, (event: OracleEvent) => unknown>> = {
  id: ({ record }) => record.id,
  name: ({ record }) => record.name,
  notify: ({ record }) => record.notify,
  slug: ({ record }) => record.slug,
  userId: ({ record }) => record.userId,
  project: ({ record }) => record.project,
  createdAt: ({ record }) => record.createdAt,
  anonymousId: ({ anonymousId }) => anonymousId,
  externalId: ({ externalId }) => externalId,
  value: ({ value, record }) => value ?? own(record.metadata, "value"),
  currency: ({ currency, record }) => currency || own(record.metadata, "currency"),
  location_country: ({ record }) => record.locationCountry,
  location_city: ({ record }) => record.locationCity,
  location_region: ({ record }) => record.locationRegion,
  location_lon: ({ record }) => record.locationLon,
  location_lat: ({ record }) => record.locationLat,
  device: ({ record }) => record.device,
  os: ({ record }) => record.os,
  browser: ({ record }) => record.browser,
  screen: ({ record }) => record.screen,
  language: ({ record }) => record.language,
  referrer: ({ record }) => record.referrer,
  url: ({ record }) => record.url,
  hostname: ({ record }) => record.hostname,
};

const ALIASES: Readonly<Record<string, string>> = {
  user_id: "userId",
  anonymous_id: "anonymousId",
  external_id: "externalId",
  event_name: "name",
  eventName: "name",
  created_at: "createdAt",
  country: "location_country",
  region: "location_region",
  city: "location_city",
  ...Object.fromEntries(
    `location_country location_city location_region location_lon location_lat referrer_domain identity_id company_id touch_source touch_medium touch_campaign
    utm_source utm_medium utm_campaign utm_term utm_content`.split(/\s+/).map((name) => [name.replace(/_./g, (letters) => letters.slice(1).toUpperCase()), name]),
  ),
};

const UTM = ["utm_source", "utm_medium", "utm_campaign", "utm_term", "utm_content"];

const DERIVED = ["path", "referrer_domain", "company_id", "identity_id", "touch_source", "touch_medium", "touch_campaign"];

/** Whether a name is one of a field, and not of a metadata key. */
export function isField(name: string): boolean {
  const field = Object.hasOwn(ALIASES, name) ? (ALIASES[name] ?? name) : name;
  return Object.hasOwn(RECORD_FIELDS, field) || DERIVED.includes(field) || UTM.includes(field);
}

/** How to read the value that a filter names from an event. @throws invalid_parameter (an empty name) */
export function fieldReader(name: string, { identities, companies, rules }: Derived): (event: OracleEvent) => unknown {
  if (name === "" || name === "metadata.") throw parameterError("invalid_parameter", "fieldName", "expected a name");
  const field = Object.hasOwn(ALIASES, name) ? (ALIASES[name] ?? name) : name;
  const recordField = Object.hasOwn(RECORD_FIELDS, field) ? RECORD_FIELDS[field] : undefined;
  if (recordField !== undefined) return recordField;
  if (field === "path") return ({ record }) => record.url.split(/[?#]/)[0];
  if (field === "referrer_domain") return ({ record }) => hostOf(record.referrer);
  if (field === "company_id") return (event) => companies.of(event);
  if (field === "touch_source") return (event) => touchOf(event, rules)?.source;
  if (field === "touch_medium") return (event) => touchOf(event, rules)?.medium;
  if (field === "touch_campaign") return (event) => touchOf(event, rules)?.campaign;
  if (field === "identity_id") {
    return (event) => {
      const identity = identities.of(event);
      return identity === null ? null : identityId(identity);
    };
  }
  if (UTM.includes(field)) return ({ record }) => own(record.metadata, field);
  if (name.startsWith("metadata.")) return metadataReader(name.slice("metadata.".length));
  return ({ record }) => own(record.metadata, name);
}

/** How to read a metadata path: the literal key where there is one, else a walk through nested objects at the dots. */
export function metadataReader(path: string): (event: OracleEvent) => unknown {
  return ({ record }) => {
    if (Object.hasOwn(record.metadata, path)) return own(record.metadata, path);
    return path.split(".").reduce<unknown>(own, record.metadata);
  };
}

function own(value: unknown, key: string): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  return Object.getOwnPropertyDescriptor(value, key)?.value;
}

function hostOf(referrer: string | null): string {
  if (referrer === null || !URL.canParse(referrer)) return "";
  return new URL(referrer).hostname.replace(/^www\./, "");
}
