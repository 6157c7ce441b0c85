import { describe, expect, test } from "vitest";
import { fixedClock, openDaybook, verifyStore, type Daybook, type EventInput, type Storage } from "daybook";
import { storeOf } from "../../src/engine/open-daybook.js";
import { deleteRows } from "../../src/store/upkeep/delete-rows.js";
import { lastingMemory } from "../store/objects.js";
import { storedText } from "../store/stored-text.js";

const NOW = Date.UTC(2026, 2, 31, 12);
const at = (day: number, minute: number) => Date.UTC(2026, 2, day) + minute * 60_000;

/** Everything that only deleted events say holds this text; nothing of the others does. */
const SECRET = "zebra";
const ZOO = "zebra-zoo";

const events: EventInput[] = [
  { id: "1", name: "visit", project: ZOO, anonymousId: "device-zebra", createdAt: at(1, 0), url: "/", browser: "Chrome" },
  { id: "2", name: "signup-zebra", project: ZOO, userId: "ann", anonymousId: "d1", createdAt: at(1, 1), url: "/for-zebra", metadata: { "key-zebra": 1, note: "zebra" } },
  { id: "3", name: "visit", userId: "bob", anonymousId: "d1", createdAt: at(2, 2), browser: "Chrome", metadata: { plan: "pro" } },
  { id: "4", name: "visit", anonymousId: "d1", createdAt: at(2, 600), companyId: "acme", metadata: { plan: "free" } },
  { id: "5", name: "Payment", project: ZOO, userId: "zebra-buyer", createdAt: at(2, 601), value: 5, companyId: "zebra-inc" },
  { id: "6", name: "Payment", userId: "bob", createdAt: at(3, 0), value: 7 },
];

const open = (storage: Storage, more: object = {}) => openDaybook({ storage, clock: fixedClock(NOW), ...more });

async function zoo(storage: Storage, some: readonly EventInput[] = events, more: object = {}): Promise<Daybook> {
  const daybook = await open(storage, more);
  await daybook.ingest(some.slice(0, 4));
  await daybook.identify({ id: "link", userId: "bob", anonymousId: "d1", email: "bob@x.example", createdAt: at(3, 0) });
  await daybook.seal();
  await daybook.ingest(some.slice(4));
  return daybook;
}

async function answers(some: Daybook): Promise<unknown> {
  const always = { startDate: "2026-01-01", endDate: "2026-12-31" };
  const profile = (userId: string) => some.identityProfile({ ...always, userId }).catch((error: { code: string }) => error.code);
  return [
    await some.countEvents(),
    await some.countUniqueUsersPerDay(),
    await some.searchEvents(),
    await some.aggregate({ field: "browser" }),
    await some.aggregate({ metadataField: "note" }),
    await profile("ann"), await profile("bob"), await profile("d1"), await profile("zebra-buyer"),
    await some.topCompanies({ rangeDays: 365 }),
    await some.ltvCohorts({ project: "default" }),
    some.projects(),
  ];
}

const inProject = (project: string | undefined) => (event: EventInput) => event.project === project;

