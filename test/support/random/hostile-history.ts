import type { EventInput } from "../../../src/core/schema/event.js";
import type { Random } from "../../../src/testing/random.js";
import {
  anonymousIds, eventNames, metadataKeys, nastyInstants, nastyNumbers, nastyTexts, projects, referrers, shortTexts, urls, userIds,
} from "./nasty-values.js";
import { nowMs } from "./now.js";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const midnightMs = Date.UTC(2026, 2, 1);
const shared = anonymousIds.slice(0, 3);
const farInstants = [0, Date.UTC(2024, 1, 29, 23, 59, 59, 999), nowMs, nowMs + 300_000, nowMs + 300_001, nowMs + DAY_MS];

/** Members that make an event unacceptable, each with its name. */
export const brokenMembers: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  "an empty name": { name: "" },
  "no name": { name: null },
  "a name of 201 characters": { name: "x".repeat(201) },
  "a member that no event has": { colour: "red" },
  "a time without zone": { createdAt: "2026-03-01T00:00:00" },
  "a date without time": { createdAt: "2026-03-01" },
  "an impossible date": { createdAt: "2026-02-30T00:00:00Z" },
  "words as time": { createdAt: "yesterday" },
  "a time before 1970": { createdAt: -1 },
  "a time that is no number": { createdAt: Number.NaN },
  "a userId that is an object": { userId: {} },
  "a device that is a number": { device: 1 },
  "a notify that is a text": { notify: "yes" },
  "an infinite number in metadata": { metadata: { n: Infinity } },
  "a list as metadata": { metadata: ["a"] },
  "a text as metadata": { metadata: "a" },
  "metadata nine levels deep": { metadata: { a: [[[[[[[[]]]]]]]] } },
  "metadata over 32 KiB": { metadata: { a: "x".repeat(32 * 1024) } },
  "a lone surrogate in a field": { device: "\ud800" },
  "a lone surrogate in a metadata key": { metadata: { "\udfff": 1 } },
  "a lone surrogate in a metadata value": { metadata: { a: ["\ud800"] } },
  "a value that is no number": { value: Number.NaN },
};

/**
 * Events over a small alphabet, so that everything that can collide does: devices shared by users, equal milliseconds,
 * days about midnight, ids sent twice with the same or another content, fields missing, null or empty, and a few that
 * must be rejected.
 */
export function hostileHistory(random: Random, eventCount: number): EventInput[] {
  const events: EventInput[] = [];
  for (let index = 0; index < eventCount; index += 1) {
    const earlier = events.length > 0 && random.chance(0.12) ? random.pick(events) : null;
    const fresh = hostileEvent(random, `event-${index}`);
    if (random.chance(0.04)) events.push({ ...fresh, ...random.pick(Object.values(brokenMembers)) } as EventInput);
    else if (earlier === null) events.push(fresh);
    else events.push(random.chance(0.6) ? earlier : { ...fresh, id: earlier.id ?? null });
  }
  return events;
}

/** Events of many users, devices and values, so that codes need more than a byte. */
export function wideHistory(random: Random, eventCount: number): EventInput[] {
  return Array.from({ length: eventCount }, (_, index) => {
    const { userId: _1, user_id: _2, anonymousId: _3, anonymous_id: _4, ...event } = hostileEvent(random, `event-${index}`);
    return {
      ...event,
      userId: random.chance(0.5) ? `user-${random.below(400)}` : null,
      anonymousId: random.chance(0.7) ? `device-${random.below(400)}` : null,
      url: `/page/${random.below(1_000)}`,
      metadata: { ...event.metadata, plan: random.below(600), [`key ${random.below(100)}`]: index },
    };
  });
}

