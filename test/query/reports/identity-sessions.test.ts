import { hash128, toHex } from "../../../src/core/base/hash.js";
import { uuidOfText } from "../../../src/core/base/uuid.js";
import { fixedClock, memoryStorage, openDaybook, type Daybook, type EventInput, type IdentitySessionsInput, type SessionItem } from "daybook";
import { expect, test } from "vitest";
import { DAY, HOUR, MINUTE, NOW, failure, inEveryLayout, iso } from "./layouts.js";

const T = Date.UTC(2026, 2, 10, 23, 50);

async function pages(daybook: Daybook, input: IdentitySessionsInput): Promise<SessionItem[][]> {
  const found: SessionItem[][] = [];
  let cursor: string | null = null;
  do {
    const page = await daybook.identitySessions({ ...input, cursor });
    found.push([...page.sessions]);
    cursor = page.cursor;
  } while (cursor !== null);
  return found;
}

test("a session shows its first event's surroundings, its last url, and what all events brought", async () => {
  const events: EventInput[] = [
    {
      id: "first", name: "Pageview", userId: "ann", project: "shop", createdAt: T, url: "/a?x=1", hostname: "shop.example", referrer: "https://www.find.example/q",
      device: "mobile", os: "iOS", browser: "Safari", screen: "390x844", language: "de", locationCountry: "DE", locationRegion: "BE", locationCity: "Berlin",
      metadata: { utm_source: "letter" },
    },
    { id: "second", name: "page view", userId: "ann", project: "shop", createdAt: T + 20 * MINUTE, url: "/b", device: "desktop" },
    { id: "third", name: "paid", userId: "ann", project: "shop", createdAt: T + 45 * MINUTE + 7, hostname: "shop.example", value: 12.5, externalId: "o1" },
    { id: "others", name: "Pageview", userId: "bob", project: "shop", createdAt: T + 46 * MINUTE, url: "/c" },
  ];
  await inEveryLayout(events, async (daybook) => {
    const answer = await daybook.identitySessions({ userId: "ann" });
    expect(answer).toEqual({
      identityId: `idn_${toHex(hash128("user", "ann"))}`,
      cursor: null,
      sessions: [
        {
          sessionId: `ses_${toHex(hash128("session", uuidOfText("first")))}`,
          project: "shop",
          startedAt: "2026-03-10T23:50:00.000Z",
          endedAt: "2026-03-11T00:35:00.007Z",
          durationSec: 2700.007,
          events: 3,
          pageviews: 2,
          isBounce: false,
          entryUrl: "/a?x=1",
          exitUrl: "/b",
          referrer: "https://www.find.example/q",
          utmSource: "letter",
          utmMedium: null,
          utmCampaign: null,
          device: "mobile",
          os: "iOS",
          browser: "Safari",
          screen: "390x844",
          language: "de",
          locationCountry: "DE",
          locationRegion: "BE",
          locationCity: "Berlin",
          revenue: 12.5,
        },
      ],
    });
  });
});

test("what an event does not tell is null, and a session of one event is a bounce", async () => {
  await inEveryLayout([{ id: "only", name: "x", userId: "ann", createdAt: T }], async (daybook) => {
    const [session] = (await daybook.identitySessions({ userId: "ann" })).sessions;
    expect(session).toMatchObject({
      project: "default", durationSec: 0, events: 1, pageviews: 0, isBounce: true, entryUrl: null, exitUrl: null, referrer: null, utmSource: null, device: null, revenue: 0,
    });
  });
});

test("a payment that a server reported is in no session and does not bridge a pause", async () => {
  const events: EventInput[] = [
    { id: "a", name: "x", userId: "ann", createdAt: T, url: "/a" },
    { id: "b", name: "paid", userId: "ann", createdAt: T + 20 * MINUTE, value: 5 },
    { id: "c", name: "x", userId: "ann", createdAt: T + 40 * MINUTE, url: "/c" },
    { id: "d", name: "paid", userId: "ann", createdAt: T + 41 * MINUTE, value: 7, hostname: "shop.example" },
    { id: "e", name: "paid", userId: "ann", createdAt: T + 42 * MINUTE, value: 9, url: "/paid" },
    { id: "f", name: "note", userId: "ann", createdAt: T + 43 * MINUTE },
  ];
  await inEveryLayout(events, async (daybook) => {
    const { sessions } = await daybook.identitySessions({ userId: "ann" });
    expect(sessions.map(({ events: count, revenue, entryUrl }) => [entryUrl, count, revenue])).toEqual([["/c", 4, 16], ["/a", 1, 0]]);
  });
});

