import { fixedClock, memoryStorage, openDaybook, type AggregateInput, type Daybook, type EventInput, type SegmentCondition } from "daybook";
import { openClickHouse, type ClickHouseDaybook } from "daybook/clickhouse";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { NOW } from "../query/reports/layouts.js";
import { expectRevenueStays, expectSources, paidAfterSignIn, visitsOfSources } from "../query/reports/sources.js";
import { newDatabase, queryLayouts, type Layout } from "./kit.js";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const startMs = Date.UTC(2026, 1, 10, 12);
const at = (ms: number) => new Date(startMs + ms);

let eventCount = 0;

/** What comes first has the greatest id. */
function event(ms: number, name: string, who: Partial<EventInput>, rest: Partial<EventInput> = {}): EventInput {
  eventCount += 1;
  const id = `00000000-0000-4000-8000-${String(1_000 - eventCount).padStart(12, "0")}`;
  return { id, name, createdAt: startMs + ms, url: "https://shop.example/", hostname: "shop.example", ...who, ...rest };
}

const [ann, bob, cy] = [{ userId: "ann" }, { userId: "bob" }, { anonymousId: "device-cy" }];
const byNews = { url: "https://shop.example/?utm_source=news&utm_campaign=may" };
const bySearch = { referrer: "https://www.google.com/" };

const events = [
  event(0, "a", ann),
  // Touches of one millisecond, the second to come is the first in order; and an event between them.
  event(HOUR, "a", ann, byNews),
  event(HOUR, "b", ann),
  event(HOUR, "a", ann, bySearch),
  event(2 * HOUR, "b", { anonymousId: "device-ann" }),
  event(3 * HOUR, "a", { anonymousId: "device-ann" }, { url: "https://shop.example/?utm_medium=mail" }),
  event(20 * DAY, "b", { userId: "ann-old" }),
  event(HOUR, "a", bob, { companyId: "acme" }),
  event(2 * HOUR, "Purchase", bob, { value: 10, externalId: "o1", companyId: "bolt" }),
  event(3 * HOUR, "Purchase", cy, { value: 11, externalId: "o1" }),
  event(4 * HOUR, "a", bob, bySearch),
  // Given back by somebody else, and in parts, of which one came twice; and what is given back of an order that nobody knows.
  event(5 * HOUR, "Refund", bob, { value: 4, externalId: "o2" }),
  event(6 * HOUR, "Refund", ann, { value: 10, externalId: "o1" }),
  event(7 * HOUR, "Refund", ann, { value: 3, externalId: "o1", metadata: { refund_id: 7 } }),
  event(7 * HOUR, "Refund", bob, { value: 2, externalId: "o1", metadata: { refund_id: "7" } }),
  event(8 * HOUR, "Refund", ann, { value: 10, externalId: "o1", project: "other" }),
  event(9 * HOUR, "a", cy, { companyId: "bolt" }),
  event(10 * HOUR, "b", {}, bySearch),
  // Of somebody who was seen with two companies, and then only by a device that came with none; and of one of whom only records tell of two.
  event(11 * HOUR, "a", { userId: "eve" }, { companyId: "acme" }),
  event(13 * HOUR, "a", { userId: "eve" }, { companyId: "bolt" }),
  event(14 * HOUR, "a", { userId: "eve", anonymousId: "device-eve" }),
  event(15 * HOUR, "b", { anonymousId: "device-eve" }, byNews),
  event(16 * HOUR, "a", { userId: "dee" }, bySearch),
  event(18 * HOUR, "b", { userId: "dee" }),
  event(19 * HOUR, "Purchase", { userId: "fay" }, { companyId: "acme", value: 7 }),
];

