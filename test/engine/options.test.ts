import { memoryStorage, openDaybook, verifyStore, type Daybook, type EventRecord, type Storage } from "daybook";
import { fileStorage } from "daybook/node";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { lastingMemory, objectsOf, storageWith } from "../store/objects.js";

const events = Array.from({ length: 10 }, (_, at) => ({ id: `e${at}`, name: "view", createdAt: new Date(at * 86_400_000) }));

test("A query whose signal is aborted stops with aborted and answers nothing.", async () => {
  await using daybook = await openDaybook({ storage: memoryStorage() });
  await daybook.ingest(events);
  const signal = AbortSignal.abort();
  await expect(daybook.countEvents({}, { signal })).rejects.toMatchObject({ code: "aborted" });
  await expect(daybook.searchEvents({}, { signal })).rejects.toMatchObject({ code: "aborted" });
  expect(await daybook.countEvents({}, { signal: new AbortController().signal })).toBe(10);
});

test("An aborted signal stops the query of an empty store too.", async () => {
  await using daybook = await openDaybook({ storage: memoryStorage() });
  await expect(daybook.countEvents({}, { signal: AbortSignal.abort() })).rejects.toMatchObject({ code: "aborted" });
});

test.each([
  ["options", undefined],
  ["storage", { storage: {} }],
  ["durability", { storage: memoryStorage(), durability: "fast" }],
  ["memoryBudgetBytes", { storage: memoryStorage(), memoryBudgetBytes: Number.NaN }],
  ["memoryBudgetBytes", { storage: memoryStorage(), memoryBudgetBytes: "1" }],
  ["memoryBudgetBytes", { storage: memoryStorage(), memoryBudgetBytes: -1 }],
  ["readOnly", { storage: memoryStorage(), readOnly: "yes" }],
  ["follow", { storage: memoryStorage(), readOnly: true, follow: "yes" }],
  ["follow", { storage: memoryStorage(), follow: true }],
  ["follow", { storage: memoryStorage(), readOnly: false, follow: true }],
  ["clock", { storage: memoryStorage(), clock: Date.now }],
  ["rates", { storage: memoryStorage(), rates: { EUR: 1 } }],
  ["onNotify", { storage: memoryStorage(), onNotify: "log" }],
  ["scrub", { storage: memoryStorage(), scrub: true }],
])("A wrong %s is refused, not guessed at.", async (param, options) => {
  await expect(openDaybook(options as never)).rejects.toMatchObject({ code: "invalid_parameter", details: { param } });
});

test.each([
  ["memoryBudget", { storage: memoryStorage(), memoryBudget: 1e9 }],
  ["readonly", { storage: memoryStorage(), readonly: true }],
  ["scrub.bytesPerHour", { storage: memoryStorage(), scrub: { bytesPerHour: 1 } }],
  ["session.gap", { storage: memoryStorage(), session: { gap: 1 } }],
])("The option %s, which nobody knows, is refused by its name.", async (param, options) => {
  const opening = openDaybook(options as never);
  await expect(opening).rejects.toMatchObject({ details: { param }, message: expect.stringContaining("allowed: ") as string });
});

test.each([
  ["memory", memoryStorage],
  ["an absent directory", () => fileStorage(join(tmpdir(), "daybook-nobody-made-this", String(process.pid)))],
])("Where no store was made, in %s, there is nothing to read: no answer of 0.", async (_place, place) => {
  const storage = place();
  await expect(openDaybook({ storage, readOnly: true })).rejects.toMatchObject({ code: "manifest_missing" });
  expect(await storage.list("")).toEqual([]);
});

test("The reporting currency is kept, USD by default, and anything but three capital letters is refused.", async () => {
  await using daybook = await openDaybook({ storage: memoryStorage() });
  expect(daybook.currency).toBe("USD");
  await using other = await openDaybook({ storage: memoryStorage(), currency: "EUR" });
  expect(other.currency).toBe("EUR");
  await expect(openDaybook({ storage: memoryStorage(), currency: "euro" })).rejects.toMatchObject({ code: "invalid_parameter" });
});

test("onNotify hears of each accepted event that asks for it, once, and what it throws harms nothing.", async () => {
  const heard: EventRecord[] = [];
  const onNotify = (event: EventRecord) => {
    heard.push(event);
    throw new Error("the hook's own fault");
  };
  await using daybook = await openDaybook({ storage: memoryStorage(), onNotify });
  const noisy = { id: "n", name: "Signed Up", notify: true, createdAt: new Date(5), metadata: { plan: "pro" } };
  expect(await daybook.ingest([noisy, ...events, noisy])).toMatchObject({ accepted: 11, duplicates: 1 });
  expect(heard).toEqual((await daybook.searchEvents({ eventName: "Signed Up", allFields: false })).events);
});

