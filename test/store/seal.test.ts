import { DaybookError, openDaybook } from "daybook";
import { expect, test } from "vitest";
import { RecordingStorage } from "./recording-storage.js";

const event = (day: number) => ({ id: `e${day}`, name: "view", createdAt: new Date(day * 86_400_000) });
const events = Array.from({ length: 5 }, (_, day) => event(day));

test.each(["write dictionaries/", "sync segments/"])("A seal that fails at %s takes its files away again, and a later one succeeds.", async (prefix) => {
  const storage = new RecordingStorage();
  await using daybook = await openDaybook({ storage });
  await daybook.ingest(events);
  storage.before = (operation) => {
    if (operation.startsWith(prefix)) throw new DaybookError("storage_full", operation);
  };
  await expect(daybook.seal()).rejects.toMatchObject({ code: "storage_full" });
  expect([...(await storage.list("segments/")), ...(await storage.list("dictionaries/"))]).toEqual([]);
  storage.before = () => undefined;
  await daybook.seal();
  expect(await daybook.stats()).toMatchObject({ segmentCount: 5, headRowCount: 0, eventCount: 5 });
});

test("Opening a store of many days holds few files open at once.", async () => {
  const storage = new RecordingStorage();
  const writer = await openDaybook({ storage });
  await writer.ingest(Array.from({ length: 200 }, (_, day) => event(day)));
  await writer.close();
  let openCount = 0;
  let mostCount = 0;
  const read = storage.read.bind(storage);
  storage.read = async (key, range) => {
    openCount += 1;
    mostCount = Math.max(mostCount, openCount);
    await new Promise((resolve) => setImmediate(resolve));
    openCount -= 1;
    return await read(key, range);
  };
  await using daybook = await openDaybook({ storage });
  expect(await daybook.countEvents()).toBe(200);
  expect(mostCount).toBeLessThanOrEqual(32);
});