describe("deleteProject", () => {
  test("leaves no byte of the project's events and of its name, and the receipt says what went", async () => {
    const storage = lastingMemory();
    const daybook = await zoo(storage);
    expect(await storedText(storage)).toContain(SECRET);
    const receipt = await daybook.deleteProject(ZOO);
    expect(receipt).toMatchObject({ deletedAt: new Date(NOW).toISOString(), events: 3, segmentsRemoved: 2, segmentsRewritten: 0 });
    expect(receipt.dictionaryValues).toBeGreaterThan(8);
    const text = await storedText(storage);
    expect([text.includes(SECRET), text.includes("bob")]).toEqual([false, true]);
    await daybook.close();
    expect(await storedText(storage)).not.toContain(SECRET);
    expect((await verifyStore(storage)).findings).toEqual([]);
  });

  test("leaves the answers of a store that never had its events: who was linked by them alone is linked no more", async () => {
    const storage = lastingMemory();
    const daybook = await zoo(storage);
    const pure = await answers(await zoo(lastingMemory(), events.filter(inProject(undefined))));
    expect(await answers(daybook)).not.toEqual(pure);
    await daybook.deleteProject(ZOO);
    expect(await answers(daybook)).toEqual(pure);
    await daybook.close();
    const again = await open(storage);
    expect(await answers(again)).toEqual(pure);
    await expect(again.ltvCohorts({ project: ZOO })).rejects.toMatchObject({ code: "project_not_found" });
    await expect(again.deleteProject(ZOO)).rejects.toMatchObject({ code: "project_not_found" });
  });

  test("lets the project begin anew, with the same ids", async () => {
    const storage = lastingMemory();
    const daybook = await zoo(storage);
    await daybook.deleteProject(ZOO);
    await daybook.createProject(ZOO);
    expect(daybook.projects()).toEqual(["default", ZOO]);
    expect(await daybook.ingest(events)).toMatchObject({ accepted: 3, duplicates: 3 });
    expect(await daybook.countEvents({ project: ZOO })).toBe(3);
    expect(await daybook.ingest(events)).toMatchObject({ accepted: 0, duplicates: 6 });
    await daybook.close();
    expect((await verifyStore(storage)).findings).toEqual([]);
    expect(await answers(await open(storage))).toEqual(await answers(await zoo(lastingMemory())));
  });

  test("of one that has no events takes its name away, and that of default its events alone", async () => {
    const storage = lastingMemory();
    const daybook = await zoo(storage);
    await daybook.createProject("quagga");
    expect(await daybook.deleteProject("quagga")).toMatchObject({ events: 0, dictionaryValues: 1, segmentsRemoved: 0 });
    expect(await storedText(storage)).not.toContain("quagga");
    expect(await daybook.deleteProject("default")).toMatchObject({ events: 3 });
    expect(daybook.projects()).toEqual(["default", ZOO]);
    const records: unknown[] = [];
    for await (const record of daybook.exportRecords()) records.push(record);
    expect(records).toMatchObject([{ type: "project", name: "default" }, { type: "identify", userId: "bob" }]);
  });
});