async function tell(daybook: Daybook): Promise<void> {
  expect(await daybook.ingest(events)).toMatchObject({ rejected: [] });
  await daybook.alias({ from: "ann-old", to: "ann" });
  await daybook.identify({ userId: "ann", anonymousId: "device-ann", createdAt: at(1), traits: { plan: "pro", age: 41, deep: { key: ["x", "y"] } } });
  // Of one time the greater text; earlier ones and those taken back do not count.
  await daybook.identify({ userId: "ann-old", email: "Old@shop.example", createdAt: at(2), traits: { plan: ["free", "5"], "deep.key": null } });
  await daybook.identify({ userId: "ann", createdAt: at(2), traits: { plan: ["basic"], age: "40" } });
  await daybook.identify({ userId: "ann", createdAt: at(0), traits: { plan: "first", deep: { key: "no" } } });
  const { linkId } = await daybook.identify({ userId: "ann", createdAt: at(3), traits: { plan: "taken back" } });
  await daybook.unlink(linkId);
  await daybook.identify({ userId: "bob", email: "bob@shop.example", traits: { plan: { b: 1e21, a: true }, age: 1e21, 'odd "key"': "odd" } });
  await daybook.identify({ anonymousId: "device-cy", traits: { plan: "", age: 5, note: '"plan":"hidden"' } });
  // Set once by both ids, of one millisecond the first id; and after it was unset. Counted, and lists.
  const [first, second] = ["00000000-0000-4000-8000-0000000000f1", "f0000000-0000-4000-8000-0000000000f2"];
  await daybook.identify({ id: second, userId: "ann", createdAt: at(5), traits: { $set_once: { source: "a second", plan: "no" }, $add: { visits: 2 } } });
  await daybook.identify({ id: first, userId: "ann-old", createdAt: at(5), traits: { $set_once: { source: "the first" }, $add: { visits: 0.5 } } });
  await daybook.identify({ userId: "ann", createdAt: at(4), traits: { $set_once: { source: null } } });
  await daybook.identify({ userId: "bob", createdAt: at(1), traits: { $set_once: { source: "news" }, $append: { list: ["x", 1] } } });
  await daybook.identify({ userId: "bob", createdAt: at(2), traits: { source: null, $union: { list: ["x", "y"] } } });
  await daybook.identify({ userId: "bob", createdAt: at(3), traits: { $set_once: { source: "mail" }, $remove: { list: 1 } } });
  await daybook.group({ companyId: "bolt", userId: "bob", createdAt: at(1), traits: { $set_once: { name: "Never", domain: "bolt.example" } } });
  await daybook.group({ companyId: "acme", userId: "ann", createdAt: at(1), traits: { $set_once: { name: "", size: 1 } } });
  await daybook.group({ companyId: "acme", userId: "ann", createdAt: at(2), traits: { $set_once: { name: "Acme", size: 2 } } });
  await daybook.group({ companyId: "acme", userId: "dee", createdAt: at(12 * HOUR) });
  await daybook.group({ companyId: "cube", userId: "dee", createdAt: at(17 * HOUR) });
  await daybook.group({ companyId: "acme", userId: "ann", createdAt: at(DAY), traits: { size: 40, plan: "team" } });
  await daybook.group({ companyId: "bolt", anonymousId: "device-cy", createdAt: at(0), traits: { size: "40", name: "Bolt" } });
  await daybook.group({ companyId: "bolt", anonymousId: "nobody", traits: { size: [1, 40, [7]] } });
}

type Ask = (of: ClickHouseDaybook | Daybook) => Promise<unknown>;

const steps = [{ eventName: "a" }, { eventName: "b" }];
const FIELDS = [
  ["person.plan", "person.age"], ["person.email", "person.deep.key"], ['person.odd "key"', "person.none"], ["company.size", "company.plan"],
  ["person.source", "person.visits"], ["person.list", "company.name"],
  ["company.email", "first_touch.source"], ["first_touch.medium", "first_touch.campaign"], ["last_touch.source", "last_touch.medium"], ["last_touch.campaign"],
];
const VALUES = ["free", "40", "", "(direct)"];
const TESTS = [
  ...VALUES.flatMap((value) => [{ operator: "=", value }, { operator: "!=", value }] as const),
  { operator: ">", value: 5 }, { operator: "contains", value: "E" }, { operator: "regex", value: "^[a-z]+$" },
  { operator: "is_set" }, { operator: "is_not_set" },
] as const;

