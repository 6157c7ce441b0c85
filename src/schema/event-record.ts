import { isoOf } from "../base/time.js";
import type { EventRecord } from "./event.js";

/** The record of an event. @param text of a column, `""` where not set */
export function eventRecord(
  text: (column: string) => string,
  id: string,
  createdAtMs: number,
  metadata: Record<string, unknown>,
): EventRecord {
  const referrer = text("referrer");
  return {
    id,
    name: text("name"),
    notify: text("notify") === "true",
    slug: text("slug"),
    userId: text("userId"),
    project: text("project"),
    createdAt: isoOf(createdAtMs),
    metadata,
    locationCountry: text("location_country"),
    locationCity: text("location_city"),
    locationRegion: text("location_region"),
    locationLon: text("location_lon"),
    locationLat: text("location_lat"),
    device: text("device"),
    os: text("os"),
    browser: text("browser"),
    screen: text("screen"),
    language: text("language"),
    referrer: referrer === "" ? null : referrer,
    url: text("url"),
    hostname: text("hostname"),
  };
}
