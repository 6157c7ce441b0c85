import { memoryStorage, openDaybook, type AggregateInput, type Daybook, type EventInput, type Notice } from "daybook";
import { expect, test } from "vitest";
import { FIELD_NAMES } from "../../src/query/plan/field-names.js";

const first: EventInput = {
  id: "1", name: "Purchase", userId: "ada", anonymousId: "phone-7", createdAt: "2026-03-01T09:00:00Z", locationCountry: "DE", url: "/pay?utm_source=mail",
  value: 49.5, currency: "EUR", externalId: "o-1", companyId: "acme", metadata: { plan: "pro", currency: "USD" },
};
const events: readonly EventInput[] = [
  first,
  { id: "2", name: "pageview", anonymousId: "phone-7", createdAt: "2026-03-01T09:01:00Z", locationCountry: "DE", url: "/a#b", referrer: "https://www.google.com/" },
  { id: "3", name: "pageview", anonymousId: "phone-8", createdAt: "2026-03-02T09:00:00Z", locationCountry: "FR", url: "/a?b", metadata: { value: 3 } },
  { id: "4", name: "cron", createdAt: "2026-03-02T09:01:00Z", metadata: { nested: { deep: 1 } } },
];

async function opened(onNotice?: (notice: Notice) => unknown): Promise<Daybook> {
  const daybook = await openDaybook({ storage: memoryStorage(), ...(onNotice === undefined ? {} : { onNotice }) });
  await daybook.ingest(events);
  return daybook;
}

const filter = (fieldName: string, value: string) => ({ filterGroups: [{ filters: [{ fieldName, operator: "=", value }] }] });

test("The project default exists from the beginning, in every query that names it.", async () => {
  await using daybook = await openDaybook({ storage: memoryStorage() });
  expect(daybook.projects()).toEqual(["default"]);
  expect((await daybook.stats()).projects).toEqual(["default"]);
  expect(await daybook.revenueByAttribution({ project: "default" })).toEqual({ currency: "USD", rows: [], unconverted: [] });
  expect(await daybook.ltvCohorts({ project: "default" })).toEqual({ currency: "USD", cohorts: [], unconverted: [] });
  await daybook.createProject("shop");
  expect(daybook.projects()).toEqual(["default", "shop"]);
  await expect(daybook.revenueByAttribution({ project: "blog" })).rejects.toMatchObject({ code: "project_not_found" });
});

test.each([["locationCountry", "location_country", "DE"], ["eventName", "event_name", "pageview"], ["anonymousId", "anonymous_id", "phone-7"],
  ["externalId", "external_id", "o-1"], ["companyId", "company_id", "acme"], ["referrerDomain", "referrer_domain", "google.com"],
  ["touchSource", "touch_source", "google.com"], ["userId", "user_id", "ada"], ["createdAt", "created_at", "2026-03-01T09:01:00.000Z"]] as const)(
  "%s asks what %s asks",
  async (camel, snake, value) => {
    await using daybook = await opened();
    const count = await daybook.countEvents(filter(snake, value));
    expect(count).toBeGreaterThan(0);
    expect(await daybook.countEvents(filter(camel, value))).toBe(count);
    expect(await daybook.aggregate({ field: camel })).toEqual(await daybook.aggregate({ field: snake }));
    expect(await daybook.aggregate({ field: camel })).toContainEqual({ property: value, count });
  },
);

test("Each row of an aggregate, asked as a filter, gives its count of events and of people, in every field.", async () => {
  await using daybook = await opened();
  for (const field of FIELD_NAMES) {
    const rows = await daybook.aggregate({ field });
    expect(rows.reduce((sum, { count }) => sum + count, 0), field).toBe(events.length);
    for (const { property, count } of rows) expect(await daybook.countEvents(filter(field, property)), `${field} ${property}`).toBe(count);
    const people = await daybook.aggregate({ field, measure: "unique_users" });
    for (const { property, count } of people) expect(await daybook.countUniqueUsers(filter(field, property)), `${field} ${property}`).toBe(count);
    const shown = new Set(people.map(({ property }) => property));
    for (const { property } of rows) if (!shown.has(property)) expect(await daybook.countUniqueUsers(filter(field, property))).toBe(0);
  }
});