test("an order that was reported twice is counted once: in no session where the server's report came first", async () => {
  const paid = { name: "Payment", value: 10, externalId: "o1" };
  const events: EventInput[] = [
    { id: "a", name: "x", userId: "ann", createdAt: T, url: "/a" },
    { id: "b", ...paid, userId: "ann", createdAt: T + MINUTE },
    { id: "c", ...paid, userId: "ann", createdAt: T + 2 * MINUTE, url: "/thanks" },
    { id: "d", ...paid, userId: "ann", createdAt: T + 3 * HOUR },
    { id: "e", name: "Refund", userId: "ann", createdAt: T + 3 * MINUTE, url: "/refund", metadata: { amount: 2.5 } },
  ];
  await inEveryLayout(events, async (daybook) => {
    const { sessions } = await daybook.identitySessions({ userId: "ann" });
    expect(sessions.map(({ events: count, revenue, exitUrl }) => [count, exitUrl, revenue])).toEqual([[3, "/refund", -2.5]]);
    expect(await daybook.identityProfile({ userId: "ann" })).toMatchObject({ events: 5, sessions: 1, revenue: 7.5 });
  });
});

test("sessions are of one project each, newest first, at one millisecond by the greater id", async () => {
  const at = (id: string, project: string, ms: number): EventInput => ({ id, name: "x", userId: "ann", project, createdAt: ms, url: `/${project}` });
  const low = "00000000-0000-4000-8000-000000000001";
  const high = "f0000000-0000-4000-8000-000000000001";
  await inEveryLayout([at(high, "b", T), at(low, "a", T), at("x1", "a", T + MINUTE), at("x2", "c", T + 10 * HOUR)], async (daybook) => {
    expect((await daybook.identitySessions({ userId: "ann" })).sessions.map(({ project }) => project)).toEqual(["c", "b", "a"]);
    expect((await pages(daybook, { userId: "ann", limit: 1 })).flat().map(({ project }) => project)).toEqual(["c", "b", "a"]);
  });
});

test("a session tells of its own events only, also where another project's lie between", async () => {
  const at = (id: string, project: string, minute: number, more: Partial<EventInput>): EventInput => ({ id, name: "x", userId: "ann", project, createdAt: T + minute * MINUTE, ...more });
  const events = [
    at("a1", "a", 0, { url: "/a1" }), at("b1", "b", 1, { url: "/b1" }),
    at("a2", "a", 2, { url: "/a2", value: 1 }), at("b2", "b", 3, { url: "/b2", value: 10, name: "pageview" }),
    at("a3", "a", 4, { hostname: "a.example" }), at("b3", "b", 5, { hostname: "b.example" }),
  ];
  await inEveryLayout(events, async (daybook) => {
    const { sessions } = await daybook.identitySessions({ userId: "ann" });
    expect(sessions.map(({ entryUrl, exitUrl, events: count, pageviews, revenue }) => [entryUrl, exitUrl, count, pageviews, revenue])).toEqual([
      ["/b1", "/b2", 3, 1, 10],
      ["/a1", "/a2", 3, 0, 1],
    ]);
  });
});

