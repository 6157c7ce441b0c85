import { fixedClock, memoryStorage, openDaybook, type Daybook, type EventInput, type Scope, type ScopedDaybook } from "daybook";
import { expect, test } from "vitest";
import { fieldMessages } from "./scope-messages.js";

const nowMs = Date.parse("2026-03-10T12:00:00Z");

function event(day: number, given: Partial<EventInput>): EventInput {
  return { name: "view", createdAt: `2026-03-${String(day).padStart(2, "0")}T10:00:00Z`, ...given };
}

/** Two customers in one organization: Ann and Abe of acme, Bea of blue, and a visitor of neither. */
async function shared(): Promise<Daybook> {
  const daybook = await openDaybook({ storage: memoryStorage(), clock: fixedClock(nowMs) });
  await daybook.ingest([
    event(1, { userId: "bea", companyId: "blue", name: "signup", url: "https://shop.example/blue", metadata: { secret: 1 }, project: "blue-shop" }),
    event(2, { userId: "ann", companyId: "acme", name: "signup", url: "https://shop.example/a", value: 5 }),
    event(3, { userId: "ann", companyId: "acme", url: "https://shop.example/b?x=1", metadata: { plan: "pro", seats: 3 } }),
    event(3, { userId: "abe", companyId: "acme", url: "https://shop.example/a" }),
    event(4, { userId: "bea", companyId: "blue", url: "https://shop.example/blue" }),
    event(5, { anonymousId: "visitor", url: "https://shop.example/" }),
    event(9, { userId: "ann", companyId: "acme", url: "https://shop.example/a" }),
  ]);
  return daybook;
}

const ACME: Scope = { filterGroups: [{ filters: [{ fieldName: "company_id", operator: "=", value: "acme" }] }] };

async function refusal(asked: Promise<unknown> | (() => unknown)): Promise<string> {
  try {
    await (typeof asked === "function" ? asked() : asked);
    return "none";
  } catch (error) {
    const { code, message } = error as { readonly code: string; readonly message: string };
    return `${code} ${message}`;
  }
}

test("A customer sees its own events alone, in counts, people, first times, pages and notices.", async () => {
  await using daybook = await shared();
  const acme = daybook.scoped(ACME);
  expect(await acme.countEvents()).toBe(4);
  expect(await acme.countUniqueUsers()).toBe(2);
  expect(await acme.aggregate({ field: "path" })).toEqual([{ property: "/a", count: 3 }, { property: "/b", count: 1 }]);
  expect((await acme.webOverview()).figures).toMatchObject({ visitors: 2, views: 0, visits: 4 });
  // Abe is new on the third, Ann on the second.
  expect((await acme.lifecycle({ startDate: "2026-03-02", endDate: "2026-03-03" })).buckets.map(({ start, ...counts }) => [start, counts])).toMatchObject([
    ["2026-03-02T00:00:00.000Z", { new: 1 }],
    ["2026-03-03T00:00:00.000Z", { new: 1, returning: 1 }],
  ]);
  expect(await daybook.countEvents()).toBe(7);
});

test("What comes later, and what a late record moves, counts at once; what is erased or deleted does not.", async () => {
  await using daybook = await shared();
  const acme = daybook.scoped(ACME);
  expect(await acme.countEvents()).toBe(4);
  await daybook.ingest([event(10, { userId: "abe", companyId: "acme" }), event(10, { userId: "bea", companyId: "blue" })]);
  expect(await acme.countEvents()).toBe(5);
  await daybook.seal();
  expect(await acme.countEvents()).toBe(5);
  // The visitor turns out to be Ann: the only company of hers is acme.
  const pages = async () => (await acme.aggregate({ field: "path" })).map(({ property, count }) => `${property} ${count}`);
  expect(await pages()).toEqual(["/a 3", " 1", "/b 1"]);
  const { linkId } = await daybook.identify({ userId: "ann", anonymousId: "visitor" });
  expect(await pages()).toEqual(["/a 3", " 1", "/ 1", "/b 1"]);
  expect([await acme.countEvents(), await acme.countUniqueUsers()]).toEqual([6, 2]);
  await daybook.unlink(linkId);
  expect(await pages()).toEqual(["/a 3", " 1", "/b 1"]);
  await daybook.identify({ userId: "ann", anonymousId: "visitor" });
  expect([await acme.countEvents(), await acme.countUniqueUsers()]).toEqual([6, 2]);
  await daybook.deleteEvents({ before: "2026-03-03" });
  expect(await acme.countEvents()).toBe(5);
  const { id } = await daybook.privacyRequests.create({ type: "erasure", subject: { userId: "ann" }, regulation: "gdpr" });
  await daybook.privacyRequests.verify(id);
  await daybook.privacyRequests.acknowledge(id);
  await daybook.privacyRequests.resolve(id, "completed");
  expect([await acme.countEvents(), await acme.countUniqueUsers()]).toEqual([2, 1]);
});

