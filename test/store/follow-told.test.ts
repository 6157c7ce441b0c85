import { type Daybook, type Storage } from "daybook";
import { describe, expect, test } from "vitest";
import { useLimits } from "../limits.js";
import { follow, ingest, open, sleep } from "./follow-kit.js";
import { lastingMemory } from "./objects.js";

/** A storage that tells of changes when a test says so. */
function tellingStorage() {
  const storage = lastingMemory();
  const listeners = new Set<() => void>();
  let readCount = 0;
  const reading: Storage = {
    list: (prefix) => storage.list(prefix),
    read: (key, range) => {
      readCount += 1;
      return storage.read(key, range);
    },
    write: (key, bytes, options) => storage.write(key, bytes, options),
    remove: (key) => storage.remove(key),
    sync: (keys) => storage.sync(keys),
    watch: (changed) => {
      listeners.add(changed);
      return () => void listeners.delete(changed);
    },
  };
  return { storage, reading, listeners, reads: () => readCount };
}

function nextChange(follower: Daybook): Promise<number> {
  return follower.changes()[Symbol.asyncIterator]().next().then((next) => (next.done === true ? NaN : next.value.sequence));
}

describe("A follower of a storage that tells of changes", () => {
  useLimits({ followMs: 10, followSettleMs: 20, followLateMs: 100_000, followUnreportedMs: 100_000 });

  test("reads nothing while it is told of none, and shows what it was told of, also where that settles only later", async () => {
    const { storage, reading, listeners, reads } = tellingStorage();
    const writer = await open(storage);
    const follower = await follow(reading);
    const change = nextChange(follower);
    let before = 0;
    while (before !== reads()) {
      before = reads();
      await sleep(100);
    }
    await ingest(writer, "a", 3);
    await sleep(100);
    expect(reads()).toBe(before);
    for (const tell of listeners) tell();
    expect(await change).toBe(3);
    expect(await follower.countEvents()).toBe(3);
    await follower.close();
    expect(listeners.size).toBe(0);
  });
});

describe("A follower of a storage that leaves a call out", () => {
  useLimits({ followMs: 10, followSettleMs: 20, followUnreportedMs: 100 });

  test("looks all the same after a while", async () => {
    const { storage, reading } = tellingStorage();
    const writer = await open(storage);
    const follower = await follow(reading);
    // The first may be seen by the look that every follower begins with.
    for (const sequence of [3, 6]) {
      const change = nextChange(follower);
      await ingest(writer, "a", 3);
      expect(await change).toBe(sequence);
    }
  });
});