test("An aggregate takes what is known of people and companies, who brought them, and metadata by its whole name.", async () => {
  await using daybook = await opened();
  await daybook.identify({ userId: "ada", email: "Ada@x.io", traits: { plan: "pro", seats: [3, "a"] }, createdAt: "2026-03-01T00:00:00Z" });
  await daybook.group({ companyId: "acme", userId: "ada", traits: { name: "Acme" }, createdAt: "2026-03-01T00:00:00Z" });
  // Two events are Ada's, of her user id and of her phone; one is another phone's, and one nobody's.
  const by = (field: AggregateInput["field"], more: object = {}) => daybook.aggregate({ field, ...more } as AggregateInput);
  expect(await by("person.plan")).toEqual([{ property: "", count: 2 }, { property: "pro", count: 2 }]);
  expect(await by("person.plan", { measure: "unique_users" })).toEqual([{ property: "", count: 1 }, { property: "pro", count: 1 }]);
  expect(await by("person.seats")).toEqual([{ property: "", count: 2 }, { property: "3", count: 2 }, { property: "a", count: 2 }]);
  expect(await by("person.email", { limit: 1, filterGroups: [{ filters: [{ fieldName: "person.email", operator: "is_set" }] }] })).toEqual([{ property: "ada@x.io", count: 2 }]);
  expect(await by("company.name")).toEqual([{ property: "", count: 2 }, { property: "Acme", count: 2 }]);
  expect(await by("first_touch.source")).toEqual([{ property: "(direct)", count: 2 }, { property: "mail", count: 2 }]);
  expect(await by("last_touch.source")).toEqual([{ property: "(direct)", count: 2 }, { property: "google.com", count: 1 }, { property: "mail", count: 1 }]);
  expect(await by("metadata.plan")).toEqual(await daybook.aggregate({ metadataField: "plan" }));
  expect(await by("metadata.nested.deep")).toEqual([{ property: "", count: 3 }, { property: "1", count: 1 }]);
  for (const field of ["person.plan", "person.email", "company.name", "first_touch.source", "last_touch.source", "metadata.nested.deep"] as const)
    for (const { property, count } of await by(field)) expect(await daybook.countEvents(filter(field, property)), `${field} ${property}`).toBe(count);
});

test("A project whose events have no trait of that name counts them all under the empty value.", async () => {
  await using daybook = await openDaybook({ storage: memoryStorage() });
  await daybook.ingest([{ name: "v", userId: "fr", project: "fr" }, { name: "v", userId: "fr", project: "other" }]);
  expect(await daybook.aggregate({ project: "fr", field: "person.plan" })).toEqual([{ property: "", count: 1 }]);
});

test("A campaign is what metadata and url say of the event itself, and utm_source is the metadata alone.", async () => {
  await using daybook = await opened();
  expect(await daybook.aggregate({ field: "touch_source" })).toEqual([
    { property: "", count: 2 }, { property: "google.com", count: 1 }, { property: "mail", count: 1 },
  ]);
  expect(await daybook.aggregate({ field: "utm_source" })).toEqual([{ property: "", count: 4 }]);
});

test("value and currency are the event's own, else the metadata of that name.", async () => {
  await using daybook = await opened();
  expect(await daybook.countEvents(filter("currency", "EUR"))).toBe(1);
  expect(await daybook.countEvents(filter("currency", "USD"))).toBe(0);
  expect(await daybook.countEvents(filter("value", "49.50"))).toBe(1);
  expect(await daybook.countEvents(filter("value", "3.0"))).toBe(1);
});

test("A search shows every member an event was sent with, and whose it is now.", async () => {
  await using daybook = await opened();
  const [cron, , , purchase] = (await daybook.searchEvents()).events;
  const { identityId } = await daybook.identityProfile({ userId: "ada" });
  expect(purchase).toMatchObject({ anonymousId: "phone-7", value: 49.5, currency: "EUR", externalId: "o-1", companyId: "acme", identityId });
  expect(cron).toMatchObject({ anonymousId: "", value: null, currency: "", externalId: "", companyId: "", identityId: null });
  const before = (await daybook.searchEvents(filter("url", "/a?b"))).events[0]?.identityId;
  await daybook.identify({ userId: "ada", anonymousId: "phone-8" });
  expect((await daybook.searchEvents(filter("url", "/a?b"))).events[0]?.identityId).toBe(identityId);
  expect(before).not.toBe(identityId);
});

test("A search of plain records shows these alone, and its pages go on either way.", async () => {
  await using daybook = await opened();
  const page = await daybook.searchEvents({ allFields: false, limit: 2 });
  expect(page.events[0]).not.toHaveProperty("identityId");
  expect(page.events[0]).not.toHaveProperty("anonymousId");
  const next = await daybook.searchEvents({ limit: 2, cursor: page.cursor });
  expect(next.events.map(({ anonymousId }) => anonymousId)).toEqual(["phone-7", "phone-7"]);
});

test("A name that is no field and no metadata key is noticed, where it stands, and counts as not set.", async () => {
  const heard: Notice[] = [];
  await using daybook = await opened((notice) => {
    heard.push(notice);
    throw new Error("the hook's own fault");
  });
  const own: Notice[] = [];
  const filterGroups = [{ filters: [] }, { filters: [{ fieldName: "plan", operator: "=", value: "pro" }, { fieldName: "plna", operator: "is_not_set" }] }];
  expect(await daybook.countEvents({ filterGroups }, { onNotice: (notice) => void own.push(notice) })).toBe(1);
  const message = 'filterGroups[1].filters[1].fieldName: "plna" is not a field or a metadata key of any stored event, so it counts as not set';
  const notice = { code: "unknown_field", message, param: "filterGroups[1].filters[1].fieldName", name: "plna", report: "countEvents" };
  expect(heard).toEqual([notice]);
  expect(own).toEqual([notice]);
  expect((await daybook.explain("countEvents", { filterGroups })).notices).toEqual([message]);
  expect(heard).toHaveLength(1);
});