function hostileEvent(random: Random, seedId: string): EventInput {
  const maybe = <T>(value: T): T | null | undefined => random.pick([value, value, value, null, undefined]);
  return withoutUndefined({
    id: idOf(random, seedId),
    name: random.pick(eventNames),
    [random.pick(["userId", "user_id"])]: random.pick([...userIds.slice(0, 4), random.pick(userIds), 1, "", null, undefined]),
    [random.pick(["anonymousId", "anonymous_id"])]: random.pick([random.pick(anonymousIds), random.pick(shared), "", null, undefined]),
    project: random.pick([...projects, "", null, undefined]),
    [random.pick(["createdAt", "created_at", "timestamp"])]: timeOf(random),
    notify: maybe(random.chance(0.5)),
    slug: random.pick(["custom", "", null, undefined, undefined]),
    [random.pick(["locationCountry", "location_country"])]: maybe(random.pick(shortTexts)),
    [random.pick(["locationCity", "location_city"])]: maybe(random.pick(nastyTexts)),
    [random.pick(["locationRegion", "location_region"])]: maybe(""),
    [random.pick(["locationLon", "location_lon"])]: maybe(random.pick([10, "10.0", "-3.5", -3.5])),
    [random.pick(["locationLat", "location_lat"])]: maybe(random.pick([0, "52.1"])),
    device: maybe(random.pick(["mobile", "Mobile", ""])),
    os: maybe("iOS"),
    browser: maybe(random.pick(shortTexts)),
    screen: maybe("390x844"),
    language: maybe(random.pick(["en-US", "İ"])),
    referrer: maybe(random.pick([...referrers, ""])),
    url: maybe(random.pick([...urls, ""])),
    hostname: maybe(random.pick(["example.org", ""])),
    value: random.pick([null, undefined, undefined, random.pick(nastyNumbers)]),
    currency: random.pick([null, undefined, "", random.pick(shortTexts)]),
    [random.pick(["externalId", "external_id"])]: random.pick([null, undefined, random.pick(shortTexts)]),
    [random.pick(["companyId", "company_id"])]: random.pick([null, undefined, undefined, "", random.pick(shortTexts)]),
    metadata: random.pick([metadataOf(random), metadataOf(random), metadataOf(random), {}, null, undefined]),
  }) as unknown as EventInput; // Computed member names defeat the type; unknown members would be rejected and seen.
}

function withoutUndefined(members: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}

function idOf(random: Random, seedId: string): string {
  const low = random.below(2 ** 32).toString(16).padStart(12, "0");
  const uuid = `${random.pick(["00000000", "ffffffff", "7fffffff", "80000000"])}-0000-4000-8000-${low}`;
  return random.pick([uuid, uuid.toUpperCase(), `${seedId}-${random.below(1_000_000)}`]);
}

function timeOf(random: Random): string | number | Date | undefined {
  const ms = random.chance(0.06)
    ? random.pick(farInstants)
    : midnightMs + random.between(-2, 2) * DAY_MS + random.pick([-1, 0, 0, 1, 13 * HOUR_MS, random.below(DAY_MS)]);
  const utc = new Date(ms).toISOString();
  const shifted = `${new Date(ms + 2 * HOUR_MS).toISOString().slice(0, -1)}+02:00`;
  return random.pick([utc, utc, ms, new Date(ms), shifted, utc.replace("Z", "999Z"), random.chance(0.1) ? undefined : utc]);
}

function metadataOf(random: Random): Record<string, unknown> {
  const entries = Array.from({ length: random.below(5) }, () => entryOf(random));
  // Object.fromEntries defines own members, so `__proto__` becomes a key like any other.
  return Object.fromEntries(entries);
}

function entryOf(random: Random): readonly [string, unknown] {
  const key = random.pick(metadataKeys);
  if (key === "when" && random.chance(0.9)) return [key, random.pick(nastyInstants)];
  if (key === "amount" && random.chance(0.7)) return [key, random.pick([...nastyNumbers, "3", "-1.5", "1e3", "03"])];
  return [key, jsonOf(random, 0)];
}

function jsonOf(random: Random, depth: number): unknown {
  const scalar = () => random.pick<unknown>([
    random.pick(nastyTexts), random.pick(shortTexts), random.pick(shortTexts), "", null, true, false, random.pick(nastyNumbers),
  ]);
  if (depth > 2 || random.chance(0.7)) return scalar();
  if (random.chance(0.5)) return Array.from({ length: random.below(4) }, () => random.pick([scalar, scalar, scalar, scalar, () => ({ a: scalar() }), () => [scalar()]])());
  const keys = ["b", "c", "10", "9", "a.b", "__proto__", "length"];
  return Object.fromEntries(Array.from({ length: random.below(4) }, () => [random.pick(keys), jsonOf(random, depth + 1)]));
}
