import { setImmediate } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { fixedClock, memoryStorage, openDaybook, verifyStore, type Daybook, type RecordInput, type Storage, type StoredRecord } from "daybook";
import { storeOf } from "../../src/engine/open-daybook.js";
import { lastingMemory } from "../store/objects.js";
import { storedText } from "../store/stored-text.js";

const NOW = Date.UTC(2026, 2, 31, 12);
const createdAt = "2026-03-20T00:00:00.000Z";
const SECRET = "zebra";

/** Ann, and what others say of her: all of it under other emails, or of a company. */
const records: readonly RecordInput[] = [
  { type: "identify", id: "ann", createdAt, userId: "ann", email: "Ann@Zebra.example" },
  { type: "identify", id: "bob", createdAt, userId: "bob", email: "bob@x.example", traits: { name: "Bob", email: " ANN@zebra.example ", 5: [1e21] } },
  { type: "identify", id: "bob again", createdAt, userId: "bob", traits: { name: "Bob" } },
  { type: "identify", id: "carl", createdAt, userId: "carl", email: "", traits: { email: "ann@zebra.example" } },
  { type: "group", id: "acme", createdAt, companyId: "acme", userId: "bob", traits: { name: "Acme", email: "ann@zebra.example" } },
];

async function opened(storage: Storage, some = records): Promise<Daybook> {
  const daybook = await openDaybook({ storage, clock: fixedClock(NOW) });
  await daybook.ingest([{ id: "1", name: "visit", userId: "ann", createdAt }, { id: "2", name: "visit", userId: "bob", createdAt }]);
  expect(await daybook.ingestRecords(some)).toMatchObject({ accepted: some.length });
  return daybook;
}

async function erase(daybook: Daybook, subject: { userId?: string; email?: string }) {
  const { id } = await daybook.privacyRequests.create({ type: "erasure", subject });
  await daybook.privacyRequests.verify(id);
  await daybook.privacyRequests.acknowledge(id);
  return await daybook.privacyRequests.resolve(id, "completed");
}

async function recordsOf(daybook: Daybook): Promise<StoredRecord[]> {
  const found: StoredRecord[] = [];
  for await (const record of daybook.exportRecords()) found.push(record);
  return found;
}

