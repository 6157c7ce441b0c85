import { isoOf } from "../base/time.js";
import type { EventRecord } from "./event.js";
import { fieldIndex } from "./fields.js";

const NAMES = [
  "name", "notify", "slug", "userId", "project", "location_country", "location_city", "location_region", "location_lon", "location_lat",
  "device", "os", "browser", "screen", "language", "referrer", "url", "hostname",
] as const;

/** Columns of the fields in a record. */
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