const inSegment = (operator: "in_segment" | "not_in_segment", ...conditions: SegmentCondition[]) => ({
  filterGroups: [{ filters: [{ fieldName: "identity_id", operator, value: "own" }] }],
  segments: { own: { groups: [{ conditions }] } },
});
const breakdown = (...fields: string[]) => ({ fields, limit: 2, rest: true });

const queries: Readonly<Record<string, Ask>> = {
  ...Object.fromEntries(["person.plan", "company.size", "last_touch.source"].map((fieldName): [string, Ask] => [`${fieldName} in filters`, async (of) => {
    const counts: number[] = [];
    for (const filter of TESTS) counts.push(await of.countEvents({ filterGroups: [{ filters: [{ fieldName, ...filter }] }] }));
    return counts;
  }])),
  ...Object.fromEntries(FIELDS.map((fields): [string, Ask] => [`events by ${fields.join(" and ")}`, (of) => of.trend({ interval: "total", breakdown: { fields } })])),
  ...Object.fromEntries(FIELDS.flat().map((field): [string, Ask] => [`an aggregate by ${field}`, async (of) => {
    const by = { field } as AggregateInput;
    return [await of.aggregate(by), await of.aggregate({ ...by, measure: "unique_users" }), await of.aggregate({ ...by, project: "other", limit: 2 })];
  }])),
  "a trend": (of) => of.trend({ breakdown: breakdown("first_touch.source", "company.plan") }),
  "a search": (of) => of.searchEvents({ filterGroups: [{ filters: [{ fieldName: "company.size", operator: "=", value: "40" }] }] }),
  "the greatest of a trait": (of) => of.trend({ measure: { type: "max", field: "person.age" }, breakdown: breakdown("company.size", "person.age") }),
  "values of a trait": (of) => of.trend({ measure: { type: "unique_values", field: "person.plan" }, cumulative: true, interval: "week" }),
  "people so far": (of) => of.trend({ measure: { type: "unique_users" }, cumulative: true, interval: "week" }),
  "people so far of each event": (of) => of.trend({ measure: { type: "unique_users" }, cumulative: true, breakdown: breakdown("name") }),
  "revenue by who brought it": (of) => of.trend({ measure: { type: "revenue" }, breakdown: breakdown("first_touch.source", "person.plan") }),
  "sessions": (of) => of.sessionsOverview({ breakdown: breakdown("person.deep.key", "last_touch.medium") }),
  "a funnel of sessions": (of) => of.funnel({ steps, level: "session", breakdown: breakdown("company.size") }),
  "a funnel of accounts": (of) => of.funnel({ steps, level: "account", breakdown: breakdown("first_touch.source"), order: "any" }),
  "retention": (of) => of.retention({ breakdown: breakdown("person.age", "company.plan"), periods: 2 }),
  "stickiness": (of) => of.stickiness({ ...inSegment("in_segment", { type: "trait", field: "age", operator: ">", value: 5 }) }),
  "lifecycle": (of) => of.lifecycle({ filterGroups: [{ filters: [{ fieldName: "last_touch.source", operator: "!=", value: "(direct)" }] }] }),
  "a web site": (of) => of.webOverview({ filterGroups: [{ filters: [{ fieldName: "person.email", operator: "ends_with", value: "example" }] }] }),
  "paths of a trait": (of) => of.paths({ node: "person.plan", collapse: false }),
  "paths of what lies deep": (of) => of.paths({ node: "person.deep.key", collapse: false }),
  "paths of companies": (of) => of.paths({ node: "company.size", collapse: false }),
  "paths of who brought it": (of) => of.paths({ node: "last_touch.source" }),
  "people of what is set once": (of) => of.trend(inSegment("in_segment", { type: "trait", field: "source", operator: "in", value: ["the first", "mail"] })),
  "people of a trait": (of) => of.trend(inSegment("in_segment", { type: "trait", field: "plan", operator: "=", value: "free" })),
  "people without a trait": (of) => of.trend(inSegment("not_in_segment", { type: "trait", field: "plan", operator: "is_set" })),
  "people who were last seen with a company": (of) => of.trend(inSegment("in_segment", { type: "company", operator: "=", value: "bolt" })),
  "people who were not": (of) => of.trend(inSegment("in_segment", { type: "company", operator: "!=", value: "bolt" })),
  "people whose last company has a trait":
    (of) => of.trend(inSegment("in_segment", { type: "company", field: "size", operator: "=", value: "40" }, { type: "did", eventName: "a" })),
};

