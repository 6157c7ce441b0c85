import { createHash } from "node:crypto";
import type { AggregateInput, EventInput } from "daybook";
import { oracle } from "../support/index.js";
import { expect, test } from "vitest";

const nowMs = Date.parse("2026-03-10T00:00:00Z");
const day = (date: number) => `2026-03-0${date}T00:00:00.000Z`;
let serial = 0;
const event = (createdAt: EventInput["createdAt"], rest: Partial<EventInput> = {}): EventInput => ({
  name: "e", id: `event ${(serial += 1)}`, createdAt: typeof createdAt === "number" ? new Date(createdAt) : (createdAt ?? null), ...rest,
});

test("Per day, running total and fill agree on a history counted by hand.", () => {
  const asked = oracle([event("2026-03-01T23:59:59.999Z"), event("2026-03-03T00:00:00Z"), event("2026-03-03T01:00:00+02:00")], { nowMs });
  expect(asked.countEvents()).toBe(3);
  expect(asked.countEventsPerDay()).toEqual([{ day: day(1), count: 1 }, { day: day(2), count: 1 }, { day: day(3), count: 1 }]);
  expect(asked.countEventsPerDay({ endDate: "2026-03-02", startDate: day(2) })).toEqual([{ day: day(2), count: 1 }]);
  expect(asked.countEventsRunningTotalPerDay({ startDate: "2026-03-02", endDate: "2026-03-04", fill: true })).toEqual([
    { day: day(2), count: 1 }, { day: day(3), count: 2 }, { day: day(4), count: 2 },
  ]);
});

test("Timestamps bound a range inclusively, dates as whole days.", () => {
  const times = ["2026-03-01T12:00:00.000Z", "2026-03-01T12:00:00.001Z", "2026-03-01T23:59:59.999Z"];
  const asked = oracle(times.map((time) => event(time)), { nowMs });
  expect(asked.countEvents({ endDate: "2026-03-01T12:00:00Z" })).toBe(1);
  expect(asked.countEvents({ startDate: "2026-03-01T12:00:00.0019Z" })).toBe(2);
  expect(asked.countEvents({ startDate: "2026-03-01", endDate: "2026-03-01" })).toBe(3);
  const refusal = (code: string) => expect.objectContaining({ code }) as Error;
  expect(() => asked.countEvents({ startDate: "2026-02-29" })).toThrow(refusal("invalid_date"));
  expect(() => asked.countEvents({ startDate: "2026-03-02", endDate: "2026-03-01" })).toThrow(refusal("invalid_date_range"));
});

test("A device belongs to the user of its earliest link; later users keep only their own events.", () => {
  const asked = oracle([
    event(5, { anonymousId: "d" }),
    event(2, { anonymousId: "d", userId: "late" }),
    event(1, { anonymousId: "d", userId: "b" }),
    event(1, { anonymousId: "d", userId: "a", project: "other" }),
    event(9, { anonymousId: "late" }),
    event(9, {}),
  ], { nowMs });
  expect(asked.countUniqueUsers()).toBe(4);
  expect(asked.countEvents({ userId: "a" })).toBe(2);
  expect(asked.countEvents({ userId: "d" })).toBe(2);
  expect(asked.countEvents({ userId: "b" })).toBe(1);
  expect(asked.countEvents({ userId: "late" })).toBe(1);
  expect(asked.countEvents({ userId: "nobody" })).toBe(0);
  expect(asked.countEvents({ userId: "a", project: "default" })).toBe(1);
});

test("A user and an anonymous id of the same text are two, and days without either are omitted from uniques.", () => {
  const asked = oracle([
    event("2026-03-01T00:00:00Z", { userId: "x" }), event("2026-03-01T01:00:00Z", { anonymousId: "x" }), event("2026-03-02T00:00:00Z"),
  ], { nowMs });
  expect(asked.countUniqueUsers()).toBe(2);
  expect(asked.countUniqueUsersPerDay()).toEqual([{ day: day(1), count: 2 }]);
});