test("a window holds the sessions that start in it, whole", async () => {
  const events = [0, 20, 40, 200].map((minute): EventInput => ({ id: `e${minute}`, name: "x", userId: "ann", createdAt: T + minute * MINUTE, url: "/" }));
  await inEveryLayout(events, async (daybook) => {
    const counts = async (startMs: number, endMs: number) => {
      const { sessions } = await daybook.identitySessions({ userId: "ann", startDate: new Date(startMs), endDate: new Date(endMs) });
      return sessions.map(({ events: count }) => count);
    };
    expect(await counts(T, T)).toEqual([3]);
    expect(await counts(T + 1, T + 199 * MINUTE)).toEqual([]);
    expect(await counts(T + 1, T + 200 * MINUTE)).toEqual([1]);
    expect(await counts(T - DAY, T + DAY)).toEqual([1, 3]);
  });
});

/** Forty sessions an hour apart; three projects take part in turn, some sessions at one millisecond. */
const many: EventInput[] = Array.from({ length: 120 }, (_, at) => ({
  id: `many ${at}`, name: at % 2 === 0 ? "pageview" : "x", userId: "ann", project: `p${at % 3}`, createdAt: T - 40 * HOUR + Math.floor(at / 3) * HOUR + (at % 2) * MINUTE, url: `/${at}`,
}));

test.each([1, 2, 7, 50])("pages of %d are, put together, the one big page, and the last is not empty", async (limit) => {
  await inEveryLayout(many, async (daybook) => {
    const whole = await daybook.identitySessions({ userId: "ann", limit: 100 });
    expect(whole.sessions).toHaveLength(100);
    const paged = await pages(daybook, { userId: "ann", limit });
    expect(paged.flat().slice(0, 100)).toEqual(whole.sessions);
    expect(new Set(paged.flat().map(({ sessionId }) => sessionId)).size).toBe(paged.flat().length);
    expect(paged.every((page) => page.length > 0)).toBe(true);
    expect((await daybook.identityProfile({ userId: "ann" })).sessions).toBe(paged.flat().length);
  });
});

test("the sessions of adjacent windows are those of both together, and the profile counts them", async () => {
  await inEveryLayout(many, async (daybook) => {
    const within = async (startMs: number, endMs: number) => {
      const input = { userId: "ann", startDate: new Date(startMs), endDate: new Date(endMs) };
      const found = (await pages(daybook, input)).flat();
      expect((await daybook.identityProfile(input)).sessions).toBe(found.length);
      return found;
    };
    const cut = T - 17 * HOUR;
    expect([...(await within(cut, NOW)), ...(await within(0, cut - 1))]).toEqual(await within(0, NOW));
  });
});

test("what came after the first page is not on later ones, and a new first page shows it", async () => {
  const daybook = await openDaybook({ storage: memoryStorage(), clock: fixedClock(NOW) });
  const at = (id: string, hour: number): EventInput => ({ id, name: "x", userId: "ann", createdAt: T + hour * HOUR, url: `/${id}` });
  await daybook.ingest([at("a", 0), at("b", 2), at("c", 4)]);
  const first = await daybook.identitySessions({ userId: "ann", limit: 1 });
  await daybook.ingest([at("early", -3), at("joins a", 0.2), at("between", 3)]);
  await daybook.seal();
  const second = await daybook.identitySessions({ userId: "ann", limit: 5, cursor: first.cursor });
  expect(second.sessions.map(({ entryUrl, events }) => [entryUrl, events])).toEqual([["/b", 1], ["/a", 1]]);
  expect(second.cursor).toBeNull();
  const anew = await daybook.identitySessions({ userId: "ann" });
  expect(anew.sessions.map(({ entryUrl, events }) => [entryUrl, events])).toEqual([["/c", 1], ["/between", 1], ["/b", 1], ["/a", 2], ["/early", 1]]);
  await daybook.close();
});

test("a page without dates can be continued while the clock goes on", async () => {
  let nowMs = NOW;
  const daybook = await openDaybook({ storage: memoryStorage(), clock: { now: () => nowMs } });
  await daybook.ingest([0, 2].map((hour): EventInput => ({ id: `h${hour}`, name: "x", userId: "ann", createdAt: T + hour * HOUR })));
  const { cursor } = await daybook.identitySessions({ userId: "ann", limit: 1 });
  nowMs += MINUTE;
  expect((await daybook.identitySessions({ userId: "ann", cursor })).sessions.map(({ startedAt }) => startedAt)).toEqual([iso(T)]);
  const [code] = await failure(daybook.identitySessions({ userId: "ann", startDate: "2026-03-01", cursor }));
  expect(code).toBe("cursor_mismatch");
  const [foreign] = await failure(daybook.searchEvents({ cursor }));
  expect(foreign).toBe("invalid_cursor");
  await daybook.close();
});

