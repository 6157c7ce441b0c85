import { type Daybook, type Storage } from "daybook";
import { fileStorage } from "daybook/node";
import { rename, readlink, readdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { MANIFEST_KEY } from "../../src/store/files/manifest.js";
import { storeOf } from "../../src/engine/open-daybook.js";
import { useLimits } from "../limits.js";
import { longTest } from "../long-test.js";
import { baseSeed, longStride, sliceOf, strideOf } from "../oracle/settings.js";
import { emptyDirectory, erase, expectSame, follow, ingest, listOf, nowMs, open, sleep } from "./follow-kit.js";
import { lastingMemory, objectsOf, storageWith, type Objects } from "./objects.js";

// A second of a follower's time takes a tenth.
useLimits({ followMs: 15, followSettleMs: 10, followLateMs: 50 });

/** Reads of a follower at which its writer goes on: three looks at least, and a query. */
const READ_COUNT = 24;
/** The default suite tries one in so many. */
const STRIDE = strideOf(24, longStride(2));

async function seal(writer: Daybook): Promise<void> {
  await ingest(writer, "sealed", 4);
  await writer.seal();
}

async function compact(writer: Daybook): Promise<void> {
  for (let round = 0; round < 5; round += 1) await seal(writer);
}

/** What a writer does between two reads of a follower, by name. */
const ACTS: Record<string, (writer: Daybook) => Promise<void>> = {
  "ingests": (writer) => ingest(writer, "more", 4),
  "seals": seal,
  "compacts": compact,
  "erases": async (writer) => {
    await erase(writer, "gone");
    // The first of them is known to be synced by the second.
    await ingest(writer, "more", 4);
    await ingest(writer, "more", 4);
  },
  "deletes": (writer) => writer.deleteEvents({ before: new Date(nowMs - 2 * 86_400_000) }).then(() => undefined),
  "closes": (writer) => writer.close(),
};

/** The same storage, calling `look` before each read. */
function watched(storage: Storage, look: () => Promise<void>, holds: boolean): Storage {
  const before = <T>(act: () => Promise<T>) => look().then(act);
  return {
    list: (prefix) => before(() => storage.list(prefix)),
    read: (key, range) => before(() => storage.read(key, range)),
    write: (key, bytes) => storage.write(key, bytes),
    remove: (key) => storage.remove(key),
    sync: (keys) => storage.sync(keys),
    ...(holds && storage.hold !== undefined ? { hold: (key: string) => before(async () => (await storage.hold?.(key)) ?? null) } : {}),
    ...(storage.codec === undefined ? {} : { codec: storage.codec }),
  };
}

/** A store with some segments, events in the journal, and somebody who is going to be erased. */
async function filled(): Promise<Objects> {
  const storage = lastingMemory();
  const writer = await open(storage);
  await ingest(writer, "gone", 2, { userId: "gone" });
  await seal(writer);
  await seal(writer);
  await ingest(writer, "more", 4);
  return await objectsOf(storage);
}

describe.each(sliceOf([["holds files", true], ["holds none", false]], 2))("A follower of a storage that %s", (_name, holds) => {
  test.each(Object.keys(ACTS))("answers for one state wholly where its writer %s between any two of its reads", async (name) => {
    const objects = await filled();
    for (let at = baseSeed % STRIDE; at < READ_COUNT; at += STRIDE) {
      const storage = await storageWith(objects);
      const writer = await open(storage);
      const before = await writer.countEvents();
      let count = -Infinity;
      let acting: Promise<void> | null = null;
      let actedMs = Infinity;
      const look = async () => {
        count += 1;
        if (count <= at) return;
        acting ??= ACTS[name]?.(writer) ?? Promise.resolve();
        await acting;
        actedMs = Math.min(actedMs, performance.now());
      };
      const follower = await follow(watched(storage, look, holds));
      await ingest(writer, "brings a look", 1);
      count = 0;
      while (performance.now() < actedMs + 40) {
        await sleep(1);
        const found = await follower.aggregate({ field: "name" });
        const total = found.reduce((sum, item) => sum + item.count, 0);
        if (acting === null) expect([before, before + 1], `read ${at}`).toContain(total);
        // Of before the act, or of after it, or with what it ingested last.
        else if (name === "erases") expect([before, before + 1, before - 1, before + 3, before + 7], `read ${at}`).toContain(total);
        else if (name !== "deletes") for (const { property, count: rowCount } of found) if (property === "more" || property === "sealed") expect(rowCount % 4, `read ${at}`).toBe(0);
      }
      await expectSame(follower, writer.health === "closed" ? await open(storage) : writer, `read ${at}`);
      await follower.close();
      await writer.close();
    }
  });
});

longTest("Where nothing can be held, a query whose file is taken away before it is read begins anew; a look takes what the next manifest names.", async () => {
  const storage = lastingMemory();
  const writer = await open(storage);
  // Larger than what is read of a segment when it is opened.
  const events = (day: number) => Array.from({ length: 1_000 }, (_, at) => ({ name: "view", userId: at % 10 === 0 ? `gone ${day}` : `user ${at}`, url: `/${Math.random()}`, createdAt: nowMs - 1 - day * 86_400_000 - at }));
  await writer.ingest(events(0));
  await writer.seal();
  let day = -1;
  let erasedCount = 0;
  const lookAt = async (key: string) => {
    if (!key.startsWith("segments/") || day < 0) return;
    const now = day;
    day = -1;
    await erase(writer, `gone ${now}`);
    erasedCount += 1;
  };
  const reading: Storage = {
    ...watched(storage, () => Promise.resolve(), false),
    read: async (key, range) => {
      await lookAt(key);
      return await storage.read(key, range);
    },
  };
  const follower = await follow(reading);
  day = 0;
  expect(await follower.countUniqueUsers()).toBe(900);
  expect(erasedCount).toBe(1);
  await writer.ingest(events(1));
  day = 1;
  await writer.seal();
  while (erasedCount === 1) await sleep(1);
  await expectSame(follower, writer);
  expect(await follower.countEvents()).toBe(1_800);
});

longTest("What a follower's export reads stays until its end, and leaves no byte of the erased on the disk behind it.", async () => {
  const directory = await emptyDirectory();
  const writer = await open(fileStorage(directory));
  // Larger than what is read of a segment when it is opened.
  for (let day = 0; day < 3; day += 1)
    await writer.ingest(Array.from({ length: 1_000 }, (_, at) => ({ name: "view", userId: at % 10 === 0 ? "gone" : `user ${at}`, url: `/${Math.random()}`, createdAt: nowMs - 1 - day * 86_400_000 - at })));
  await writer.seal();
  const follower = await follow(fileStorage(directory));
  const events = follower.exportEvents()[Symbol.asyncIterator]();
  await events.next();
  const removed = async () => (await Promise.all((await readdir("/proc/self/fd")).map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => "")))).filter((path) => path.startsWith(join(directory, "segments")) && path.endsWith("(deleted)"));
  await erase(writer, "gone");
  await sleep(100);
  expect(await follower.countEvents()).toBe(2_700);
  expect((await removed()).length).toBe(3);
  expect((await listOf({ [Symbol.asyncIterator]: () => events })).length).toBe(2_999);
  await sleep(50);
  expect(await removed()).toEqual([]);
  await follower.close();
});