test("Aggregates order equal counts by code point, list not-set as empty, and count an array once per element.", () => {
  const metadata = [
    { k: "\uFF5E" }, { k: "\u{1F600}" }, { k: ["a", "a", null] }, { k: [""] }, {}, { k: { b: 1, "10": 2, a: [true] } }, { k: 1e21 },
  ];
  const asked = oracle(metadata.map((value, index) => event(index, { metadata: value })), { nowMs });
  expect(asked.aggregate({ metadataField: "k" })).toEqual([
    { property: "", count: 2 }, { property: "1e+21", count: 1 }, { property: "a", count: 1 },
    { property: '{"10":2,"a":[true],"b":1}', count: 1 }, { property: "\uFF5E", count: 1 }, { property: "\u{1F600}", count: 1 },
  ]);
  expect(asked.aggregate({ field: "user_id", limit: 1 })).toEqual([{ property: "", count: 7 }]);
  expect(() => asked.aggregate({} as AggregateInput)).toThrow(expect.objectContaining({ code: "exactly_one_required" }));
});

test("Search is newest first, equal milliseconds by id, and of one id the first event is kept.", () => {
  const low = "00000000-0000-4000-8000-000000000000";
  const high = "F0000000-0000-4000-8000-000000000000";
  const asked = oracle([
    event(7, { id: high }), event(7, { id: low }), event(9, { id: low }), event(8, { id: high.toLowerCase() }),
  ], { nowMs });
  expect(asked.searchEvents().map((found) => [found.id, found.createdAt])).toEqual([
    [high.toLowerCase(), "1970-01-01T00:00:00.007Z"], [low, "1970-01-01T00:00:00.007Z"],
  ]);
});

test("A record carries every field, with defaults where the event has none.", () => {
  const digest = createHash("sha256").update("id\0n 1").digest();
  digest[6] = (digest.readUInt8(6) & 0x0f) | 0x80;
  digest[8] = (digest.readUInt8(8) & 0x3f) | 0x80;
  const hex = digest.toString("hex");
  const name = "  Crème Brûlée! №5 ";
  const sparse = event(nowMs + 300_001, { id: "n 1", name, userId: 12, location_lon: 3.5, referrer: "" });
  const [record] = oracle([sparse], { nowMs }).searchEvents();
  expect(record).toEqual({
    id: `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`,
    name, notify: false, slug: "creme-brulee-no5", userId: "12", project: "default",
    createdAt: "2026-03-10T00:00:00.000Z", metadata: {}, locationCountry: "", locationCity: "", locationRegion: "",
    locationLon: "3.5", locationLat: "", device: "", os: "", browser: "", screen: "", language: "", referrer: null,
    url: "", hostname: "", anonymousId: "", value: null, currency: "", externalId: "", companyId: "",
    identityId: `idn_${createHash("sha256").update("user\0" + "12").digest("hex").slice(0, 32)}`,
  });
});

test("An event belongs to its own company, else to the one its identity was last seen with, the first reaching back.", () => {
  const asked = oracle([
    event(1, { anonymousId: "d" }), event(2, { userId: "u", anonymousId: "d", companyId: "a" }), event(3, { userId: "u" }),
    event(4, { userId: "u", company_id: "b" }), event(5, { anonymousId: "d" }), event(6, { userId: "v" }), event(7, { companyId: "c" }),
  ], { nowMs });
  const times = (operator: string, value: string) => {
    const found = asked.searchEvents({ filterGroups: [{ filters: [{ fieldName: "company_id", operator, value }] }] });
    return found.map(({ createdAt }) => Date.parse(createdAt));
  };
  expect(times("=", "a")).toEqual([3, 2, 1]);
  expect(times("=", "b")).toEqual([5, 4]);
  expect(times("=", "c")).toEqual([7]);
  expect(times("is_not_set", "")).toEqual([6]);
});

test("Broken events are left out.", () => {
  const broken: unknown[] = [
    event(1, { name: "" }), event(1, { name: "x".repeat(201) }), { ...event(1), colour: "red" }, event("2026-03-01T00:00:00"),
    event(1, { metadata: { n: Number.NaN } }), event(1, { device: "\ud800" }), event(1, { value: Infinity }),
    event(1, { metadata: { a: { a: { a: { a: { a: { a: { a: { a: { a: 1 } } } } } } } } } }), event(-1), event("2026-03-01"),
  ];
  expect(oracle(broken as EventInput[], { nowMs }).countEvents()).toBe(0);
  expect(oracle([event(nowMs + 300_000)], { nowMs }).searchEvents()[0]?.createdAt).toBe("2026-03-10T00:05:00.000Z");
});
