import { memoryStorage, openDaybook } from "daybook";
import { expect, test, vi } from "vitest";
import { useLimits } from "../limits.js";

const bounds = { dictionaryBytes: 100_000, columnCount: 400, headColumnCount: 100, headValueCount: 5_000, shapeStepCount: 50 };

useLimits(bounds);

const DAY_MS = 86_400_000;

test("Values that would take too much memory in all are rejected event by event, wherever they stand; known ones go on being accepted.", async () => {
  await using daybook = await openDaybook({ storage: memoryStorage() });
  const known = { name: "a", url: "/known", metadata: { key: "known" } };
  const hostile = Array.from({ length: 3_000 }, (_, at) => ({ name: "a", metadata: { key: `${at} ${"x".repeat(100)}` } }));
  await daybook.ingest([known]);
  const { accepted, rejected } = await daybook.ingest(hostile);
  expect(accepted).toBeGreaterThan(200);
  expect(accepted).toBeLessThan(1_000);
  expect(accepted + rejected.length).toBe(3_000);
  expect(new Set(rejected.map(({ code, message }) => `${code} ${message}`))).toEqual(
    new Set(["invalid_event metadata.key: would exceed this store's limit of 100000 bytes of distinct values"]),
  );
  const rest = [known, { name: "a", url: "/new" }, { name: "new" }, { name: "a", metadata: { new: 1 } }, { name: "a", metadata: {} }, { name: "a", userId: "new" }];
  expect((await daybook.ingest(rest)).rejected.map(({ index, message }) => [index, message.split(":")[0]])).toEqual([
    [1, "url"],
    [2, "name"],
    [3, "metadata.new"],
    [5, "userId"],
  ]);
  await expect(daybook.identify({ userId: "new", traits: {} })).rejects.toMatchObject({ code: "invalid_parameter", details: { param: "userId" } });
  expect(await daybook.countEvents()).toBe(1 + accepted + 2);
});

test("What an erasure or a failed commit takes away makes room again.", async () => {
  const storage = memoryStorage();
  await using daybook = await openDaybook({ storage });
  const full = Array.from({ length: 2_000 }, (_, at) => ({ name: "a", userId: "u", metadata: { key: `${at} ${"x".repeat(100)}` } }));
  expect((await daybook.ingest(full)).rejected.length).toBeGreaterThan(0);
  const request = await daybook.privacyRequests.create({ type: "erasure", subject: { userId: "u" } });
  await daybook.privacyRequests.verify(request.id);
  await daybook.privacyRequests.acknowledge(request.id);
  await daybook.privacyRequests.resolve(request.id, "completed");
  expect(await daybook.ingest([{ name: "a", metadata: { key: "again" } }])).toMatchObject({ accepted: 1, rejected: [] });
});

test("Metadata in memory, where no journal tells how much there is, is sealed by the number of its values.", async () => {
  await using daybook = await openDaybook({ storage: memoryStorage() });
  const many = (from: number) => Array.from({ length: 400 }, (_, at) => ({ id: `e${from + at}`, name: "a", createdAt: new Date(5), metadata: { a: 1, b: 2, c: at % 7, d: null, e: "" } }));
  await daybook.ingest(many(0));
  await daybook.ingest(many(400));
  expect((await daybook.stats()).segmentCount).toBe(0);
  await daybook.ingest(many(800));
  await vi.waitFor(async () => expect((await daybook.stats()).segmentCount).toBe(1));
});

test("Keys over many days are sealed before they fill the memory, and rejected where a store would have too many columns.", async () => {
  await using daybook = await openDaybook({ storage: memoryStorage() });
  const eventOn = (day: number, keys: readonly number[]) => ({ name: "a", createdAt: new Date(day * DAY_MS), metadata: Object.fromEntries(keys.map((key) => [`k${key}`, 1])) });
  const keys = Array.from({ length: 20 }, (_, at) => at);
  let accepted = 0;
  const messages = new Set<string>();
  for (let day = 0; day < 40; day += 1) {
    const result = await daybook.ingest([eventOn(day, keys)]);
    accepted += result.accepted;
    for (const { message } of result.rejected) messages.add(message);
  }
  expect(accepted).toBeGreaterThanOrEqual(15);
  expect(accepted).toBeLessThanOrEqual(20);
  expect([...messages]).toEqual(["metadata.k0: would exceed this store's limit of 400 metadata columns (one per key and day)"]);
  await vi.waitFor(async () => expect((await daybook.stats()).segmentCount).toBeGreaterThan(0));
  const rest = [eventOn(0, keys), eventOn(39, []), eventOn(0, [99])];
  expect((await daybook.ingest(rest)).rejected.map(({ index }) => index)).toEqual([2]);
  expect(await daybook.countEvents()).toBe(accepted + 2);
});

test("Lists of keys in ever new orders come back as they came, though their paths are forgotten.", async () => {
  await using daybook = await openDaybook({ storage: memoryStorage() });
  const rotated = (by: number) => Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`k${(at * 2 + by) % 9}`, at]));
  const events = Array.from({ length: 60 }, (_, at) => ({ id: `e${at}`, name: "a", createdAt: new Date(at), metadata: rotated(at) }));
  await daybook.ingest(events);
  await daybook.ingest(events.map((event, at) => ({ ...event, id: `f${at}`, createdAt: new Date(100 + at) })));
  await daybook.ingest([{ name: "a", createdAt: new Date(200) }]);
  const { events: found } = await daybook.searchEvents({ limit: 1_000 });
  const expected = [...events, ...events, { metadata: {} }].map(({ metadata }) => JSON.stringify(metadata)).reverse();
  expect(found.map(({ metadata }) => JSON.stringify(metadata))).toEqual(expected);
});
