import { fixedClock, memoryStorage, openDaybook, type Daybook, type EventInput, type SegmentCondition } from "daybook";
import { openClickHouse, type ClickHouseDaybook } from "daybook/clickhouse";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { newDatabase, queryLayouts } from "./kit.js";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const startMs = Date.UTC(2026, 1, 10, 12);
const at = (ms: number) => new Date(startMs + ms).toISOString();

let eventCount = 0;

/** An event some ms behind the start. What comes first has the greatest id. */
function event(ms: number, name: string, who: Partial<EventInput>, rest: Partial<EventInput> = {}): EventInput {
  eventCount += 1;
  const id = `00000000-0000-4000-8000-${String(1_000 - eventCount).padStart(12, "0")}`;
  return { id, name, createdAt: startMs + ms, url: `https://shop.example/${name}`, hostname: "shop.example", ...who, ...rest };
}

const [ann, bob, cy] = [{ userId: "ann" }, { userId: "bob" }, { anonymousId: "device-cy" }];

const events = [
  // Two at once, of which the second to come is the first in order.
  event(0, "a", ann, { device: "desktop", metadata: { plan: ["x", "y"], deep: { key: [1, { b: 2, a: 1 }] } } }),
  event(0, "a", ann, { device: "mobile", url: "https://shop.example/first?x=1", metadata: { plan: "z" } }),
  event(10 * MINUTE, "x", { anonymousId: "device-ann" }),
  event(20 * MINUTE, "b", ann, { metadata: { deep: { key: "text" } } }),
  event(45 * MINUTE, "c", ann, { url: null }),
  // A pause longer than the gap, and one that is just the gap.
  event(75 * MINUTE + 1, "a", ann),
  event(105 * MINUTE + 1, "b", ann),
  // Goes on over midnight, and for more than a day without a pause.
  ...Array.from({ length: 60 }, (_, n) =>
    event(11 * HOUR + n * 29 * MINUTE, n % 7 === 0 ? "a" : "Pageview", bob, { companyId: n % 2 === 0 ? "acme" : null })),
  event(11 * HOUR, "b", bob, { project: "other" }),
  // Reported by a server.
  event(11 * HOUR + 10 * MINUTE, "Purchase", bob, { url: null, hostname: null, value: 5, externalId: "o1" }),
  event(12 * HOUR, "Purchase", bob, { value: 7, currency: "EUR", externalId: "o2" }),
  event(12 * HOUR + 5, "Purchase", cy, { value: 7, currency: "EUR", externalId: "o2" }),
  event(13 * HOUR, "Purchase", cy, { value: 3, currency: "SEK" }),
  event(2 * DAY, "a", cy, { referrer: "https://www.google.com/", url: "https://shop.example/a?utm_source=news" }),
  event(2 * DAY + MINUTE, "b", cy, { referrer: "https://friend.example/" }),
  event(9 * DAY, "b", { anonymousId: "device-ann" }, { url: "?only=query" }),
  event(9 * DAY + 5 * MINUTE, "c", { userId: "ann-old" }, { url: null }),
];

const steps = [{ eventName: "a" }, { eventName: "b" }];
const breakdown = { fields: ["device", "metadata.plan"], limit: 2, rest: true };

type Ask = (of: Pick<Daybook, "funnel" | "paths" | "sessionsOverview" | "webOverview" | "trend" | "retention">) => Promise<unknown>;

const revenue = { type: "revenue" } as const;
const ofBob = [{ filters: [{ fieldName: "userId", operator: "=", value: "bob" } as const] }];
const inSegment = (operator: "in_segment" | "not_in_segment") => [{ filters: [{ fieldName: "identity_id", operator, value: "own" }] }];
const segmentOf = (...conditions: SegmentCondition[]) => ({ own: { groups: [{ conditions }] } });

const [early, late] = [{ type: "first_seen", endDate: at(DAY) }, { type: "last_seen", lastDays: 3 }] as const;