test("Queries that show events or people, and fields that name them, need to be listed.", async () => {
  await using daybook = await shared();
  const acme = daybook.scoped(ACME);
  expect(await Promise.all(fieldMessages.map(async ([ask]) => refusal(ask(acme))))).toEqual(fieldMessages.map(([, message]) => `forbidden_by_scope ${message}`));
});

test("A scope that lists queries and fields opens these, and no others.", async () => {
  await using daybook = await shared();
  const scoped = daybook.scoped({ ...ACME, queries: ["searchEvents", "aggregate"], fields: ["name", "url", "metadata.plan", "person.email"] });
  const { events } = await scoped.searchEvents({ limit: 2, eventName: "view", filterGroups: [{ filters: [{ fieldName: "path", operator: "contains", value: "/b" }] }] });
  expect(events).toHaveLength(1);
  // What is not listed looks as if it were not set.
  expect(events[0]).toMatchObject({
    id: "", name: "view", url: "/b?x=1", metadata: { plan: "pro" }, userId: "", identityId: null, createdAt: "", project: "", companyId: "", value: null,
  });
  expect(await scoped.aggregate({ field: "metadata.plan" })).toEqual([{ property: "", count: 3 }, { property: "pro", count: 1 }]);
  expect(await refusal(scoped.countEvents())).toBe("forbidden_by_scope queries: the scope does not allow countEvents");
  expect(await refusal(scoped.aggregate({ field: "device" }))).toBe('forbidden_by_scope field: the scope does not list the field "device"');
  expect(await refusal(scoped.aggregate({ field: "metadata.seats" }))).toBe('forbidden_by_scope field: the scope does not list the field "metadata.seats"');
});

test("The calendar of a scope is that of its queries; its days are whole ones of its time zone.", async () => {
  await using daybook = await shared();
  // In Auckland it is the 11th, one o'clock in the morning: the first of three days, the 9th, begins on the 8th at 11:00 UTC.
  const scoped = daybook.scoped({ lastDays: 3, timeZone: "Pacific/Auckland", weekStart: "sunday" });
  await daybook.ingest([event(8, { userId: "ann", createdAt: "2026-03-08T10:59:59Z" }), event(8, { userId: "abe", createdAt: "2026-03-08T11:00:00Z" })]);
  expect(await scoped.countEvents()).toBe(2);
  expect((await scoped.trend({ interval: "week" })).buckets).toMatchObject([{ start: "2026-03-07T11:00:00.000Z", end: "2026-03-14T10:59:59.999Z" }]);
  expect(await refusal(scoped.trend({ timeZone: "UTC" }))).toBe('forbidden_by_scope timeZone: expected "Pacific/Auckland", which the scope sets, got "UTC"');
  expect(await refusal(scoped.trend({ weekStart: "monday" }))).toBe('forbidden_by_scope weekStart: expected "sunday", which the scope sets, got "monday"');
  expect((await scoped.trend({ timeZone: "Pacific/Auckland" })).buckets).not.toEqual([]);
  // Names of the same zone.
  for (const timeZone of ["pacific/auckland", "NZ"]) expect((await scoped.trend({ timeZone })).buckets).not.toEqual([]);
  // An inner scope reads its dates by the same clocks, unless it has others.
  const [outer, day] = [daybook.scoped({ timeZone: "Pacific/Auckland" }), { from: "2026-03-08", to: "2026-03-08" }];
  expect([await daybook.scoped(day).countEvents(), await outer.scoped(day).countEvents(), await outer.scoped({}).scoped(day).countEvents()]).toEqual([2, 1, 1]);
});

test("A scope of a scope is their intersection.", async () => {
  await using daybook = await shared();
  const acme = daybook.scoped({ ...ACME, timeZone: "UTC" });
  const inner = acme.scoped({ filterGroups: [{ filters: [{ fieldName: "path", operator: "ends_with", value: "/a" }] }], queries: ["countEvents", "searchEvents"] });
  expect(await inner.countEvents()).toBe(3);
  expect(await refusal(inner.trend())).toBe("forbidden_by_scope queries: the scope does not allow trend");
  // The outer one does not list it.
  expect(await refusal(inner.searchEvents())).toBe("forbidden_by_scope queries: the scope does not allow searchEvents");
  expect(await acme.scoped({ timeZone: "Etc/UTC" }).countEvents()).toBe(await acme.countEvents());
  expect(await refusal(() => acme.scoped({ timeZone: "Europe/Berlin" }))).toBe('forbidden_by_scope scope.timeZone: expected "UTC", which the outer scope sets, got "Europe/Berlin"');
  expect(await acme.scoped({ projects: ["blue-shop"] }).countEvents()).toBe(0);
});

