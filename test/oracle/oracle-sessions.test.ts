import type { EventInput } from "daybook";
import { oracle, type OracleOptions } from "../support/index.js";
import { expect, test } from "vitest";

const nowMs = Date.parse("2026-03-10T00:00:00Z");
const startMs = Date.parse("2026-03-01T23:00:00Z");
const minute = 60_000;
let serial = 0;
const visit = (offsetMs: number, rest: Partial<EventInput> = {}): EventInput => ({
  id: `00000000-0000-4000-8000-${String((serial += 1)).padStart(12, "0")}`, name: "Pageview", userId: "ann", url: "/", createdAt: startMs + offsetMs, ...rest,
});
const ask = (events: readonly EventInput[], options: Partial<OracleOptions> = {}) => oracle(events, { nowMs, ...options });
const sessionsOf = (events: readonly EventInput[], options: Partial<OracleOptions> = {}) => ask(events, options).identitySessions({ userId: "ann" }).sessions;
const sizes = (events: readonly EventInput[], options: Partial<OracleOptions> = {}) => sessionsOf(events, options).map((session) => session.events);

test("A pause of thirty minutes stays in the session, one millisecond more ends it; midnight does not.", () => {
  expect(sizes([visit(0), visit(30 * minute), visit(60 * minute)])).toEqual([3]);
  expect(sizes([visit(0), visit(30 * minute), visit(60 * minute + 1)])).toEqual([1, 2]);
  expect(sizes([visit(0), visit(minute + 1)], { session: { gapMs: minute } })).toEqual([1, 1]);
});

test("An event more than 24 hours after the start of a session begins another.", () => {
  const halfHours = Array.from({ length: 51 }, (_, index) => visit(index * 30 * minute));
  expect(sizes(halfHours)).toEqual([2, 49]);
  expect(sizes([visit(0), visit(minute), visit(2 * minute)], { session: { maxMs: minute } })).toEqual([1, 2]);
});

test("Each project has sessions of its own, newest first; those of one millisecond by the ids of their first events.", () => {
  const events = [visit(0, { project: "b" }), visit(0, { project: "a" }), visit(1, { project: "b" }), visit(-1, { project: "c" })];
  expect(sessionsOf(events).map(({ project, events: count }) => [project, count])).toEqual([["a", 1], ["b", 2], ["c", 1]]);
});

test("A session belongs to the window with its start, and is never cut.", () => {
  const asked = ask([visit(0), visit(30 * minute), visit(60 * minute)]);
  const on = (date: string) => asked.identityProfile({ userId: "ann", startDate: date, endDate: date });
  expect(on("2026-03-01")).toMatchObject({ events: 2, sessions: 1, durationAvgSec: 3_600, activeDays: 1 });
  expect(on("2026-03-02")).toMatchObject({ events: 1, sessions: 0, durationAvgSec: null, durationP90Sec: null, bounceRate: null, activeDays: 1 });
});

test("A payment from a server, without page, takes no part in sessions and counts in the profile, as do its duplicates.", () => {
  const paid = { name: "Payment", value: 10, externalId: "o", url: null };
  const events = [visit(0), visit(minute, paid), visit(2 * minute, paid), visit(3 * minute, { ...paid, externalId: "p", hostname: "h" })];
  expect(sessionsOf(events)).toMatchObject([{ events: 2, revenue: 10, durationSec: 180 }]);
  expect(ask(events).identityProfile({ userId: "ann" })).toMatchObject({ events: 4, revenue: 20, sessions: 1, bounceRate: 0 });
});

test("An order paid first by somebody else counts in nobody else's session.", () => {
  const paid = { name: "Payment", value: 10, externalId: "o" };
  expect(sessionsOf([visit(1, paid), visit(0, { ...paid, userId: "bob" })])).toMatchObject([{ revenue: 0 }]);
  expect(sessionsOf([visit(1, paid), visit(0, { ...paid, userId: "bob", project: "b" })])).toMatchObject([{ revenue: 10 }]);
});

