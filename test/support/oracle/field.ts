import { parameterError } from "../../../src/core/base/errors.js";
import type { OracleEvent } from "./event.js";
import { identityId } from "./identities.js";
import { knownReader } from "./insights/known-field.js";
import { memberOf, valueAt } from "./json.js";
import { sourceName } from "./touch.js";
import type { World } from "./world.js";

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
  value: ({ value, record }) => value ?? memberOf(record.metadata, "value"),
  currency: ({ currency, record }) => currency || memberOf(record.metadata, "currency"),
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

const PREFIXES = ["metadata.", "person.", "company.", "first_touch.", "last_touch."];

/** Whether a name is one of a field, and not a bare metadata key. */
export function isField(name: string): boolean {
  const field = fieldNameOf(name);
  return Object.hasOwn(RECORD_FIELDS, field) || DERIVED.includes(field) || UTM.includes(field) || PREFIXES.some((prefix) => name.startsWith(prefix));
}

/** The one name of a field that has several. */
export function fieldNameOf(name: string): string {
  return Object.hasOwn(ALIASES, name) ? (ALIASES[name] ?? name) : name;
}

/** How to read the value that a filter names from an event. @throws invalid_parameter (an empty name) */
export function fieldReader(name: string, world: World): (event: OracleEvent) => unknown {
  const { identities, companies, touchOf } = world;
  if (name === "" || name === "metadata.") throw parameterError("invalid_parameter", "fieldName", "expected a name");
  const field = fieldNameOf(name);
  const recordField = Object.hasOwn(RECORD_FIELDS, field) ? RECORD_FIELDS[field] : undefined;
  if (recordField !== undefined) return recordField;
  if (field === "path") return ({ record }) => record.url.split(/[?#]/)[0];
  if (field === "referrer_domain") return ({ record }) => hostOf(record.referrer);
  if (field === "company_id") return (event) => companies.of(event);
  if (field === "touch_source") return (event) => touchOf(event)?.source;
  if (field === "touch_medium") return (event) => touchOf(event)?.medium;
  if (field === "touch_campaign") return (event) => touchOf(event)?.campaign;
  if (field === "identity_id") {
    return (event) => {
      const identity = identities.of(event);
      return identity === null ? null : identityId(identity);
    };
  }
  if (UTM.includes(field)) return ({ record }) => memberOf(record.metadata, field);
  if (name.startsWith("metadata.")) return metadataReader(name.slice("metadata.".length));
  return knownReader(name, world) ?? (({ record }) => memberOf(record.metadata, name));
}

/** How to read a metadata path. */
export function metadataReader(path: string): (event: OracleEvent) => unknown {
  return ({ record }) => valueAt(record.metadata, path);
}

function hostOf(referrer: string | null): string {
  return referrer !== null && URL.canParse(referrer) ? sourceName(new URL(referrer).hostname) : "";
}