test("In os mode an ingest does not wait for a sync, and one follows within a second.", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  try {
    let syncCount = 0;
    const storage = countingSyncs(() => (syncCount += 1));
    const daybook = await openDaybook({ storage, durability: "os" });
    await daybook.ingest(events);
    expect(syncCount).toBe(0);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(syncCount).toBe(1);
    await daybook.close();
  } finally {
    vi.useRealTimers();
  }
});

/** Memory storage without a lock whose journals tell of each sync. */
function countingSyncs(onSync: () => void): Storage {
  const inner = memoryStorage();
  return {
    list: (prefix) => inner.list(prefix),
    read: (key, range) => inner.read(key, range),
    write: (key, bytes, options) => inner.write(key, bytes, options),
    remove: (key) => inner.remove(key),
    sync: (keys) => inner.sync(keys),
    openAppend: async (key) => {
      const file = await inner.openAppend?.(key);
      if (file === undefined) throw new Error("memory storage appends");
      return {
        get byteLength() {
          return file.byteLength;
        },
        write: (bytes) => file.write(bytes),
        truncate: (byteLength) => file.truncate(byteLength),
        close: () => file.close(),
        sync: () => {
          onSync();
          return file.sync();
        },
      };
    },
  };
}

test("Exporting takes a project and dates, and refuses what it would not heed.", async () => {
  await using daybook = await openDaybook({ storage: memoryStorage() });
  await daybook.ingest(events);
  const first = async (input: object | null) => {
    for await (const event of daybook.exportEvents(input as object)) return event.createdAt;
    return null;
  };
  expect(await first({ startDate: "1970-01-03" })).toBe("1970-01-03T00:00:00.000Z");
  expect(await first(null)).toBe(await first({}));
  await expect(first({ userId: "ann" })).rejects.toMatchObject({ code: "unknown_parameter" });
});

test("A reader beside a writer in memory, where there is no journal, sees all that was answered for, and a reader of one that closes too.", async () => {
  const storage = memoryStorage();
  const writer = await openDaybook({ storage });
  await writer.ingest(events.slice(0, 4));
  await using first = await openDaybook({ storage, readOnly: true });
  await writer.ingest(events.slice(4));
  await using second = await openDaybook({ storage, readOnly: true });
  await writer.ingest([{ name: "last", createdAt: new Date(5) }]);
  const closed = writer.close();
  await using third = await openDaybook({ storage, readOnly: true });
  expect([await first.countEvents(), await second.countEvents(), await third.countEvents()]).toEqual([4, 10, 11]);
  await closed;
});

test("What was written to memory and closed is all there when it is opened again, and as a copy in another storage.", async () => {
  const storage = memoryStorage();
  const first = await openDaybook({ storage });
  await first.ingest(Array.from({ length: 3_000 }, (_, at) => ({ name: "view", userId: `u${at % 700}`, createdAt: new Date(5 + at), metadata: { at } })));
  await first.identify({ userId: "u1", anonymousId: "device" });
  const found = async (daybook: Daybook) => [await daybook.countEvents(), await daybook.aggregate({ metadataField: "at" }), await daybook.identityProfile({ userId: "u1" })];
  const expected = await found(first);
  await first.close();
  const copy = await storageWith(await objectsOf(storage));
  for (const place of [storage, copy]) {
    expect(await verifyStore(place)).toMatchObject({ findings: [] });
    await using again = await openDaybook({ storage: place });
    expect(await found(again)).toEqual(expected);
  }
});

test("A reader beside a writer refuses to write, and leaves the writer's files alone.", async () => {
  const storage = lastingMemory();
  await using writer = await openDaybook({ storage });
  await writer.ingest(events);
  const before = await storage.list("");
  await using reader = await openDaybook({ storage, readOnly: true });
  expect(await reader.countEvents()).toBe(10);
  await expect(reader.seal()).rejects.toMatchObject({ code: "read_only" });
  await expect(reader.ingest(events)).rejects.toMatchObject({ code: "read_only" });
  await expect(reader.createProject("p")).rejects.toMatchObject({ code: "read_only" });
  await reader.close();
  expect(await storage.list("")).toEqual(before);
});
