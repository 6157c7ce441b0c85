import type { EventInput, GroupInput, TopCompaniesInput } from "daybook";
import { oracle, type History, type HistoryItem } from "../support/index.js";
import { expect, test } from "vitest";

const nowMs = Date.parse("2026-03-10T00:00:00Z");
const minute = 60_000;
let serial = 0;
const event = (minutesAgo: number, rest: Partial<EventInput> = {}): EventInput => ({
  id: `00000000-0000-4000-8000-${String((serial += 1)).padStart(12, "0")}`, name: "e", createdAt: nowMs - minutesAgo * minute, ...rest,
});
const group = (minutesAgo: number, companyId: string, rest: object): HistoryItem => ({
  group: { id: `g${(serial += 1)}`, createdAt: nowMs - minutesAgo * minute, companyId, ...rest } as GroupInput,
});
const top = (history: History, input: TopCompaniesInput = {}) => oracle(history, { nowMs }).topCompanies(input).companies;
const idsOf = (history: History, input: TopCompaniesInput = {}) => top(history, input).map(({ companyId }) => companyId);

test("Membership is a step function over time whose first step reaches back; an event's own company wins.", () => {
  const history = [
    group(20, "a", { userId: "u" }), group(10, "b", { userId: "u" }),
    event(30, { userId: "u" }), event(20, { userId: "u" }), event(15, { userId: "u" }), event(5, { userId: "u" }), event(4, { userId: "u", companyId: "c" }), event(3, { userId: "u" }),
  ];
  expect(top(history, { sort: "events" }).map(({ companyId, events, users }) => [companyId, events, users])).toEqual([["a", 3, 1], ["c", 2, 1], ["b", 1, 1]]);
});

test("A group of both ids is the user's alone, and merged users share their companies.", () => {
  const history = [group(20, "a", { userId: "u", anonymousId: "d" }), event(10, { anonymousId: "d" }), event(10, { userId: "v" })];
  expect(idsOf(history)).toEqual([]);
  expect(top([...history, { alias: { id: "x", from: "v", to: "u" } }])).toMatchObject([{ companyId: "a", events: 1, users: 1 }]);
});

test("Only identified identities are users, and money of all events counts.", () => {
  const history = [
    event(9, { userId: "u", companyId: "a", value: 1 }), event(8, { anonymousId: "d", companyId: "a", value: 2 }), event(7, { companyId: "a", value: 4 }), event(6, { anonymousId: "e", companyId: "a" }),
    { identify: { id: "i", anonymousId: "e", email: "e@x.io" } },
  ];
  expect(top(history)).toEqual([{ companyId: "a", name: "a", domain: null, events: 4, users: 2, lastSeen: "2026-03-09T23:54:00.000Z", revenue: 7 }]);
  expect(oracle(history, { nowMs }).companyTopUsers({ companyId: "a" }).users).toEqual([
    { resolvedIdentifier: "e@x.io", events: 1, lastSeen: "2026-03-09T23:54:00.000Z" }, { resolvedIdentifier: "u", events: 1, lastSeen: "2026-03-09T23:51:00.000Z" },
  ]);
});

test("Name and domain are the newest texts of the traits; an id that looks like a host is its own domain.", () => {
  const history = [
    event(1, { userId: "u", companyId: "Acme.co.uk" }), group(3, "Acme.co.uk", { userId: "x", traits: { name: "Old" } }), group(2, "Acme.co.uk", { userId: "x", traits: { name: "New", domain: 5 } }),
    group(1, "Acme.co.uk", { userId: "x", traits: { name: "" } }),
  ];
  expect(top(history)).toMatchObject([{ name: "New", domain: "Acme.co.uk" }]);
  expect(top([...history, group(9, "Acme.co.uk", { userId: "x", traits: { domain: "d" } })])).toMatchObject([{ domain: "d" }]);
  for (const companyId of ["acme", "-a.io", "a..io", "a.b1", "a b.io", `${"x".repeat(64)}.io`]) expect(top([event(1, { companyId })])).toMatchObject([{ domain: null }]);
});

test("Companies are ordered by the sort key, then by users, events, last seen and id.", () => {
  const history = [
    event(5, { userId: "u", companyId: "few" }), event(4, { userId: "v", companyId: "few" }), event(5, { companyId: "many" }), event(5, { companyId: "many" }), event(5, { companyId: "many" }),
    event(1, { companyId: "\u{1F600}" }), event(1, { companyId: "\uFF5E" }), event(2, { companyId: "rich", value: 0.01 }),
  ];
  expect(idsOf(history)).toEqual(["few", "many", "\uFF5E", "\u{1F600}", "rich"]);
  expect(idsOf(history, { sort: "events" })).toEqual(["many", "few", "\uFF5E", "\u{1F600}", "rich"]);
  expect(idsOf(history, { sort: "last_seen" })).toEqual(["\uFF5E", "\u{1F600}", "rich", "few", "many"]);
  expect(idsOf(history, { sort: "revenue", limit: 2 })).toEqual(["rich", "few"]);
});

test("The days before now are inclusive on both sides, and a company without an event in them is known but empty.", () => {
  const history = [event(0, { userId: "u", companyId: "a" }), event(1_440, { userId: "v", companyId: "a" }), event(-1, { userId: "w", companyId: "a" }), group(0, "b", { userId: "nobody" })];
  const users = (companyId: string, rangeDays: number) => oracle(history, { nowMs }).companyTopUsers({ companyId, rangeDays }).users.map(({ resolvedIdentifier }) => resolvedIdentifier);
  expect(users("a", 1)).toEqual(["u", "v"]);
  expect(users("b", 30)).toEqual([]);
  expect(() => users("c", 30)).toThrow(expect.objectContaining({ code: "company_not_found" }));
});
