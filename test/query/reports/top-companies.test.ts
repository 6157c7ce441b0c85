import type { Daybook, EventInput, TopCompaniesInput } from "daybook";
import { expect, test } from "vitest";
import { DAY, MINUTE, NOW, inEveryLayout, iso } from "./layouts.js";

const T = Date.UTC(2026, 2, 10, 12);
let nextId = 0;
const by = (userId: string | null, ms: number, more: Partial<EventInput> = {}): EventInput => ({ id: `e${(nextId += 1)}`, name: "x", userId, createdAt: ms, url: "/", ...more });

/** `companyId users events` of each company shown. */
async function shown(daybook: Daybook, input: TopCompaniesInput = {}): Promise<string[]> {
  const { companies } = await daybook.topCompanies(input);
  return companies.map(({ companyId, users, events }) => `${companyId} ${users} ${events}`);
}

test("a company is shown with its traits, its people, their events and money, over all projects", async () => {
  const prepare = async (daybook: Daybook) => {
    await daybook.group({ companyId: "acme", userId: "ann", traits: { name: "Acme Ltd", domain: "acme.example", size: 3 }, createdAt: T - 50 * DAY });
    await daybook.group({ companyId: "acme", userId: "ann", traits: { name: "", domain: 5 }, createdAt: T - 40 * DAY });
    await daybook.group({ companyId: "silent", userId: "eve", traits: { name: "Silent" } });
  };
  const events = [
    by("ann", T, { project: "a", value: 10 }),
    by("ann", T + MINUTE, { project: "b" }),
    by("bob", T + 2 * MINUTE, { companyId: "acme", value: 2.5 }),
    by(null, T + 3 * MINUTE, { companyId: "acme", anonymousId: "tab", value: -1 }),
    by(null, T + 4 * MINUTE, { companyId: "acme", value: 0.25 }),
    by("cat", T, { companyId: "host.example" }),
    by("dan", T + MINUTE),
    by("ann", T - 60 * DAY, { value: 1000 }),
  ];
  await inEveryLayout(events, async (daybook) => {
    expect(await daybook.topCompanies({})).toEqual({
      currency: "USD",
      companies: [
        { companyId: "acme", name: "Acme Ltd", domain: "acme.example", events: 5, users: 2, lastSeen: iso(T + 4 * MINUTE), revenue: 11.75 },
        { companyId: "host.example", name: "host.example", domain: "host.example", events: 1, users: 1, lastSeen: iso(T), revenue: 0 },
      ],
    });
  }, { prepare });
});

test("no companies are an empty list", async () => {
  await inEveryLayout([by("ann", T)], async (daybook) => {
    expect(await daybook.topCompanies()).toEqual({ currency: "USD", companies: [] });
  });
});

test("the window is that of the days before now, to the millisecond on both sides", async () => {
  const events = [
    by("out", NOW - 3 * DAY - 1, { companyId: "c" }),
    by("ann", NOW - 3 * DAY, { companyId: "c", value: 1 }),
    by("bob", T, { companyId: "c" }),
    by("cat", NOW - 2 * DAY, { companyId: "c" }),
    by("dan", NOW, { companyId: "c", value: 2 }),
    by("late", NOW + 1, { companyId: "c", value: 4 }),
  ];
  await inEveryLayout(events, async (daybook) => {
    const of = async (rangeDays: number) => {
      const { companies } = await daybook.topCompanies({ rangeDays });
      return companies.map(({ users, events: count, revenue, lastSeen }) => [users, count, revenue, lastSeen]);
    };
    expect(await of(3)).toEqual([[3, 3, 3, iso(NOW)]]);
    expect(await of(1)).toEqual([[1, 1, 2, iso(NOW)]]);
    expect(await of(30)).toEqual([[5, 5, 3, iso(NOW)]]);
  });
});

test("an event without a company of its own belongs to that of its identity at its time, the first one reaching back", async () => {
  const prepare = async (daybook: Daybook) => {
    await daybook.group({ companyId: "new", userId: "ann", createdAt: T });
    await daybook.group({ companyId: "one", anonymousId: "tab", createdAt: T + DAY });
  };
  const events = [
    by("ann", T - 6 * DAY),
    by("ann", T - 5 * DAY, { companyId: "old" }),
    by("ann", T - 4 * DAY),
    by("ann", T - 1),
    by("ann", T + 1),
    by("ann", T + 2, { companyId: "guest" }),
    by("ann", T + 3),
    by(null, T, { anonymousId: "tab" }),
    by(null, T + 2 * DAY, { anonymousId: "tab" }),
  ];
  await inEveryLayout(events, async (daybook) => {
    expect(await shown(daybook)).toEqual(["old 1 4", "guest 1 2", "new 1 1", "one 0 2"]);
  }, { prepare });
});

