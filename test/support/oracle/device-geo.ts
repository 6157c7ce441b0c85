import type { DeviceGeo, IdentityDeviceGeo } from "../../../src/query/plan/answers.js";
import type { OracleEvent } from "./event.js";
import { byCodePoint } from "./json.js";

const GROUPING = [
  "device", "os", "browser", "screen", "language", "locationCountry", "locationRegion", "locationCity",
] as const;
const HISTORY_LENGTH = 100;

/** The newest device and place of some events, and all distinct ones. `events` in order of time and id. */
export function deviceGeoOf(events: readonly OracleEvent[]): Omit<IdentityDeviceGeo, "identityId"> {
  const newest = events.filter((event) => Object.values(deviceGeo(event)).some((value) => value !== null)).at(-1);
  const placed = events.filter((event) => groupOf(event).some((value) => value !== null));
  const groups = [...new Set(placed.map((event) => JSON.stringify(groupOf(event))))];
  const history = groups.flatMap((group) => {
    const own = placed.filter((event) => JSON.stringify(groupOf(event)) === group);
    const [first, last] = [own.at(0), own.at(-1)];
    if (first === undefined || last === undefined) return [];
    return [{ ...deviceGeo(last), firstSeen: first.record.createdAt, lastSeen: last.record.createdAt, events: own.length }];
  });
  return {
    current: newest === undefined ? null : { ...deviceGeo(newest), seenAt: newest.record.createdAt },
    history: history.sort(byLastSeenThenFields).slice(0, HISTORY_LENGTH),
  };
}

function deviceGeo({ record }: OracleEvent): DeviceGeo {
  return {
    device: record.device || null,
    os: record.os || null,
    browser: record.browser || null,
    screen: record.screen || null,
    language: record.language || null,
    locationCountry: record.locationCountry || null,
    locationRegion: record.locationRegion || null,
    locationCity: record.locationCity || null,
    locationLat: record.locationLat || null,
    locationLon: record.locationLon || null,
  };
}

function groupOf(event: OracleEvent): (string | null)[] {
  const fields = deviceGeo(event);
  return GROUPING.map((field) => fields[field]);
}

type Seen = IdentityDeviceGeo["history"][number];

/** Not set, as an empty text, sorts before every other text. */
function byLastSeenThenFields(a: Seen, b: Seen): number {
  if (a.lastSeen !== b.lastSeen) return a.lastSeen < b.lastSeen ? 1 : -1;
  const differing = GROUPING.find((field) => a[field] !== b[field]);
  return differing === undefined ? 0 : byCodePoint(a[differing] ?? "", b[differing] ?? "");
}