/** What depends on when somebody was seen with which company, or came by whom. */
const queriesOfTime: Readonly<Record<string, Ask>> = {
  "companies": (of) => of.topCompanies({ sort: "events" }),
  ...Object.fromEntries(["acme", "bolt", "cube"].map((companyId): [string, Ask] => [`people of ${companyId}`, (of) => of.companyTopUsers({ companyId })])),
  ...Object.fromEntries((["identity", "account"] as const).flatMap((level) => (["first_touch", "last_touch"] as const).map((model): [string, Ask] =>
    [`revenue by ${model} of each ${level}`, (of) => of.revenueByAttribution({ project: "default", level, model, startDate: "2026-01-01" })]))),
};

/** Asks both of the same. */
function compare(layout: Layout, attribution: { readonly lookbackMs?: number; readonly excludedHosts?: readonly string[] }, asked: Readonly<Record<string, Ask>>): void {
  let daybook: ClickHouseDaybook;
  let embedded: Daybook;
  const close: (() => Promise<void>)[] = [];
  beforeAll(async () => {
    const rules = { clock: fixedClock(startMs + 21 * DAY), attribution };
    const { options, drop } = await newDatabase(layout, rules);
    daybook = await openClickHouse(options);
    embedded = await openDaybook({ ...rules, storage: memoryStorage() });
    close.push(drop, () => daybook.close(), () => embedded.close());
    for (const each of [daybook as unknown as Daybook, embedded]) await tell(each);
  });
  afterAll(async () => {
    for (const each of close.reverse()) await each();
  });

  test.each(Object.keys(asked))("%s", async (name) => {
    const ask = asked[name] ?? (() => Promise.reject(new Error("no question of this name")));
    expect(JSON.stringify(await ask(daybook))).toBe(JSON.stringify(await ask(embedded)));
  });
}

describe.each(queryLayouts)("what is known of people and companies, %s", (layout) => {
  compare(layout, { lookbackMs: 7 * DAY }, { ...queries, ...queriesOfTime });
});

/** More than a server reads in one value. */
const excludedHosts = Array.from({ length: 8_000 }, (_, at) => `checkout-${at}.example`);

describe.each(queryLayouts)("whoever brought somebody however long ago, %s", (layout) => compare(layout, { excludedHosts }, queriesOfTime));

test.each(queryLayouts)("a referrer is a source and a medium as elsewhere, and who signs in on the way leaves the revenue where it was, %s", async (layout) => {
  const { options, drop } = await newDatabase(layout, { clock: fixedClock(NOW) });
  onTestFinished(drop);
  await using daybook = await openClickHouse(options);
  await daybook.ingest([...visitsOfSources(NOW - 2 * DAY), ...paidAfterSignIn(NOW - DAY)]);
  await expectSources((input) => daybook.trend({ ...input, project: "default" }));
  await expectRevenueStays(daybook);
});
