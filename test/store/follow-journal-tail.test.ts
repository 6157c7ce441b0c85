import type { Storage } from "daybook";
import { expect, test } from "vitest";
import { JournalTail } from "../../src/store/follow/journal-tail.js";
import { listJournals } from "../../src/store/journal/journal.js";
import { useLimits } from "../limits.js";
import { ingest, open, sleep } from "./follow-kit.js";
import { lastingMemory } from "./objects.js";

useLimits({ followSettleMs: 40 });

test("A commit that comes while the journals are listed slowly has not stood for that long.", async () => {
  const storage = lastingMemory();
  const writer = await open(storage);
  await ingest(writer, "first", 3);
  const [number = 0] = await listJournals(storage);
  let isSlow = true;
  const slow: Storage = {
    list: async (prefix) => {
      if (isSlow) await sleep(80);
      isSlow = false;
      return await storage.list(prefix);
    },
    read: (key, range) => storage.read(key, range),
    write: (key, bytes) => storage.write(key, bytes),
    remove: (key) => storage.remove(key),
    sync: (keys) => storage.sync(keys),
  };
  const tail = new JournalTail(slow, { number, byteLength: 0, lastFrameAt: 0, crc: null }, 1);
  expect(await tail.read()).toEqual({ frames: [], isWaiting: true });
  expect(await tail.read()).toEqual({ frames: [], isWaiting: true });
  await sleep(60);
  expect(await tail.read()).toMatchObject({ frames: [{}], isWaiting: false });
});