describe("An erased email", () => {
  test.each([{ userId: "ann" }, { email: "ann@zebra.example" }])("goes from the traits of others, and nothing else of theirs does (%j)", async (subject) => {
    const storage = lastingMemory();
    const daybook = await opened(storage);
    const { receipt } = await erase(daybook, subject);
    expect(receipt).toMatchObject({ events: 1, identifyCalls: 1, groupCalls: 0, emails: 1 });
    expect(await storedText(storage)).not.toContain(SECRET);
    const told = (await recordsOf(daybook)).map((record): object => ({ ...record, id: undefined }));
    expect(told).toHaveLength(4);
    expect(told).toEqual(expect.arrayContaining([
      { type: "identify", createdAt, userId: "bob", email: "bob@x.example", traits: { name: "Bob", 5: [1e21] } },
      { type: "identify", createdAt, userId: "bob", traits: { name: "Bob" } },
      { type: "identify", createdAt, userId: "carl" },
      { type: "group", createdAt, companyId: "acme", userId: "bob", traits: { name: "Acme" } },
    ]));
    expect((await daybook.identityProfile({ email: "bob@x.example" })).events).toBe(1);
    expect((await daybook.topCompanies()).companies).toMatchObject([{ companyId: "acme", name: "Acme" }]);
  });

  test("is gone for good: what stays comes back as it was after opening again, and as a copy in another store", async () => {
    const storage = lastingMemory();
    const daybook = await opened(storage);
    await daybook.seal();
    await erase(daybook, { userId: "ann" });
    // As a commit that fails does: what no journal holds is forgotten, and files hold these.
    storeOf(daybook)?.forgetUnjournaled();
    const left = await recordsOf(daybook);
    await daybook.ingestRecords([{ type: "identify", id: "dora", createdAt, userId: "dora", traits: { plan: "pro" } }]);
    await daybook.seal();
    const all = await recordsOf(daybook);
    expect(all).toHaveLength(left.length + 1);
    await daybook.close();
    expect(await verifyStore(storage)).toMatchObject({ findings: [] });
    await using again = await openDaybook({ storage, clock: fixedClock(NOW) });
    expect(await recordsOf(again)).toEqual(all);
    await using copy = await openDaybook({ storage: lastingMemory(), clock: fixedClock(NOW) });
    expect(await copy.ingestRecords(all)).toMatchObject({ accepted: all.length, rejected: [] });
    expect(await recordsOf(copy)).toEqual(all);
    expect(await again.ingestRecords(all)).toMatchObject({ accepted: 0, duplicates: all.length });
  });

  test("stays out when others tell it again of a time before, and is welcome later", async () => {
    const storage = lastingMemory();
    const daybook = await opened(storage);
    await erase(daybook, { userId: "ann" });
    const again = records.map((record): RecordInput => ("id" in record ? { ...record, id: `${record.id ?? ""} late` } : record));
    const { accepted, rejected } = await daybook.ingestRecords(again);
    expect([accepted, rejected.map(({ index, code }) => [index, code])]).toEqual([4, [[0, "suppressed"]]]);
    const told = (await recordsOf(daybook)).map((record): object => ({ ...record, id: undefined }));
    // Late or early, what others say is stored without it.
    expect(told.filter((record) => "userId" in record && record.userId === "carl")).toEqual(Array(2).fill({ type: "identify", createdAt, userId: "carl" }));
    await daybook.seal();
    expect(await storedText(storage)).not.toContain(SECRET);
    const later = { ...records[1], id: "later", createdAt: "2026-03-31T12:00:00.001Z" } as RecordInput;
    expect(await daybook.ingestRecords([later])).toMatchObject({ accepted: 1 });
  });

  test("goes from the traits of others where nothing else is known of it", async () => {
    const storage = lastingMemory();
    const daybook = await opened(storage, records.slice(1));
    expect((await erase(daybook, { email: "Ann@Zebra.example" })).receipt).toMatchObject({ events: 0, identifyCalls: 0, emails: 0, dictionaryValues: 3 });
    expect(await storedText(storage)).not.toContain(SECRET);
  });

  test("goes from the traits of others where a user id is the email", async () => {
    const storage = lastingMemory();
    const daybook = await opened(storage, [{ type: "identify", createdAt, userId: "Ann@Zebra.example" }, ...records.slice(1)]);
    await erase(daybook, { userId: "Ann@Zebra.example" });
    expect(await storedText(storage)).not.toContain(SECRET);
    await daybook.ingestRecords([{ ...records[1], id: "late" } as RecordInput, { type: "group", createdAt, companyId: "acme", userId: "bob", traits: { email: "ann@zebra.example" } }]);
    expect(await storedText(storage)).not.toContain(SECRET);
  });

  test.each<[string, RecordInput]>([
    ["is known by it", { type: "identify", createdAt, userId: "dora", email: "ann@zebra.example" }],
    ["is known by it from their traits", { type: "identify", createdAt, userId: "dora", traits: { email: "ann@zebra.example" } }],
    ["has it as user id", { type: "identify", createdAt, userId: "ANN@zebra.example" }],
  ])("stays where somebody else %s: it is theirs too", async (_, dora) => {
    const daybook = await opened(lastingMemory(), [...records, dora]);
    const before = await recordsOf(daybook);
    await erase(daybook, { userId: "ann" });
    expect(await recordsOf(daybook)).toEqual(before.filter((record) => !("userId" in record && record.userId === "ann")));
    expect(await daybook.ingestRecords(records)).toMatchObject({ duplicates: 4, rejected: [{ index: 0, code: "suppressed" }] });
  });

  test("leaves nothing of an erasure that failed: neither the traits of others without it, nor a change of theirs", async () => {
    const storage = lastingMemory();
    const daybook = await opened(storage);
    const before = await recordsOf(daybook);
    await daybook.seal();
    const traits = storeOf(daybook)?.dictionaries.named("traits").values.slice();
    const write = storage.write.bind(storage);
    storage.write = (key, bytes, options) => (key.startsWith("identities/") ? Promise.reject(new Error("EIO")) : write(key, bytes, options));
    await expect(erase(daybook, { userId: "ann" })).rejects.toThrow("EIO");
    expect(storeOf(daybook)?.dictionaries.named("traits").values).toEqual(traits);
    expect(await recordsOf(daybook)).toEqual(before);
    storage.write = write;
    await erase(daybook, { userId: "ann" });
    await daybook.close();
    expect(await storedText(storage)).not.toContain(SECRET);
  });
});

test("Whoever was erased is nobody, also while somebody still reads what was, and somebody new once the id comes back.", async () => {
  let nowMs = NOW;
  await using daybook = await openDaybook({ storage: memoryStorage(), clock: { now: () => nowMs } });
  await daybook.ingest([{ name: "visit", userId: "ann@x.example", createdAt }, { name: "visit", userId: "bob", createdAt }]);
  const export_ = daybook.exportEvents()[Symbol.asyncIterator]();
  await export_.next();
  const erasing = erase(daybook, { userId: "ann@x.example" });
  while ((await daybook.privacyRequests.list())[0]?.resolution !== "completed") await setImmediate();
  await expect(daybook.identityProfile({ email: "ann@x.example" })).rejects.toMatchObject({ code: "identity_not_found" });
  nowMs += 1_000;
  await daybook.ingest([{ name: "visit", userId: "ann@x.example" }]);
  const { identityId } = await daybook.identityProfile({ email: "ann@x.example" });
  const filters = [{ fieldName: "identityId", operator: "=", value: identityId } as const];
  expect(await daybook.countEvents({ filterGroups: [{ filters }] })).toBe(1);
  await export_.return?.();
  await erasing;
  expect(await daybook.identityProfile({ email: "ann@x.example" })).toMatchObject({ identityId, events: 1 });
});

test("An email that others say in changes of a trait is cut out of these too, of lists alone.", async () => {
  const told: readonly RecordInput[] = [
    { type: "identify", id: "ann", createdAt, userId: "ann", email: "ann@zebra.example" },
    { type: "identify", id: "bob", createdAt, userId: "bob", traits: { $append: { email: "Ann@zebra.example", seen: 1 }, $union: { email: ["ann@zebra.example", "bob@x.example"] } } },
  ];
  const daybook = await opened(lastingMemory(), told);
  await erase(daybook, { userId: "ann" });
  const bob = (await recordsOf(daybook)).find((record) => record.type === "identify");
  expect(bob).toMatchObject({ traits: { $append: { seen: 1 }, $union: { email: ["bob@x.example"] } } });
  expect(JSON.stringify(bob).toLowerCase()).not.toContain(SECRET);
  await daybook.close();
});