test.each(["metadata.missing", "metadata.missing.deep", "missing.deep", "nested.deep", "Plan"])("%s is noticed.", async (fieldName) => {
  await using daybook = await opened();
  const { notices } = await daybook.explain("searchEvents", filter(fieldName, "1"));
  expect(notices).toHaveLength(1);
  expect(notices[0]).toContain(`"${fieldName}"`);
});

test.each(["plan", "metadata.plan", "metadata.nested.deep", "metadata.nested.missing", ...FIELD_NAMES])("%s is not noticed.", async (fieldName) => {
  await using daybook = await opened();
  expect((await daybook.explain("searchEvents", filter(fieldName, "1"))).notices).toEqual([]);
});

test("An aggregate by metadata that no event has is noticed.", async () => {
  const heard: string[] = [];
  await using daybook = await opened((notice) => heard.push("name" in notice ? `${notice.param} ${notice.name}` : notice.code));
  expect(await daybook.aggregate({ metadataField: "plna" })).toEqual([{ property: "", count: 4 }]);
  await daybook.aggregate({ metadataField: "plan" });
  expect(heard).toEqual(["metadataField plna"]);
});

test.each([
  [{ url: "https://shop.example/a?b" }, "/a?b", "shop.example"],
  [{ url: "https://shop.example/a?b", hostname: "www.shop.example" }, "/a?b", "www.shop.example"],
  [{ url: "HTTP://ann:secret@shop.example:8080/a#top" }, "/a", "shop.example"],
  [{ url: "https://shop.example" }, "/", "shop.example"],
  [{ url: "app://ann:secret@home/a#b" }, "app://home/a#b", ""],
  [{ url: "https://ann:secret@:bad/a" }, "https://:bad/a", ""],
  [{ url: "/a?next=https://b.example/#top" }, "/a?next=https://b.example/#top", ""],
  [{ url: "shop.example/a" }, "shop.example/a", ""],
  [{ url: "//ann:secret@shop.example/a" }, "//shop.example/a", ""],
  [{ url: "/\\ann:secret@shop.example/a" }, "/\\shop.example/a", ""],
  [{ url: " https://ann:secret@shop.example/a " }, "/a", "shop.example"],
  [{ url: "https://ann:sec/ret@shop.example/a" }, "/a", "shop.example"],
  [{ url: "https://shop.example/ü/../a b?q=é" }, "/ü/../a b?q=é", "shop.example"],
])("An event with %j is of the page %s on the host %j.", async (place, url, hostname) => {
  await using daybook = await openDaybook({ storage: memoryStorage() });
  await daybook.ingest([{ name: "pageview", ...place }]);
  expect((await daybook.searchEvents()).events[0]).toMatchObject({ url, hostname });
});

test("A site is never its own referrer, however its events tell where they are.", async () => {
  await using daybook = await openDaybook({ storage: memoryStorage() });
  await daybook.ingest([
    { name: "pageview", userId: "ada", createdAt: "2026-03-01T09:00:00Z", url: "https://shop.example/a", referrer: "https://shop.example/" },
    { name: "Purchase", userId: "ada", createdAt: "2026-03-01T09:00:01Z", value: 5 },
  ]);
  const { rows } = await daybook.revenueByAttribution({ project: "default", startDate: "2026-03-01", endDate: "2026-03-01" });
  expect(rows).toEqual([{ dimension: "(direct)", revenue: 5, orders: 1 }]);
});

test("A lone surrogate and a text that is too long are refused in whole addresses too.", async () => {
  await using daybook = await openDaybook({ storage: memoryStorage() });
  const { rejected } = await daybook.ingest([
    { name: "pageview", url: "https://shop.example/\ud800" },
    { name: "pageview", url: `https://shop.example/#${"x".repeat(8_192)}` },
    { name: "pageview", url: `https://shop.example/#${"ü".repeat(4_090)}` },
  ]);
  expect(rejected.map(({ message }) => message)).toEqual([
    "url: the text has a lone surrogate", expect.stringContaining("url: expected at most 8192 bytes"), "url: expected at most 8192 bytes, got 8202",
  ]);
});

test("A whole address may be as long as any text, however its path would be escaped, and is the page that its path is.", async () => {
  await using daybook = await openDaybook({ storage: memoryStorage() });
  const path = `/${"ü".repeat(4_000)}`;
  expect(await daybook.ingest([{ name: "pageview", url: path }, { name: "pageview", url: `https://shop.example${path}` }])).toMatchObject({ accepted: 2 });
  expect(await daybook.aggregate({ field: "url" })).toEqual([{ property: path, count: 2 }]);
});