const queries: Readonly<Record<string, Ask>> = {
  "who did something often":
    (of) => of.trend({ filterGroups: inSegment("in_segment"), segments: segmentOf({ type: "did", eventName: "a", atLeast: 2, atMost: 3 }) }),
  "who is not among those who never did something":
    (of) => of.trend({ filterGroups: inSegment("not_in_segment"), segments: segmentOf({ type: "did_not", eventName: "Pageview" }) }),
  "whoever was seen first and last":
    (of) => of.funnel({ steps, filterGroups: inSegment("in_segment"), segments: segmentOf(early, late) }),

  "a funnel by what came first at once": (of) => of.funnel({ steps, breakdown }),
  "a funnel by its last event":
    (of) => of.funnel({ steps: [...steps, { eventName: "c" }], breakdown: { fields: ["metadata.deep.key"], at: "last" } }),
  "a funnel that ends behind its dates": (of) => of.funnel({ steps, endDate: at(5 * MINUTE) }),
  "a strict funnel": (of) => of.funnel({ steps, order: "strict", endDate: at(5 * MINUTE) }),
  "a funnel with an exclusion": (of) => of.funnel({ steps, exclusions: [{ eventName: "x" }], endDate: at(5 * MINUTE) }),
  "a funnel in any order": (of) => of.funnel({ steps: [{ eventName: "b" }, { eventName: "a" }, { eventName: "c" }], order: "any", interval: "week" }),
  "a funnel of accounts": (of) => of.funnel({ steps: [{ eventName: "a" }, { eventName: "Pageview" }], level: "account", interval: "day" }),
  "a funnel of sessions": (of) => of.funnel({ steps, level: "session", interval: "day", order: "strict" }),
  "a funnel of sessions between dates": (of) => of.funnel({ steps, level: "session", startDate: at(1), endDate: at(2 * DAY) }),
  "paths": (of) => of.paths({ maxDepth: 20 }),
  "paths of names in the middle of a session": (of) => of.paths({ node: "name", startDate: at(12 * HOUR), endDate: at(DAY), maxDepth: 3 }),
  "paths up to a label": (of) => of.paths({ node: "name", rules: [{ pattern: "^P", label: "page" }], endAt: "page", collapse: false }),
  "paths of what lies deep": (of) => of.paths({ node: "metadata.deep.key" }),
  "paths of a list": (of) => of.paths({ node: "metadata.plan", eventName: "a" }),
  "sessions by their first events": (of) => of.sessionsOverview({ breakdown, interval: "day" }),
  "sessions of one project that saw something":
    (of) => of.sessionsOverview({ project: "default", eventName: "b", interval: "hour", startDate: at(0), endDate: at(3 * HOUR) }),
  "sessions that begin in the middle of another one": (of) => of.sessionsOverview({ startDate: at(12 * HOUR), endDate: at(40 * HOUR) }),
  "a trend of sessions": (of) => of.trend({ measure: { type: "sessions" }, breakdown, cumulative: true, startDate: at(0), endDate: at(3 * DAY) }),
  "a trend of revenue":
    (of) => of.trend({ measure: revenue, breakdown: { fields: ["companyId", "name"], limit: 1, rest: true }, interval: "week" }),
  "a trend of revenue of one person, of whose order another one paid":
    (of) => of.trend({ measure: revenue, interval: "total", filterGroups: ofBob }),
  "a trend of revenue of whom paid twice":
    (of) => of.trend({ measure: revenue, startDate: at(12 * HOUR + 1), endDate: at(DAY), compare: "previous_period", interval: "hour", fill: false }),
  "retention by first events": (of) => of.retention({ breakdown, periods: 2 }),
  "retention by the first event of each day":
    (of) => of.retention({ cohort: "recurring", cohortEvent: steps[0] ?? {}, breakdown: { fields: ["name", "device"] }, returned: "on_or_after" }),
  "a web site": (of) => of.webOverview({ interval: "day" }),
  "a web site before and now": (of) => of.webOverview({ startDate: at(0), endDate: at(DAY), compare: "previous_period", interval: "hour", limit: 3 }),
  "a web site by what was seen":
    (of) => of.webOverview({ filterGroups: [{ filters: [{ fieldName: "url", operator: "contains", value: "a" }] }], limit: 2 }),
};

describe.each(queryLayouts)("rows in order from ClickHouse, %s", (layout) => {
  let daybook: ClickHouseDaybook;
  let embedded: Daybook;
  const close: (() => Promise<void>)[] = [];
  beforeAll(async () => {
    const rules = { clock: fixedClock(startMs + 9 * DAY + 6 * MINUTE), rates: (from: string) => (from === "EUR" ? 1.25 : undefined) };
    const { options, drop } = await newDatabase(layout, rules);
    daybook = await openClickHouse(options);
    embedded = await openDaybook({ ...rules, storage: memoryStorage() });
    close.push(drop, () => daybook.close(), () => embedded.close());
    for (const each of [daybook as unknown as Daybook, embedded]) {
      expect(await each.ingest(events.slice(0, 40))).toMatchObject({ rejected: [] });
      await each.identify({ userId: "ann", anonymousId: "device-ann" });
      await each.alias({ from: "ann-old", to: "ann" });
      expect(await each.ingest(events.slice(40))).toMatchObject({ rejected: [] });
    }
  });
  afterAll(async () => {
    for (const each of close.reverse()) await each();
  });

  test.each(Object.keys(queries))("%s", async (name) => {
    const ask = queries[name] ?? (() => Promise.reject(new Error("no question of this name")));
    const answer = JSON.stringify(await ask(daybook));
    expect(answer).toBe(JSON.stringify(await ask(embedded)));
    expect(answer.length).toBeGreaterThan(200);
  });
});
