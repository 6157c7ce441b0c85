import { memoryStorage, openDaybook } from "daybook";
import type { Daybook } from "daybook";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterEach, expect, onTestFinished, test, vi } from "vitest";
import { Yielder } from "../../src/core/base/yield.js";
import { Head } from "../../src/storage/segment/head.js";
import { Store } from "../../src/store/live/store.js";
import { useLimits } from "../limits.js";
import { turnsOfOthers } from "../testing/turns-of-others.js";

useLimits({ headRowCount: 1_000, turnValueCount: 4_000, segmentsPerLateDayCount: 6, segmentsToMergeCount: 20, quietRowCount: 500, quietMs: 20, lastMergedRowCount: 26_000 });

afterEach(() => void vi.restoreAllMocks());

let nextId = 0;
const events = (count: number, dayCount = 1) =>
  Array.from({ length: count }, () => ({ id: `e${(nextId += 1)}`, name: "view", createdAt: new Date((nextId % 97) + (nextId % dayCount) * 86_400_000), url: `/${nextId % 13}` }));

/** A storage whose segments are not written before they may be. */
function gated() {
  const storage = memoryStorage();
  let open: () => void = () => undefined;
  const isOpen = new Promise<void>((resolve) => (open = resolve));
  const written: string[] = [];
  const { write } = storage;
  storage.write = async (key, bytes, options) => {
    if (key.startsWith("segments/")) await isOpen;
    await write.call(storage, key, bytes, options);
    written.push(key);
  };
  return { storage, open: () => open(), segmentKeys: () => written.filter((key) => key.startsWith("segments/")) };
}

test("Events are taken in while a seal is under way, and the next seal begins when they are enough, not before.", async () => {
  const { storage, open, segmentKeys } = gated();
  await using daybook = await openDaybook({ storage });
  await daybook.ingest(events(1_000));
  for (let batch = 0; batch < 9; batch += 1) await daybook.ingest(events(100));
  expect(await daybook.stats()).toMatchObject({ eventCount: 1_900, headRowCount: 1_900, segmentCount: 0 });
  open();
  await vi.waitFor(async () => expect(await daybook.stats()).toMatchObject({ headRowCount: 900, segmentCount: 1 }), 10_000);
  await daybook.ingest(events(100));
  await vi.waitFor(async () => expect(await daybook.stats()).toMatchObject({ headRowCount: 0, segmentCount: 2 }), 10_000);
  expect(segmentKeys()).toHaveLength(2);
});

/** A storage that does not write files of several seals, which are much longer than one of the first, before they may be. */
function gatedCompaction() {
  const storage = memoryStorage();
  let [begin, compact]: (() => void)[] = [];
  const begun = new Promise<void>((resolve) => (begin = resolve));
  const mayCompact = new Promise<void>((resolve) => (compact = resolve));
  const { write } = storage;
  let sealedByteLength = 0;
  storage.write = async (key, bytes, options) => {
    if (key.startsWith("segments/")) sealedByteLength ||= bytes.length;
    if (key.startsWith("segments/") && bytes.length > 3 * sealedByteLength) {
      begin?.();
      await mayCompact;
    }
    await write.call(storage, key, bytes, options);
  };
  return { storage, begun, compact: () => compact?.() };
}

