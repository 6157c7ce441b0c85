import type { Daybook, EventInput } from "daybook";
import { expect, test } from "vitest";
import { DAY, MINUTE, NOW, failure, inEveryLayout, iso } from "./layouts.js";

const T = Date.UTC(2026, 2, 10, 12);
let nextId = 0;
const by = (userId: string | null, ms: number, more: Partial<EventInput> = {}): EventInput => ({ id: `e${(nextId += 1)}`, name: "x", userId, createdAt: ms, companyId: "c", ...more });

test("the identified people of a company come by events, then last seen, then identifier", async () => {
  const prepare = async (daybook: Daybook) => {
    await daybook.identify({ userId: "ann", email: "ann@example.com" });
    await daybook.identify({ anonymousId: "guest", email: "guest@example.com" });
  };
  const events = [
    by("ann", T), by("ann", T + 2), by("ann", T - 1),
    by("bob", T + 1), by("bob", T),
    by("cat", T + 1), by("cat", T + 1),
    by("\u{1F600}", T), by("～", T), by("Zoe", T),
    by(null, T + 5, { anonymousId: "guest" }),
    by(null, T + 6, { anonymousId: "nobody known" }),
    by(null, T + 7),
    by("eve", T, { companyId: "other" }),
    by("ann", T - 60 * DAY),
  ];
  await inEveryLayout(events, async (daybook) => {
    const answer = await daybook.companyTopUsers({ companyId: "c" });
    expect(answer).toEqual({
      companyId: "c",
      users: [
        { resolvedIdentifier: "ann@example.com", events: 3, lastSeen: iso(T + 2) },
        { resolvedIdentifier: "bob", events: 2, lastSeen: iso(T + 1) },
        { resolvedIdentifier: "cat", events: 2, lastSeen: iso(T + 1) },
        { resolvedIdentifier: "guest@example.com", events: 1, lastSeen: iso(T + 5) },
        { resolvedIdentifier: "Zoe", events: 1, lastSeen: iso(T) },
        { resolvedIdentifier: "～", events: 1, lastSeen: iso(T) },
        { resolvedIdentifier: "\u{1F600}", events: 1, lastSeen: iso(T) },
      ],
    });
    expect((await daybook.companyTopUsers({ companyId: "c", limit: 2 })).users).toEqual(answer.users.slice(0, 2));
    const [top] = (await daybook.topCompanies({})).companies;
    expect(top).toMatchObject({ companyId: "c", users: answer.users.length });
  }, { prepare });
});

test("whoever is in the window at its edges and within it is one person", async () => {
  const events = [by("ann", NOW - 3 * DAY - 1), by("ann", NOW - 3 * DAY), by("ann", NOW - 2 * DAY), by("ann", NOW), by("ann", NOW + MINUTE)];
  await inEveryLayout(events, async (daybook) => {
    expect((await daybook.companyTopUsers({ companyId: "c", rangeDays: 3 })).users).toEqual([{ resolvedIdentifier: "ann", events: 3, lastSeen: iso(NOW) }]);
  });
});

test("people who changed their company count for each, by the time of their events", async () => {
  const prepare = async (daybook: Daybook) => {
    await daybook.group({ companyId: "c", userId: "ann", createdAt: T - 5 * DAY });
    await daybook.group({ companyId: "next", userId: "ann", createdAt: T });
  };
  const mine = (ms: number) => by("ann", ms, { companyId: null });
  await inEveryLayout([mine(T - 6 * DAY), mine(T - DAY), mine(T - 1), mine(T + 1), mine(T + DAY)], async (daybook) => {
    const of = async (companyId: string) => (await daybook.companyTopUsers({ companyId })).users;
    expect(await of("c")).toEqual([{ resolvedIdentifier: "ann", events: 3, lastSeen: iso(T - 1) }]);
    expect(await of("next")).toEqual([{ resolvedIdentifier: "ann", events: 2, lastSeen: iso(T + DAY) }]);
  }, { prepare });
});

test("a company without events has no users; an unknown one is an error that names it", async () => {
  const prepare = async (daybook: Daybook) => void (await daybook.group({ companyId: "silent", userId: "ann" }));
  await inEveryLayout([by("bob", T)], async (daybook) => {
    expect(await daybook.companyTopUsers({ companyId: "silent" })).toEqual({ companyId: "silent", users: [] });
    expect(await failure(daybook.companyTopUsers({ companyId: "C" }))).toEqual(["company_not_found", 'companyId: no company has the id "C"']);
  }, { prepare });
});

test("twenty are shown when nobody says how many, all of them for Infinity", async () => {
  const events = Array.from({ length: 150 }, (_, n) => by(`u${n}`, T + n));
  await inEveryLayout(events, async (daybook) => {
    const identifiers = async (limit: number | null) => (await daybook.companyTopUsers({ companyId: "c", limit })).users.map(({ resolvedIdentifier }) => resolvedIdentifier);
    const newestFirst = Array.from({ length: 150 }, (_, n) => `u${149 - n}`);
    expect(await identifiers(null)).toEqual(newestFirst.slice(0, 20));
    expect(await identifiers(Infinity)).toEqual(newestFirst);
  });
});

test("the members of a small company, and of a large one, are found among thousands who have none", async () => {
  const sizes = { small: 700, large: 3 };
  const memberOf = (user: number): keyof typeof sizes | null => (user % sizes.small === 0 ? "small" : user % sizes.large === 0 ? "large" : null);
  const userCount = 2_400;
  const events = Array.from({ length: 3 * userCount }, (_, at) => by(`user ${at % userCount}`, NOW - (at % 5) * DAY - at, { companyId: null }));
  const prepare = async (daybook: Daybook) => {
    const records = Array.from({ length: userCount }, (_, user) => ({ user, companyId: memberOf(user) })).filter(({ companyId }) => companyId !== null);
    await daybook.ingestRecords(records.map(({ user, companyId }) => ({ type: "group", userId: `user ${user}`, companyId: companyId ?? "", createdAt: NOW - 90 * DAY })));
  };
  const expected = (companyId: string) => {
    const found = new Map<string, { events: number; lastMs: number }>();
    for (const { userId, createdAt } of events) {
      if (memberOf(Number(String(userId).slice(5))) !== companyId || Number(createdAt) < NOW - 3 * DAY) continue;
      const before = found.get(String(userId));
      found.set(String(userId), { events: (before?.events ?? 0) + 1, lastMs: Math.max(before?.lastMs ?? 0, Number(createdAt)) });
    }
    const users = Array.from(found, ([resolvedIdentifier, { events: count, lastMs }]) => ({ resolvedIdentifier, events: count, lastSeen: iso(lastMs) }));
    return users.sort((a, b) => b.events - a.events || (a.lastSeen < b.lastSeen ? 1 : a.lastSeen > b.lastSeen ? -1 : a.resolvedIdentifier < b.resolvedIdentifier ? -1 : 1));
  };
  await inEveryLayout(events, async (daybook) => {
    // The second time they are read from what was kept.
    for (const companyId of ["small", "large", "small"]) expect((await daybook.companyTopUsers({ companyId, rangeDays: 3, limit: 100 })).users).toEqual(expected(companyId).slice(0, 100));
  }, { prepare });
});
