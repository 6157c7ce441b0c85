import { parameterError } from "../../base/errors.js";
import type { Companies } from "./companies.js";
import type { OracleEvent } from "./event.js";
import { identityId, type Identities } from "./identities.js";

/** What events are resolved to, beside what they hold. */
export interface Derived {
  readonly identities: Identities;
  readonly companies: Companies;
}

const RECORD_FIELDS: Readonly<Record<string, (event: OracleEvent) => unknown>> = {
  id: ({ record }) => record.id,
  name: ({ record }) => record.name,
  notify: ({ record }) => record.notify,
  slug: ({ record }) => record.slug,
  userId: ({ record }) => record.userId,
  project: ({ record }) => record.project,
  createdAt: ({ record }) => record.createdAt,
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
  event_name: "name",
  created_at: "createdAt",
  country: "location_country",
  region: "location_region",
  city: "location_city",
};

const UTM = ["utm_source", "utm_medium", "utm_campaign", "utm_term", "utm_content"];

/** How to read the value that a filter names from an event. @throws invalid_parameter (an empty name) */
export function fieldReader(name: string, { identities, companies }: Derived): (event: OracleEvent) => unknown {
  if (name === "" || name === "metadata.") throw parameterError("invalid_parameter", "fieldName", "expected a name");
  const field = Object.hasOwn(ALIASES, name) ? (ALIASES[name] ?? name) : name;
  const recordField = Object.hasOwn(RECORD_FIELDS, field) ? RECORD_FIELDS[field] : undefined;
  if (recordField !== undefined) return recordField;
  if (name === "path") return ({ record }) => record.url.split(/[?#]/)[0];
  if (name === "referrer_domain") return ({ record }) => hostOf(record.referrer);
  if (name === "company_id") return (event) => companies.of(event);
  if (name === "identity_id") {
    return (event) => {
      const identity = identities.of(event);
      return identity === null ? null : identityId(identity);
    };
  }
  if (UTM.includes(name)) return ({ record }) => own(record.metadata, name);
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