/** Resolves once there are so many rows in heads, and so many segments. Needs no timer. */
async function until(daybook: Daybook, expected: { readonly headRowCount?: number; readonly segmentCount?: number }): Promise<void> {
  for (let tries = 0; ; tries += 1) {
    const stats = await daybook.stats();
    if (Object.entries(expected).every(([name, count]) => stats[name as keyof typeof expected] === count)) return;
    if (tries > 200_000) expect(stats).toMatchObject(expected);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Ingests so many thousand events, each thousand sealed before the next comes. */
async function ingestSealed(daybook: Daybook, sealCount: number, dayCount = 1): Promise<void> {
  for (let seal = 0; seal < sealCount; seal += 1) {
    await daybook.ingest(events(1_000, dayCount));
    await until(daybook, { headRowCount: 0 });
  }
}

/** Timers come due when the test says so. */
function stoppedClock(): void {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
}

test("A seal does not wait for a compaction under way, and neither loses what the other did.", async () => {
  const { storage, begun, compact } = gatedCompaction();
  const daybook = await openDaybook({ storage });
  await ingestSealed(daybook, 5);
  await begun;
  await ingestSealed(daybook, 2);
  expect(await daybook.stats()).toMatchObject({ segmentCount: 7, eventCount: 7_000 });
  compact();
  await vi.waitFor(async () => expect((await daybook.stats()).segmentCount).toBe(3), 10_000);
  await daybook.close();
  await using again = await openDaybook({ storage });
  expect(await again.stats()).toMatchObject({ segmentCount: 3, eventCount: 7_000, headRowCount: 0 });
});

test("While a compaction is under way nothing of the seals that wait for it is held.", async () => {
  const { append } = Head.prototype;
  const heads = new Set<WeakRef<Head>>();
  Head.prototype.append = function (...rest) {
    heads.add(new WeakRef(this));
    return append.apply(this, rest);
  };
  onTestFinished(() => void (Head.prototype.append = append));
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const { storage, begun, compact } = gatedCompaction();
  await using daybook = await openDaybook({ storage });
  await ingestSealed(daybook, 5);
  await begun;
  await ingestSealed(daybook, 3);
  expect((await daybook.stats()).segmentCount).toBe(8);
  await new Promise((resolve) => setTimeout(resolve, 10));
  collect();
  const heldCount = [...heads].filter((head) => head.deref() !== undefined).length;
  compact();
  // The last ones were looked at just now.
  expect([heads.size >= 8, heldCount]).toEqual([true, expect.toSatisfy((count: number) => count <= 2)]);
});

test("Of the files of segments nothing is held that was written, or read to open them.", async () => {
  const storage = memoryStorage();
  const { read, write, hold } = storage;
  const seen: WeakRef<Uint8Array>[] = [];
  const note = (key: string, bytes: Uint8Array | null) => void (bytes !== null && key.startsWith("segments/") && seen.push(new WeakRef(bytes)));
  storage.read = async (key, range) => {
    const bytes = (await read.call(storage, key, range))?.slice() ?? null;
    note(key, bytes);
    return bytes;
  };
  storage.hold = async (key) => {
    const held = (await hold?.call(storage, key)) ?? null;
    if (held === null) return null;
    return {
      read: async (range) => {
        const bytes = (await held.read(range)).slice();
        note(key, bytes);
        return bytes;
      },
      release: () => held.release(),
    };
  };
  storage.write = async (key, bytes, options) => {
    note(key, bytes);
    await write.call(storage, key, bytes.slice(), options);
  };
  const daybook = await openDaybook({ storage });
  await ingestSealed(daybook, 3);
  await using reader = await openDaybook({ storage, readOnly: true });
  expect((await reader.stats()).segmentCount).toBe(3);
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  await new Promise((resolve) => setTimeout(resolve, 10));
  collect();
  const heldByteLength = seen.reduce((sum, bytes) => sum + (bytes.deref()?.byteLength ?? 0), 0);
  expect([seen.length, heldByteLength]).toEqual([6, 0]);
  await daybook.close();
});

test("A compaction waits for nothing and takes longer turns once a day has many more segments than it should, and no sooner.", async () => {
  stoppedClock();
  const hurry = vi.spyOn(Yielder.prototype, "hurry");
  const { storage, begun, compact } = gatedCompaction();
  await using daybook = await openDaybook({ storage });
  await ingestSealed(daybook, 5);
  await vi.advanceTimersByTimeAsync(20);
  await begun;
  await ingestSealed(daybook, 7);
  expect((await daybook.stats()).segmentCount).toBe(12);
  expect(hurry).not.toHaveBeenCalled();
  compact();
  // One of five and seven that came since: more than six.
  await until(daybook, { segmentCount: 1 });
  expect(hurry).toHaveBeenCalledTimes(1);
});

test("A compaction waits until next to nothing comes for a moment.", async () => {
  stoppedClock();
  await using daybook = await openDaybook({ storage: memoryStorage() });
  await ingestSealed(daybook, 5);
  await daybook.ingest(events(501));
  await vi.advanceTimersByTimeAsync(20);
  // It waits anew.
  expect(vi.getTimerCount()).toBe(1);
  await daybook.ingest(events(400));
  expect(await daybook.stats()).toMatchObject({ segmentCount: 5, headRowCount: 901 });
  await vi.advanceTimersByTimeAsync(20);
  await until(daybook, { segmentCount: 1 });
});

test("One quiet moment is enough for the compactions of several days.", async () => {
  stoppedClock();
  await using daybook = await openDaybook({ storage: memoryStorage() });
  await ingestSealed(daybook, 5, 3);
  await vi.advanceTimersByTimeAsync(20);
  await until(daybook, { segmentCount: 3 });
});

test("A compaction that somebody waits for begins at once, the next one waits again.", async () => {
  stoppedClock();
  await using daybook = await openDaybook({ storage: memoryStorage() });
  await ingestSealed(daybook, 5);
  await Promise.all([daybook.seal(), daybook.privacyRequests.create({ type: "access", subject: { userId: "nobody" } })]);
  expect((await daybook.stats()).segmentCount).toBe(1);
  await ingestSealed(daybook, 4);
  for (let turn = 0; turn < 100; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  expect([vi.getTimerCount(), (await daybook.stats()).segmentCount]).toEqual([1, 5]);
});

test("Many days of a few segments each are too many as well.", async () => {
  stoppedClock();
  const hurry = vi.spyOn(Yielder.prototype, "hurry");
  await using daybook = await openDaybook({ storage: memoryStorage() });
  await ingestSealed(daybook, 5, 4);
  expect([vi.getTimerCount(), (await daybook.stats()).segmentCount]).toEqual([1, 20]);
  expect(hurry).not.toHaveBeenCalled();
  await ingestSealed(daybook, 1, 4);
  // One day has become one: what is left may wait.
  await until(daybook, { segmentCount: 19 });
  for (let turn = 0; turn < 100; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  expect([vi.getTimerCount(), hurry.mock.calls.length, (await daybook.stats()).segmentCount]).toEqual([1, 1, 19]);
});

test("What a seal failed with is forgotten as soon as the next one went well, whatever compactions wait for.", async () => {
  stoppedClock();
  const storage = memoryStorage();
  const { write } = storage;
  await using daybook = await openDaybook({ storage });
  await ingestSealed(daybook, 5);
  storage.write = () => Promise.reject(new Error("no room"));
  await expect(daybook.seal()).rejects.toThrow("no room");
  expect((await daybook.stats()).sealError).toBe("no room");
  storage.write = write.bind(storage);
  await daybook.ingest(events(70_000));
  await until(daybook, { headRowCount: 0 });
  expect((await daybook.stats()).sealError).toBeNull();
});

test("A store that takes no writes compacts nothing.", async () => {
  stoppedClock();
  const storage = memoryStorage();
  const daybook = await openDaybook({ storage });
  await ingestSealed(daybook, 5);
  vi.spyOn(Store.prototype, "isWritable", "get").mockReturnValue(false);
  const write = vi.spyOn(storage, "write");
  await vi.advanceTimersByTimeAsync(20);
  await daybook.close();
  expect(write).not.toHaveBeenCalled();
});

/** The last step of an erasure of somebody whom nothing tells of. */
async function erase(daybook: Daybook): Promise<void> {
  const { id } = await daybook.privacyRequests.create({ type: "erasure", subject: { userId: "nobody" } });
  await daybook.privacyRequests.verify(id);
  await daybook.privacyRequests.acknowledge(id);
  await daybook.privacyRequests.resolve(id, "completed");
}

test("An erasure waits for the compaction under way.", async () => {
  const { storage, begun, compact } = gatedCompaction();
  await using daybook = await openDaybook({ storage });
  await ingestSealed(daybook, 5);
  await begun;
  let isErased = false;
  const erasing = erase(daybook).then(() => (isErased = true));
  for (let turn = 0; turn < 500; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  expect(isErased).toBe(false);
  compact();
  await erasing;
});

test("An erasure neither waits for compactions nor lets one begin, and they come afterwards.", async () => {
  stoppedClock();
  await using daybook = await openDaybook({ storage: memoryStorage() });
  await ingestSealed(daybook, 5);
  await erase(daybook);
  expect((await daybook.stats()).segmentCount).toBe(5);
  await vi.advanceTimersByTimeAsync(20);
  await until(daybook, { segmentCount: 1 });
});

test("Closing compacts what is soon done and no more, and waits for no quiet moment.", async () => {
  stoppedClock();
  const storage = memoryStorage();
  const large = await openDaybook({ storage });
  await ingestSealed(large, 6);
  await large.close();
  await using again = await openDaybook({ storage });
  expect(await again.stats()).toMatchObject({ segmentCount: 6, eventCount: 6_000 });
  const other = memoryStorage();
  for (let opening = 0; opening < 5; opening += 1) {
    const small = await openDaybook({ storage: other });
    await small.ingest(events(120, 3));
    await small.close();
  }
  // Of three days there was time for one.
  await using merged = await openDaybook({ storage: other });
  expect(await merged.stats()).toMatchObject({ segmentCount: 11, eventCount: 600 });
});

test("Where closing cannot seal, no compaction begins either.", async () => {
  stoppedClock();
  const storage = memoryStorage();
  const daybook = await openDaybook({ storage });
  await ingestSealed(daybook, 5);
  await daybook.ingest(events(100));
  const write = vi.spyOn(storage, "write").mockRejectedValue(new Error("no room"));
  await expect(daybook.close()).rejects.toThrow("no room");
  for (let turn = 0; turn < 500; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  expect(write).toHaveBeenCalledTimes(1);
});

test("Seals and compactions let others have their turn.", async () => {
  await using daybook = await openDaybook({ storage: memoryStorage() });
  // Some twenty passes over the values of 900 rows, at 4,000 values a turn.
  for (let seal = 0; seal < 4; seal += 1) {
    await daybook.ingest(events(900));
    expect(await turnsOfOthers(() => daybook.seal())).toBeGreaterThan(8);
  }
  await daybook.ingest(events(900));
  expect(await turnsOfOthers(() => daybook.seal())).toBeGreaterThan(40);
  expect((await daybook.stats()).segmentCount).toBe(1);
  expect(await daybook.aggregate({ field: "url", endDate: "1970-01-02" })).toHaveLength(13);
});

test("A seal hurries once an ingest waits for it, and no sooner.", async () => {
  const hurry = vi.spyOn(Yielder.prototype, "hurry");
  const yieldAfter = vi.spyOn(Yielder.prototype, "yieldAfter");
  await using daybook = await openDaybook({ storage: memoryStorage() });
  await daybook.ingest(events(1_000));
  await daybook.ingest(events(900));
  expect(hurry).not.toHaveBeenCalled();
  await daybook.seal();
  const { storage, open } = gated();
  await using other = await openDaybook({ storage });
  await other.ingest(events(1_000));
  // The next thousand is enough for a seal of its own, which waits for the one under way.
  const waiting = other.ingest(events(1_000));
  try {
    await vi.waitFor(() => expect(hurry).toHaveBeenCalledTimes(1), 10_000);
  } finally {
    open();
    await waiting;
  }
  // It is that seal's own work that does.
  expect(yieldAfter.mock.contexts.filter((yielder) => yielder === hurry.mock.contexts[0]).length).toBeGreaterThan(20);
});