test("Saved segments may be named where a scope lists them, and count events of the scope alone.", async () => {
  await using daybook = await shared();
  await daybook.segments.put("busy", { groups: [{ conditions: [{ type: "did", atLeast: 2 }] }] });
  const busy = [{ filters: [{ fieldName: "identity_id", operator: "in_segment", value: "busy" }] }];
  expect(await daybook.countUniqueUsers({ filterGroups: busy })).toBe(2);
  expect(await daybook.scoped({ ...ACME, segments: ["busy"] }).countUniqueUsers({ filterGroups: busy })).toBe(1);
  const message = 'filterGroups[0].filters[0].value: expected a saved segment that the scope lists, got "busy"';
  expect(await refusal(daybook.scoped(ACME).countUniqueUsers({ filterGroups: busy }))).toBe(`forbidden_by_scope ${message}`);
  const own = { segments: { mine: { groups: [{ conditions: [{ type: "did" as const }] }] } } };
  expect(await refusal(daybook.scoped(ACME).countUniqueUsers(own))).toBe("forbidden_by_scope segments: a scope allows no segments");
});

test("Answers that show emails, times or currencies need these listed, too; a cursor shows none of its event.", async () => {
  await using daybook = await shared();
  const people = { queries: ["companyTopUsers", "identityProfile"], fields: ["company_id", "user_id", "anonymous_id", "identity_id", "value", "created_at"] };
  await expect(refusal(daybook.scoped(people).companyTopUsers({ companyId: "acme" }))).resolves.toMatch(/^forbidden_by_scope .*person\.email/);
  const timeless = { ...people, fields: people.fields.filter((field) => field !== "created_at") };
  await expect(refusal(daybook.scoped(timeless).identityProfile({ userId: "ann" }))).resolves.toMatch(/^forbidden_by_scope .*created_at/);
  await expect(refusal(daybook.scoped({ fields: ["value"] }).trend({ measure: { type: "revenue" } }))).resolves.toMatch(/^forbidden_by_scope .*currency/);
  await expect(refusal(daybook.scoped({ fields: ["name"] }).lifecycle({ level: "account" }))).resolves.toMatch(/^forbidden_by_scope .*company_id/);
  const { cursor } = await daybook.scoped({ queries: ["searchEvents"] }).searchEvents({ limit: 6 });
  expect(Buffer.from(String(cursor), "base64url").toString("latin1")).not.toContain("blue-shop");
  // What is checked is what is asked.
  let readCount = 0;
  const input = { get field(): "name" | "user_id" { return (readCount += 1) === 1 ? "name" : "user_id"; } };
  expect(await daybook.scoped(ACME).aggregate(input)).toEqual([{ property: "view", count: 3 }, { property: "signup", count: 1 }]);
});

test("A scope by company follows events and memberships that change while it is read.", async () => {
  await using daybook = await openDaybook({ storage: memoryStorage(), clock: fixedClock(nowMs) });
  await daybook.ingest(Array.from({ length: 2_000 }, (_, at) => event(1 + (at % 9), { userId: `u${at % 100}` })));
  const [acme, filterGroups] = [daybook.scoped(ACME), ACME.filterGroups];
  for (let round = 0; round < 12; round += 1) {
    await Promise.all([
      daybook.ingest([event(9, { userId: `new${round}`, companyId: "acme" })]).then(() => acme.countEvents()),
      daybook.ingest([event(9, { userId: `u${round}`, companyId: "acme" })]).then(() => daybook.countEvents({ filterGroups })),
      acme.countEvents(),
    ]);
    expect([round, await acme.countEvents()]).toEqual([round, await daybook.countEvents({ filterGroups })]);
  }
});