test("somebody is one user of a company, whatever the ids and however many days", async () => {
  const events = [
    by(null, T - 8 * DAY, { anonymousId: "tab", companyId: "c" }),
    by("ann", T - 4 * DAY, { anonymousId: "tab", companyId: "c" }),
    by("ann", NOW - MINUTE, { companyId: "c" }),
    by("anne", T, { companyId: "c" }),
    by(null, T, { anonymousId: "other", companyId: "c" }),
  ];
  await inEveryLayout(events, async (daybook) => {
    expect(await shown(daybook)).toEqual(["c 2 5"]);
    const { linkId } = await daybook.alias({ from: "anne", to: "ann" });
    expect(await shown(daybook)).toEqual(["c 1 5"]);
    await daybook.identify({ anonymousId: "other", email: "o@example.com" });
    expect(await shown(daybook)).toEqual(["c 2 5"]);
    await daybook.unlink(linkId);
    expect(await shown(daybook)).toEqual(["c 3 5"]);
  });
});

test("joining a company later moves the events that have none of their own, also those answered about before", async () => {
  const events = [by("ann", T - 3 * DAY), by("ann", T - 2 * DAY), by("bob", T, { companyId: "other" })];
  await inEveryLayout(events, async (daybook) => {
    expect(await shown(daybook)).toEqual(["other 1 1"]);
    await daybook.group({ companyId: "c", userId: "ann", createdAt: T });
    expect(await shown(daybook)).toEqual(["c 1 2", "other 1 1"]);
    await daybook.ingest([by("ann", T + MINUTE), by("eve", T + MINUTE, { companyId: "fresh" })]);
    expect(await shown(daybook, { sort: "events" })).toEqual(["c 1 3", "fresh 1 1", "other 1 1"]);
  });
});

test("each order has its ties broken by users, events, last seen and the code points of the id", async () => {
  const company = (companyId: string, users: number, events: number, ms: number, value: number) =>
    Array.from({ length: events }, (_, n) => by(`${companyId} ${n % users}`, ms - n, { companyId, ...(n === 0 ? { value } : {}) }));
  const events = [
    ...company("a", 1, 4, T, 5),
    ...company("b", 2, 2, T, 7),
    ...company("c", 2, 3, T - DAY, 5),
    ...company("\u{1F600}", 1, 1, T, 1),
    ...company("～", 1, 1, T, 1),
    ...company("d", 1, 1, T + DAY, 1),
  ];
  await inEveryLayout(events, async (daybook) => {
    const ids = async (sort: TopCompaniesInput["sort"]) => (await daybook.topCompanies({ sort: sort ?? null })).companies.map(({ companyId }) => companyId);
    expect(await ids("users")).toEqual(["c", "b", "a", "d", "～", "\u{1F600}"]);
    expect(await ids("events")).toEqual(["a", "c", "b", "d", "～", "\u{1F600}"]);
    expect(await ids("last_seen")).toEqual(["d", "b", "a", "～", "\u{1F600}", "c"]);
    expect(await ids("revenue")).toEqual(["b", "c", "a", "d", "～", "\u{1F600}"]);
    const all = await ids("users");
    for (const limit of [1, 2, 3, 5]) expect((await daybook.topCompanies({ limit })).companies.map(({ companyId }) => companyId)).toEqual(all.slice(0, limit));
  });
});

test("a domain is guessed from an id that looks like a host name, and from no other", async () => {
  const ids = ["a.io", "A-b.Example.co", "x.y", "no host", "-a.com", "a..com", "a.c1", "localhost", `${"a".repeat(64)}.com`];
  await inEveryLayout(ids.map((companyId) => by("ann", T, { companyId })), async (daybook) => {
    const { companies } = await daybook.topCompanies({});
    expect(Object.fromEntries(companies.map(({ companyId, domain }) => [companyId, domain]))).toEqual({
      ...Object.fromEntries(ids.map((id) => [id, null])),
      "a.io": "a.io",
      "A-b.Example.co": "A-b.Example.co",
    });
  });
});
