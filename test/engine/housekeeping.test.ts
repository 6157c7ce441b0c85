import { memoryStorage, openDaybook } from "daybook";
import { expect, test, vi } from "vitest";
import { Turns } from "../../src/base/turn.js";
import type * as limits from "../../src/base/limits.js";
import { turnsOfOthers } from "../testing/turns-of-others.js";

vi.mock("../../src/base/limits.js", async (original) => {
  const { LIMITS } = await original<typeof limits>();
  return { LIMITS: { ...LIMITS, headRowCount: 1_000, turnValueCount: 4_000 } };
});

let nextId = 0;
const events = (count: number) => Array.from({ length: count }, () => ({ id: `e${(nextId += 1)}`, name: "view", createdAt: nextId % 97, url: `/${nextId % 13}` }));

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

test("A seal does not wait for a compaction under way, and neither loses what the other did.", async () => {
  const storage = memoryStorage();
  let compact: () => void = () => undefined;
  const mayCompact = new Promise<void>((resolve) => (compact = resolve));
  const { write } = storage;
  let sealedByteLength = 0;
  storage.write = async (key, bytes, options) => {
    // A file of several seals is much longer than one of the first.
    if (key.startsWith("segments/")) sealedByteLength ||= bytes.length;
    if (key.startsWith("segments/") && bytes.length > 3 * sealedByteLength) await mayCompact;
    await write.call(storage, key, bytes, options);
  };
  const daybook = await openDaybook({ storage });
  for (let batch = 0; batch < 70; batch += 1) {
    await daybook.ingest(events(100));
    if (batch % 10 === 9) await vi.waitFor(async () => expect((await daybook.stats()).headRowCount).toBe(0), 10_000);
  }
  expect(await daybook.stats()).toMatchObject({ segmentCount: 7, eventCount: 7_000 });
  compact();
  await vi.waitFor(async () => expect((await daybook.stats()).segmentCount).toBe(3), 10_000);
  await daybook.close();
  await using again = await openDaybook({ storage });
  expect(await again.stats()).toMatchObject({ segmentCount: 3, eventCount: 7_000, headRowCount: 0 });
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
  const hurry = vi.spyOn(Turns.prototype, "hurry");
  const took = vi.spyOn(Turns.prototype, "took");
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
  expect(took.mock.contexts.filter((turns) => turns === hurry.mock.contexts[0]).length).toBeGreaterThan(20);
});
