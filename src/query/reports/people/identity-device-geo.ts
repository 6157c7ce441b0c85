/* eslint-disable @typescript-eslint/no-non-null-assertion -- places are bounded by the timeline */
import { compareCodePoints } from "../../../core/base/order.js";
import { inTurns, piecesOf, type Steps } from "../../../core/base/steps.js";
import { isoOf } from "../../../core/base/time.js";
import type { Dictionaries } from "../../../storage/column/dictionaries.js";
import type { DeviceGeo } from "../../plan/answers.js";
import { subjectOf, withEventsOf } from "./identity-events.js";
import type { Study } from "../form/report.js";

/** Columns that define a combination, in order of comparison. */
const GROUP_COLUMNS = [
  "device", "os", "browser", "screen", "language", "location_country", "location_region", "location_city",
] as const;
const COLUMNS = [...GROUP_COLUMNS, "location_lat", "location_lon"] as const;
const HISTORY_LIMIT = 100;

/** Events with equal values in all group columns; indexes count from the start of the window. */
interface Group {
  readonly firstPlace: number;
  lastPlace: number;
  eventCount: number;
}

/** Devices and locations of an identity within the window. */
export const identityDeviceGeo: Study<"identityDeviceGeo"> = {
  kind: "study",
  tables: () => ["timelines"],
  answer: (plan, moment) => {
    const { window } = plan;
    return withEventsOf(subjectOf(plan, moment), moment, null, async ({ identity, identities, timeline, dictionaries, pause }) => {
      const from = timeline.firstAt(window.fromMs);
      const to = timeline.firstAt(window.toMs);
      const columns = await timeline.codes(COLUMNS, pause, from, to);
      const entry = (place: number) => deviceGeo(columns, place, dictionaries);
      const msOf = (place: number) => timeline.times[from + place]!;
      const newest = newestSet(columns, to - from);
      const groups = await inTurns(groupPlaces(columns.slice(0, GROUP_COLUMNS.length), to - from), pause);
      return {
        identityId: identities.identityId(identity),
        current: newest === -1 ? null : { ...entry(newest), seenAt: isoOf(msOf(newest)) },
        history: newestGroups(groups, msOf)
          .map((group) => ({ ...group, entry: entry(group.lastPlace), lastMs: msOf(group.lastPlace) }))
          .sort((a, b) => b.lastMs - a.lastMs || compareEntries(a.entry, b.entry))
          .slice(0, HISTORY_LIMIT)
          .map(({ firstPlace, eventCount, entry: shown, lastMs }) =>
            ({ ...shown, firstSeen: isoOf(msOf(firstPlace)), lastSeen: isoOf(lastMs), events: eventCount })),
      };
    });
  },
};

/** The last index with any column set; -1 for none. */
function newestSet(columns: readonly Uint32Array[], count: number): number {
  for (let place = count - 1; place >= 0; place -= 1) if (columns.some((codes) => codes[place] !== 0)) return place;
  return -1;
}

/** Groups that may be among the last `HISTORY_LIMIT`, so that only their texts are read. Indexes ascend with time. */
function newestGroups(groups: Group[], msOf: (place: number) => number): Group[] {
  groups.sort((a, b) => b.lastPlace - a.lastPlace);
  const last = groups[HISTORY_LIMIT - 1];
  return last === undefined ? groups : groups.filter(({ lastPlace }) => msOf(lastPlace) >= msOf(last.lastPlace));
}

/** Indexes read per step. */
const PLACES_PER_STEP = 8_192;

/** Groups the indexes with any column set. People rarely change their device, so an index mostly belongs to the same group as the one before. */
function* groupPlaces(columns: readonly Uint32Array[], count: number): Steps<Group[]> {
  const groups: Group[] = [];
  const byHash = new Map<number, Group[]>();
  let last: Group | null = null;
  yield* piecesOf(count, PLACES_PER_STEP, (from, to) => {
    for (let place = from; place < to; place += 1) {
      if (last === null || !agree(columns, last.firstPlace, place)) last = findGroup(place);
      if (last === null) continue;
      last.lastPlace = place;
      last.eventCount += 1;
    }
  });
  return groups;

  function findGroup(place: number): Group | null {
    const hash = hashOf(columns, place);
    if (hash === 0 && columns.every((codes) => codes[place] === 0)) return null;
    const same = byHash.get(hash) ?? [];
    const known = same.find(({ firstPlace }) => agree(columns, firstPlace, place));
    if (known !== undefined) return known;
    const made = { firstPlace: place, lastPlace: place, eventCount: 0 };
    if (same.push(made) === 1) byHash.set(hash, same);
    groups.push(made);
    return made;
  }
}

function agree(columns: readonly Uint32Array[], a: number, b: number): boolean {
  for (const codes of columns) if (codes[a] !== codes[b]) return false;
  return true;
}

/** 0 for an index without any code. */
function hashOf(columns: readonly Uint32Array[], place: number): number {
  let hash = 0;
  for (const codes of columns) hash = Math.imul(hash, 0x01000193) ^ codes[place]!;
  return hash;
}

function deviceGeo(columns: readonly Uint32Array[], place: number, dictionaries: Dictionaries): DeviceGeo {
  const text = (column: (typeof COLUMNS)[number]): string | null => {
    const code = columns[COLUMNS.indexOf(column)]![place]!;
    return code === 0 ? null : dictionaries.named(column).valueOf(code);
  };
  return {
    device: text("device"),
    os: text("os"),
    browser: text("browser"),
    screen: text("screen"),
    language: text("language"),
    locationCountry: text("location_country"),
    locationRegion: text("location_region"),
    locationCity: text("location_city"),
    locationLat: text("location_lat"),
    locationLon: text("location_lon"),
  };
}

/** By code point in the order of the group columns, unset values first. */
function compareEntries(a: DeviceGeo, b: DeviceGeo): number {
  const keys = ["device", "os", "browser", "screen", "language", "locationCountry", "locationRegion", "locationCity"] as const;
  for (const key of keys) {
    const order = compareCodePoints(a[key] ?? "", b[key] ?? "");
    if (order !== 0) return order;
  }
  return 0;
}