test("Entry values are those of the first event, the exit that of the last with a url.", () => {
  const [session] = sessionsOf([
    visit(0, { url: "/in?utm_medium=mail&utm_source=", referrer: "https://r.example/", device: "mobile", metadata: { utm_campaign: " spring " } }),
    visit(1_500, { url: "/out", device: "desktop", metadata: { utm_source: "late" } }),
    visit(2_001, { url: null, name: "click" }),
  ]);
  expect(session).toMatchObject({
    durationSec: 2.001, pageviews: 2, isBounce: false, entryUrl: "/in?utm_medium=mail&utm_source=", exitUrl: "/out", referrer: "https://r.example/", device: "mobile", os: null,
    utmSource: null, utmMedium: "mail", utmCampaign: "spring", startedAt: "2026-03-01T23:00:00.000Z", endedAt: "2026-03-01T23:00:02.001Z",
  });
  expect(sessionsOf([visit(0, { referrer: "https://r.example/", url: "/?gclid=x" })])).toMatchObject([{ utmSource: "google", utmMedium: "cpc", utmCampaign: null }]);
  expect(sessionsOf([visit(0, { referrer: "https://www.google.com/" })])).toMatchObject([{ utmSource: null, entryUrl: "/", isBounce: true }]);
  expect(sessionsOf([visit(0, { url: "" }), visit(1)])).toMatchObject([{ entryUrl: null, exitUrl: "/" }]);
});

test("Durations of all sessions, zeros included, make the average and the interpolated 90th percentile.", () => {
  const hour = 60 * minute;
  const events = [visit(0), visit(10), visit(hour), visit(hour + 22), visit(2 * hour)];
  // 0, 10 and 22 ms: 32/3 = 10.67; rank 1.8: 10 + 0.8 × 12 = 19.6.
  expect(ask(events).identityProfile({ userId: "ann" })).toMatchObject({
    sessions: 3, durationAvgSec: 0.011, durationP90Sec: 0.02, bounceRate: 0.3333, pageviews: 5, activeDays: 2,
    firstSeen: "2026-03-01T23:00:00.000Z", lastSeen: "2026-03-02T01:00:00.000Z",
  });
});

test("The lifetime reaches beyond the window, which by default is of thirty days to now, both inclusive.", () => {
  const monthAgoMs = nowMs - 30 * 86_400_000 - startMs;
  const asked = ask([visit(monthAgoMs - 1), visit(monthAgoMs), visit(nowMs - startMs), visit(nowMs - startMs + 1)]);
  expect(asked.identityProfile({ userId: "ann" })).toMatchObject({ events: 2, firstSeen: "2026-02-07T23:59:59.999Z", lastSeen: "2026-03-10T00:00:00.001Z" });
  expect(asked.identityProfile({ userId: "ann", endDate: "2025-01-01" }).events).toBe(0);
});

test("Referrers are counted verbatim, equal counts in the order of code points.", () => {
  const events = ["\u{1F600}", "\uFF5E", "b", "b", "", null].map((referrer, index) => visit(index, { referrer }));
  const rows = [{ referrer: "b", count: 2 }, { referrer: "\uFF5E", count: 1 }, { referrer: "\u{1F600}", count: 1 }];
  expect(ask(events).identityReferrers({ userId: "ann" }).referrers).toEqual(rows);
  expect(ask(events).identityReferrers({ userId: "ann", limit: 1 }).referrers).toEqual(rows.slice(0, 1));
});

test("Devices are grouped without coordinates, which come from the newest; coordinates alone make the current but no history.", () => {
  const events = [
    visit(0, { device: "mobile", locationLat: 1 }), visit(1, { device: "mobile", locationLat: 2 }), visit(1, { os: "iOS" }), visit(2, { locationLon: 3 }), visit(3),
  ];
  const { current, history } = ask(events).identityDeviceGeo({ userId: "ann" });
  expect(current).toMatchObject({ device: null, locationLat: null, locationLon: "3", seenAt: "2026-03-01T23:00:00.002Z" });
  expect(history.map(({ device, os, locationLat, events: count }) => [device, os, locationLat, count])).toEqual([[null, "iOS", null, 1], ["mobile", null, "2", 2]]);
  expect(ask([visit(0)]).identityDeviceGeo({ userId: "ann" })).toMatchObject({ current: null, history: [] });
});