test("A follower whose store is gone says so, and goes on once it is back; one that was put back to before is no state to go on with.", async () => {
  const directory = join(await emptyDirectory(), "store");
  const writer = await open(fileStorage(directory));
  await ingest(writer, "a", 3);
  await writer.seal();
  const early = await objectsOf(fileStorage(directory));
  const follower = await follow(fileStorage(directory));
  await ingest(writer, "b", 3);
  await writer.close();
  await sleep(100);
  expect(await follower.countEvents()).toBe(6);
  await rename(directory, `${directory}-away`);
  await sleep(100);
  await expect(follower.countEvents()).rejects.toMatchObject({ code: "manifest_missing" });
  await rename(`${directory}-away`, directory);
  expect(await follower.countEvents()).toBe(6);
  const storage = fileStorage(directory);
  await storage.write(MANIFEST_KEY, early.get(MANIFEST_KEY) ?? new Uint8Array());
  await sleep(100);
  await expect(follower.countEvents()).rejects.toMatchObject({ code: "corruption", message: expect.stringContaining("earlier state") as string });
});

test("A seal that is under way when a follower is opened, and when another one looks, moves each row once.", async () => {
  const storage = lastingMemory();
  let gate = Promise.resolve();
  let manifestCount = 0;
  const writing: Storage = {
    list: (prefix) => storage.list(prefix),
    read: (key, range) => storage.read(key, range),
    write: async (key, bytes, options) => {
      if (key === MANIFEST_KEY) manifestCount += 1;
      if (key === MANIFEST_KEY) await gate;
      await storage.write(key, bytes, options);
    },
    remove: (key) => storage.remove(key),
    sync: (keys) => storage.sync(keys),
    openAppend: (key) => storage.openAppend(key),
  };
  const writer = await open(writing);
  await ingest(writer, "before", 4);
  const first = await follow(storage);
  let goOn = (): void => undefined;
  gate = new Promise((resolve) => (goOn = resolve));
  const before = manifestCount;
  const sealing = writer.seal();
  while (manifestCount === before) await sleep(1);
  const early = await follow(storage);
  await ingest(writer, "meanwhile", 4);
  const late = await follow(storage);
  for (const follower of [first, early, late]) await expectSame(follower, writer, "under way");
  goOn();
  await sealing;
  await ingest(writer, "behind it", 4);
  for (const follower of [first, early, late]) {
    await expectSame(follower, writer, "behind it");
    expect((await follower.stats()).headRowCount).toBe(8);
  }
});