test("Cursors, notices, projects and explanations tell nothing of other events.", async () => {
  await using daybook = await shared();
  const rights: Scope = { queries: ["searchEvents", "ltvCohorts", "countEvents"], fields: ["name", "url", "project", "value", "currency", "company_id", "metadata.plan", "metadata.secret", "metadata.none"] };
  const acme = daybook.scoped({ ...ACME, ...rights });
  const blue = daybook.scoped({ filterGroups: [{ filters: [{ fieldName: "company_id", operator: "=", value: "blue" }] }], ...rights });
  const { cursor } = await acme.searchEvents({ limit: 1 });
  expect((await acme.searchEvents({ limit: 9, cursor })).events).toHaveLength(3);
  expect(await refusal(blue.searchEvents({ cursor }))).toMatch(/^invalid_cursor /);
  expect(await refusal(daybook.searchEvents({ cursor }))).toMatch(/^invalid_cursor /);
  const noticed: string[] = [];
  for (const key of ["plan", "secret", "none"])
    await acme.countEvents({ filterGroups: [{ filters: [{ fieldName: `metadata.${key}`, operator: "is_set" }] }] }, { onNotice: ({ name }) => void noticed.push(name) });
  expect(noticed).toEqual(["metadata.secret", "metadata.none"]);
  expect(await refusal(acme.ltvCohorts({ project: "blue-shop" }))).toBe('project_not_found project: there is no project "blue-shop"');
  expect((await blue.ltvCohorts({ project: "blue-shop" })).cohorts).toHaveLength(1);
  const { segments, rowCount, dictionaryValueCount, notices } = await acme.explain("countEvents", { filterGroups: [{ filters: [{ fieldName: "metadata.secret", operator: "contains", value: "1" }] }] });
  expect(segments.map(({ day }) => day.slice(0, 10))).toEqual(["2026-03-09", "2026-03-03", "2026-03-02"]);
  expect([rowCount, dictionaryValueCount, notices.length]).toEqual([4, 0, 1]);
});

test("A scope without conditions on events reads the store itself; two equal ones share their events.", async () => {
  const works: number[] = [];
  await using daybook = await openDaybook({ storage: memoryStorage(), clock: fixedClock(nowMs), onWork: (_, { rowCount }) => void works.push(rowCount) });
  await daybook.ingest([event(1, { userId: "ann", companyId: "acme" }), event(1, { userId: "bea", companyId: "blue" })]);
  expect(await daybook.scoped({ queries: ["countEvents"] }).countEvents()).toBe(2);
  const scopes: ScopedDaybook[] = [daybook.scoped(ACME), daybook.scoped({ ...ACME, fields: ["name"] })];
  for (const scoped of scopes) expect(await scoped.countEvents()).toBe(1);
  await daybook.close();
  expect(await refusal(scopes[0]?.countEvents() ?? Promise.resolve())).toMatch(/^closed /);
  expect(await refusal(() => daybook.scoped(ACME))).toMatch(/^closed /);
});

test.each([
  [{ filterGroups: [{ filters: [{ fieldName: "person.email", operator: "is_set" }] }] }, "invalid_parameter scope.filterGroups[0].filters[0].fieldName: expected a field or a metadata key of the event itself"],
  [{ filterGroups: [{ filters: [{ fieldName: "identity_id", operator: "=", value: "a" }] }] }, "invalid_parameter scope.filterGroups[0].filters[0].fieldName: expected a field or"],
  [{ filterGroups: [{ filters: [{ fieldName: "identity_id", operator: "in_segment", value: "a" }] }] }, "invalid_operator scope.filterGroups[0].filters[0].operator: "],
  [{ filterGroups: [] }, "invalid_parameter scope.filterGroups: expected at least one group, got none; leave it out for all events"],
  [{ filterGroups: [{ filters: [] }] }, "invalid_parameter scope.filterGroups[0].filters: expected at least one filter, got none"],
  [{ filterGroups: [{ filters: [{ fieldName: "company_id", operator: "=", value: "" }] }] }, "invalid_parameter scope.filterGroups[0].filters[0].value: expected at least one"],
  [{ projects: [] }, "invalid_parameter scope.projects: expected an array of 1 to 100 items, got 0"],
  [{ queries: ["stats"] }, "invalid_parameter scope.queries[0]: expected one of countEvents, "],
  [{ fields: ["metadata."] }, 'invalid_parameter scope.fields[0]: expected the name of a field, got "metadata."'],
  [{ from: "2026-03-02", to: "2026-03-01" }, "invalid_date_range scope.from: expected a start not after to"],
  [{ from: "2026-03-02", lastDays: 1 }, "invalid_parameter scope.lastDays: expected either lastDays, or from and to, got both"],
  [{ lastDays: 0 }, "invalid_parameter scope.lastDays: expected an integer from 1 to 3660, got 0"],
  [{ timeZone: "Mars" }, 'invalid_parameter scope.timeZone: expected the IANA name of a time zone, got "Mars"'],
  [{ filters: [] }, "unknown_parameter scope.filters: unknown; allowed: filterGroups, projects, "],
  [null, "invalid_parameter scope: expected an object, got null"],
])("The scope %j is no scope.", async (scope, message) => {
  await using daybook = await openDaybook({ storage: memoryStorage() });
  expect(await refusal(() => daybook.scoped(scope as never))).toContain(message);
});