describe("deleteEvents", () => {
  test("removes files of whole days, and writes anew a day that is cut", async () => {
    const storage = lastingMemory();
    const daybook = await zoo(storage);
    await daybook.seal();
    expect(await daybook.deleteEvents({ before: "2026-03-02" })).toMatchObject({ events: 2, segmentsRemoved: 1, segmentsRewritten: 0 });
    expect(await daybook.deleteEvents({ before: new Date(at(2, 600)) })).toMatchObject({ events: 1, segmentsRemoved: 0, segmentsRewritten: 1 });
    const pure = await zoo(lastingMemory(), events.slice(3));
    expect(await answers(daybook)).toEqual(await answers(pure));
    expect(await storedText(storage)).not.toMatch(/device-zebra|signup-zebra|key-zebra/);
    // What lies before is welcome all the same: only a time to live refuses it.
    expect(await daybook.ingest(events)).toMatchObject({ accepted: 3, duplicates: 3 });
  });

  test("of one project leaves the others and the project's name", async () => {
    const daybook = await zoo(lastingMemory());
    expect(await daybook.deleteEvents({ before: "2026-03-03", project: ZOO })).toMatchObject({ events: 3 });
    expect([await daybook.countEvents(), daybook.projects()]).toEqual([3, ["default", ZOO]]);
  });

  test("leaves an id known that a record names, unless that is taken back", async () => {
    const storage = lastingMemory();
    const daybook = await open(storage);
    await daybook.ingest(["ann", "bob"].map((userId) => ({ name: "visit", userId, createdAt: at(1, 0) })));
    await daybook.identify({ userId: "ann", traits: { plan: "pro" }, createdAt: at(1, 0) });
    const { linkId } = await daybook.identify({ userId: "bob", traits: { plan: "pro" }, createdAt: at(1, 0) });
    await daybook.unlink(linkId);
    await daybook.deleteEvents({ before: "2026-03-02" });
    const known = async (some: Daybook) => {
      expect((await some.identityProfile({ userId: "ann" })).identityId).toMatch(/^idn_/);
      await expect(some.identityProfile({ userId: "bob" })).rejects.toMatchObject({ code: "identity_not_found" });
    };
    await known(daybook);
    await daybook.close();
    await known(await open(storage));
  });

  test("gives memory back that the ids took", async () => {
    const daybook = await open(lastingMemory());
    const many = Array.from({ length: 20_000 }, (_, index) => ({ id: `many-${index}`, name: "visit", createdAt: at(1, 0) }));
    await daybook.ingest(many);
    await daybook.ingest([{ id: "one", name: "visit", createdAt: at(2, 0) }]);
    await daybook.deleteEvents({ before: "2026-03-02" });
    expect(await daybook.ingest([{ id: "one", name: "visit", createdAt: at(2, 0) }, { id: "many-1", name: "visit", createdAt: at(2, 0) }])).toMatchObject({ accepted: 1, duplicates: 1 });
    expect((await daybook.stats()).memoryByteLength).toBeLessThan(100_000);
  });

  test("writes nothing where there is nothing to delete, and refuses what it does not know", async () => {
    const storage = lastingMemory();
    const daybook = await zoo(storage);
    await daybook.seal();
    const before = await storage.list("");
    expect(await daybook.deleteEvents({ before: "2026-03-01" })).toMatchObject({ events: 0, segmentsRewritten: 0, dictionaryValues: 0 });
    expect((await storage.list("")).filter((key) => !key.startsWith("journal/"))).toEqual(before.filter((key) => !key.startsWith("journal/")));
    await expect(daybook.deleteEvents({ before: "2026-03-03", project: "nobody" })).rejects.toMatchObject({ code: "project_not_found" });
    await expect(daybook.deleteEvents({} as never)).rejects.toMatchObject({ code: "invalid_parameter", details: { param: "before" } });
    await expect(daybook.deleteEvents({ before: "2026-02-30" })).rejects.toMatchObject({ code: "invalid_date" });
    await expect(daybook.deleteEvents({ before: "2026-03-03", projcet: ZOO } as never)).rejects.toMatchObject({ code: "unknown_parameter" });
    await daybook.close();
    await expect(daybook.deleteEvents({ before: "2026-03-03" })).rejects.toMatchObject({ code: "closed" });
    await expect((await open(storage, { readOnly: true })).deleteEvents({ before: "2026-03-03" })).rejects.toMatchObject({ code: "read_only" });
  });

  test("is a change of all projects, and of those that are no more", async () => {
    const daybook = await zoo(lastingMemory());
    const changes = daybook.changes()[Symbol.asyncIterator]();
    const next = changes.next();
    await daybook.deleteProject(ZOO);
    expect((await next).value).toMatchObject({ projects: ["default", ZOO] });
    await daybook.close();
  });

  test("leaves cursors, and queries as of an earlier sequence without what went", async () => {
    const daybook = await zoo(lastingMemory());
    const { cursor } = await daybook.searchEvents({ limit: 2 });
    const countThen = async () => (await daybook.lifecycle({ asOf: 4, startDate: "2026-03-01", endDate: "2026-03-03" })).buckets;
    const before = await countThen();
    await daybook.deleteEvents({ before: "2026-03-02" });
    expect((await daybook.searchEvents({ limit: 100, cursor })).events.map(({ createdAt }) => createdAt)).toEqual([at(2, 600), at(2, 2)].map((ms) => new Date(ms).toISOString()));
    expect(await countThen()).not.toEqual(before);
  });

  test("leaves saved segments and privacy requests as they are", async () => {
    const daybook = await zoo(lastingMemory());
    const groups = [{ conditions: [{ type: "did", filterGroups: [{ filters: [{ fieldName: "project", operator: "=", value: ZOO }] }] }] }] as never;
    await daybook.segments.put("visitors", { groups });
    const { id } = await daybook.privacyRequests.create({ type: "access", subject: { userId: "bob" } });
    await daybook.deleteProject(ZOO);
    expect([(await daybook.segments.list()).length, (await daybook.privacyRequests.get(id)).subject]).toEqual([1, { userId: "bob" }]);
  });
});