test("A batch is seen whole, and what was seen is never gone again, while a writer commits, seals and compacts and is opened anew.", async () => {
  const directory = await emptyDirectory();
  const follower = await open(fileStorage(directory)).then(async (writer) => {
    await ingest(writer, "first", 7);
    await writer.close();
    return await follow(fileStorage(directory));
  });
  let isDone = false;
  onTestFinished(() => void (isDone = true));
  const writing = (async () => {
    for (let life = 0; life < 2; life += 1) {
      const writer = await open(fileStorage(directory));
      for (let round = 0; round < 15; round += 1) {
        await Promise.all([ingest(writer, `batch ${round % 3}`, 7), ingest(writer, "other", 7), writer.identify({ userId: `u${round}`, email: `${round}@example.org` })]);
        if (round % 5 === 4) await writer.seal();
        await sleep(4);
      }
      await writer.close();
    }
    isDone = true;
  })();
  let former = new Map<string, number>();
  let formerSequence = 0;
  let askedCount = 0;
  while (!isDone) {
    const found = new Map((await follower.aggregate({ field: "name" })).map(({ property, count }) => [property, count]));
    for (const [name, count] of found) expect(count % 7, name).toBe(0);
    for (const [name, count] of former) expect(found.get(name), name).toBeGreaterThanOrEqual(count);
    const sequence = storeOf(follower)?.newestSequence ?? 0;
    expect(sequence).toBeGreaterThanOrEqual(formerSequence);
    if (sequence > formerSequence) askedCount += 1;
    [former, formerSequence] = [found, sequence];
    await sleep(3);
  }
  await writing;
  expect(askedCount).toBeGreaterThan(3);
});

longTest("A follower that is closed in the midst of a look, and of a query, reads nothing more.", async () => {
  const storage = await storageWith(await filled());
  const writer = await open(storage);
  let readCount = 0;
  const slow = watched(storage, async () => {
    readCount += 1;
    await sleep(20);
  }, true);
  const follower = await follow(slow);
  await seal(writer);
  await sleep(40);
  const asked = follower.countEvents().catch((error: unknown) => error);
  await follower.close();
  const closedCount = readCount;
  expect([14, expect.objectContaining({ code: "closed" })]).toContainEqual(await asked);
  await sleep(300);
  expect(readCount).toBe(closedCount);
  await expect(follower.countEvents()).rejects.toMatchObject({ code: "closed" });
});