test("events before and after signing in are one identity, found by each of its ids", async () => {
  const events: EventInput[] = [
    { id: "a", name: "x", anonymousId: "tab", createdAt: T, url: "/a" },
    { id: "b", name: "x", userId: "ann", anonymousId: "tab", createdAt: T + MINUTE, url: "/b" },
    { id: "c", name: "x", userId: "ann", createdAt: T + 2 * MINUTE, url: "/c" },
    { id: "d", name: "x", userId: "bob", anonymousId: "tab", createdAt: T + 3 * MINUTE, url: "/d" },
  ];
  await inEveryLayout(events, async (daybook) => {
    const ann = await daybook.identitySessions({ userId: "ann" });
    expect(ann.sessions.map(({ events: count, exitUrl }) => [count, exitUrl])).toEqual([[3, "/c"]]);
    expect(await daybook.identitySessions({ userId: "tab" })).toEqual(ann);
    expect((await daybook.identitySessions({ userId: "bob" })).sessions.map(({ entryUrl }) => entryUrl)).toEqual(["/d"]);
  });
});

test("an identity without events has no sessions; an unknown one is an error that names it", async () => {
  const prepare = async (daybook: Daybook) => void (await daybook.identify({ userId: "new", email: "New@Example.com " }));
  await inEveryLayout([{ id: "a", name: "x", userId: "ann", createdAt: T }], async (daybook) => {
    expect(await daybook.identitySessions({ email: "new@example.com" })).toEqual({
      identityId: `idn_${toHex(hash128("user", "new"))}`, sessions: [], cursor: null,
    });
    expect(await failure(daybook.identitySessions({ userId: "Ann" }))).toEqual(["identity_not_found", 'userId: no person has the identifier "Ann"']);
    expect(await failure(daybook.identitySessions({ email: "ann@example.com" }))).toEqual(["identity_not_found", 'email: no person has the identifier "ann@example.com"']);
  }, { prepare });
});

test("gap and length of sessions are the options'", async () => {
  const events = [0, 1, 2, 3].map((minute): EventInput => ({ id: `m${minute}`, name: "x", userId: "ann", createdAt: T + minute * MINUTE }));
  const counts = async (session: { gapMs?: number; maxMs?: number }) => {
    let found: number[] = [];
    await inEveryLayout(events, async (daybook) => {
      found = (await daybook.identitySessions({ userId: "ann" })).sessions.map(({ events: count }) => count);
    }, { session });
    return found;
  };
  expect(await counts({ gapMs: MINUTE - 1 })).toEqual([1, 1, 1, 1]);
  expect(await counts({ maxMs: MINUTE })).toEqual([2, 2]);
  expect(await counts({ gapMs: MINUTE, maxMs: DAY })).toEqual([4]);
});

test("later pages are of the events of the first one, however little of them memory may keep", async () => {
  await using daybook = await openDaybook({ storage: memoryStorage(), clock: fixedClock(NOW), memoryBudgetBytes: 0 });
  const visits = (from: number, to: number) => Array.from({ length: to - from }, (_, at): EventInput => ({ name: "visit", userId: "ann", createdAt: T - (from + at) * DAY }));
  await daybook.ingest(visits(0, 3));
  await daybook.seal();
  const first = await daybook.identitySessions({ userId: "ann", limit: 1 });
  await daybook.ingest(visits(1, 5).map((event) => ({ ...event, createdAt: Number(event.createdAt) - HOUR })));
  await daybook.seal();
  const { sessions } = await daybook.identitySessions({ userId: "ann", limit: 10, cursor: first.cursor });
  expect(sessions.map(({ startedAt }) => startedAt)).toEqual([iso(T - DAY), iso(T - 2 * DAY)]);
});