test("A deletion that fails once it stands leaves every file that the manifest names.", async () => {
  const storage = lastingMemory();
  const daybook = await zoo(storage);
  await daybook.seal();
  const doomed = { beforeMs: () => at(2, 100), latestMs: at(2, 100) };
  const failing = deleteRows(storeOf(daybook) ?? expect.fail("no store"), doomed, { projectName: 0 }, 0, () => {
    throw new Error("behind the manifest");
  });
  await expect(failing).rejects.toThrow("behind the manifest");
  await daybook.close().catch(() => undefined);
  const again = await open(storage);
  expect((await again.searchEvents()).events.map(({ id }) => id.at(-1)).length).toBe(3);
  await again.close();
});

describe("a reader of the moment before", () => {
  test("reads on, writing goes on, and bytes are gone when it ends", async () => {
    const storage = lastingMemory();
    const daybook = await zoo(storage, events, { memoryBudgetBytes: 1 });
    await daybook.seal();
    const exported: unknown[] = [];
    const reading = daybook.exportEvents()[Symbol.asyncIterator]();
    exported.push((await reading.next()).value);
    let isDone = false;
    const deleting = daybook.deleteProject(ZOO).then(() => (isDone = true));
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect([isDone, await daybook.countEvents()]).toEqual([false, 3]);
    expect(daybook.projects()).toEqual(["default"]);
    expect(await daybook.ingest([{ name: "later", project: ZOO, createdAt: NOW }])).toMatchObject({ accepted: 1 });
    for (let next = await reading.next(); next.done !== true; next = await reading.next()) exported.push(next.value);
    await deleting;
    expect(exported).toHaveLength(6);
    expect(exported[1]).toMatchObject({ project: ZOO, name: "signup-zebra" });
    expect(await storedText(storage)).not.toContain("signup-zebra");
  });

  test("brings nothing back by another deletion that it spans as well, and what comes again has one code", async () => {
    const storage = lastingMemory();
    const daybook = await zoo(storage);
    const reading = daybook.exportEvents()[Symbol.asyncIterator]();
    await reading.next();
    const visit = (id: string, createdAt: number): EventInput => ({ id, name: "signup-zebra", userId: "zebra-buyer", createdAt });
    const first = daybook.deleteProject(ZOO);
    await daybook.ingest([visit("7", at(4, 0))]);
    const second = daybook.deleteEvents({ before: new Date(at(5, 0)) });
    await daybook.ingest([{ id: "8", name: "visit", userId: "cleo", createdAt: at(6, 0) }]);
    await daybook.seal();
    expect(await daybook.countEvents()).toBe(1);
    await reading.return?.();
    await Promise.all([first, second]);
    expect(await storedText(storage)).not.toContain(SECRET);
    await daybook.close();
    const again = await open(storage);
    expect((await again.ingest([visit("9", at(6, 1))])).accepted).toBe(1);
    expect(await again.aggregate({ field: "user_id" })).toEqual([{ property: "cleo", count: 1 }, { property: "zebra-buyer", count: 1 }]);
    await again.close();
    expect((await verifyStore(storage)).findings).toEqual([]);
  });

  test("loses no file to a deletion that waited for somebody else", async () => {
    const storage = lastingMemory();
    const many = [1, 1, 2, 3, 4, 5, 6, 7].map((day, index) => ({ id: String(index), name: "visit", createdAt: at(day, index) }));
    await (await zoo(storage, many)).close();
    // What is read later is in no memory.
    const daybook = await open(storage, { memoryBudgetBytes: 1 });
    const first = daybook.exportEvents()[Symbol.asyncIterator]();
    await first.next();
    const deleting = [daybook.deleteEvents({ before: "2026-03-02" })];
    await new Promise((resolve) => setTimeout(resolve, 50));
    const second = daybook.exportEvents()[Symbol.asyncIterator]();
    const exported = [(await second.next()).value];
    deleting.push(daybook.deleteEvents({ before: "2026-03-08" }));
    await new Promise((resolve) => setTimeout(resolve, 50));
    await first.return?.();
    await deleting[0];
    for (let next = await second.next(); next.done !== true; next = await second.next()) exported.push(next.value);
    expect(exported).toHaveLength(6);
    expect(await Promise.all(deleting)).toMatchObject([{ events: 2 }, { events: 6 }]);
  });
});

