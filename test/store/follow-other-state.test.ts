import type { Storage } from "daybook";
import { describe, expect, test } from "vitest";
import { KEYS_KEY } from "../../src/store/files/side-files.js";
import { journalKey } from "../../src/store/journal/journal.js";
import { useLimits } from "../limits.js";
import { sliceOf } from "../oracle/settings.js";
import { expectSame, follow, ingest, nowMs, open, sleep } from "./follow-kit.js";
import { lastingMemory, objectsOf, storageWith, withObject, type Objects } from "./objects.js";
import { wholeObjectsOnly } from "./recording-storage.js";

// A second of a follower's time takes a tenth.
useLimits({ followMs: 15, followSettleMs: 10, followLateMs: 50, idleExportMs: 100 });

const REFUSED = { code: "corruption", message: expect.stringContaining("close this reader and open it again") as string };

/** What somebody may see of a store whose writer was killed. */
async function storeWith(name: string, count: number, isSealed: boolean): Promise<Objects> {
  const storage = lastingMemory();
  const writer = await open(storage);
  await ingest(writer, name, count);
  if (isSealed) await writer.seal();
  return await objectsOf(storage);
}

/** Puts other objects in the place of all there are. */
async function put(storage: Storage, objects: Objects): Promise<void> {
  for (const key of await storage.list("")) await storage.remove(key);
  for (const [key, bytes] of objects) await storage.write(key, bytes);
}

/** Events, and whether they are sealed. */
type Filled = readonly [count: number, isSealed: boolean];

test.each(sliceOf<readonly [what: string, one: Filled, other: Filled]>([
  ["with fewer events in its journal", [5, false], [2, false]],
  ["with as many events in its journal", [5, false], [5, false]],
  ["with more events in its journal", [2, false], [9, false]],
  ["with as many sealed events", [3, true], [3, true]],
  ["with more sealed events", [3, true], [5, true]],
  ["that sealed what the other one had in its journal", [3, false], [5, true]],
], 2))("Another store in the place of the one that is followed, %s, is not taken for it.", async (_what, one, other) => {
  const storage = await storageWith(await storeWith("of the one", ...one));
  const follower = await follow(storage);
  expect(await follower.countEvents()).toBe(one[0]);
  await put(storage, await storeWith("of the other", ...other));
  await sleep(100);
  await expect(follower.countEvents()).rejects.toMatchObject(REFUSED);
});

/** A store at two moments. */
interface Moments {
  readonly early: Objects;
  readonly late: Objects;
  readonly reopen: (objects: Objects) => Promise<Storage>;
}

/** What is there instead of the later moment. */
const PUT_BACK: Record<string, (moments: Moments) => Promise<Objects>> = {
  "its earlier state": ({ early }) => Promise.resolve(early),
  "its earlier state, and what came then": async ({ early, reopen }) => {
    const storage = await reopen(early);
    await ingest(await open(storage), "new", 1);
    return await objectsOf(storage);
  },
  "its earlier state, and what was sealed then": async ({ early, reopen }) => {
    const storage = await reopen(early);
    const writer = await open(storage);
    await ingest(writer, "new", 2);
    await writer.seal();
    return await objectsOf(storage);
  },
  "its earlier state, and more than came before": async ({ early, reopen }) => {
    const storage = await reopen(early);
    const writer = await open(storage);
    for (let round = 0; round < 20; round += 1) await ingest(writer, `new ${round}`, 4);
    await writer.seal();
    return await objectsOf(storage);
  },
  "a next journal that does not know its last commit": async ({ early, late, reopen }) => {
    const storage = await reopen(early);
    await ingest(await open(storage), "new", 1);
    return new Map([...(await objectsOf(storage)), ...[...late].filter(([key]) => key.startsWith("journal/"))]);
  },
  "no journal": ({ late }) => Promise.resolve(new Map([...late].filter(([key]) => !key.startsWith("journal/")))),
};

describe.each(sliceOf([
  ["a journal", (storage: Storage) => storage, 4],
  ["a journal, where the last commit is a large one", (storage: Storage) => storage, 400],
  ["a journal of whole objects", wholeObjectsOnly, 4],
  ["a journal of whole objects, where the last commit is a large one", wholeObjectsOnly, 400],
], 3))("Where a store with %s is put back", (_what, wrap, lastCount) => {
  test.each(sliceOf(Object.entries(PUT_BACK), 2))("a follower takes %s for no state to go on with", async (_state, instead) => {
    const storage = lastingMemory();
    const writer = await open(wrap(storage));
    await ingest(writer, "sealed", 2);
    await writer.seal();
    await ingest(writer, "stays", 3);
    const early = await objectsOf(storage);
    await ingest(writer, "lost", lastCount, { createdAt: nowMs });
    const late = await objectsOf(storage);
    const followed = await storageWith(late);
    const follower = await follow(wrap(followed));
    await sleep(50);
    expect(await follower.countEvents()).toBe(5 + lastCount);
    await put(followed, await instead({ early, late, reopen: async (objects) => wrap(await storageWith(objects)) }));
    await sleep(100);
    await expect(follower.countEvents()).rejects.toMatchObject(REFUSED);
  });
});

test("What a writer set aside with a damaged journal is gone from what a follower had shown: it says so, and blames no file.", async () => {
  const storage = await storageWith(await (async () => {
    const before = lastingMemory();
    const writer = await open(before);
    await ingest(writer, "sealed", 2);
    await writer.seal();
    for (const name of ["a", "b", "c"]) await ingest(writer, name, 3);
    return await objectsOf(before);
  })());
  const follower = await follow(storage);
  expect(await follower.countEvents()).toBe(11);
  const key = (await storage.list("journal/")).at(-1) ?? journalKey(0);
  const bytes = (await storage.read(key)) ?? new Uint8Array(0);
  await storage.write(key, bytes.map((byte, at) => (at === 60 ? byte ^ 255 : byte)));
  const writer = await open(storage, { onCorruption: "quarantine" });
  await ingest(writer, "after", 2);
  expect((await writer.stats()).quarantine).toHaveLength(1);
  await sleep(100);
  await expect(follower.countEvents()).rejects.toMatchObject(REFUSED);
});

test("An export of a follower that nobody asks on is ended where its writer compacts what it reads.", async () => {
  const storage = lastingMemory();
  const writer = await open(storage);
  await ingest(writer, "first", 4);
  await writer.seal();
  const follower = await follow(storage);
  const events = follower.exportEvents()[Symbol.asyncIterator]();
  await events.next();
  for (let round = 0; round < 5; round += 1) {
    await ingest(writer, `round ${round}`, 4);
    await writer.seal();
  }
  await expectSame(follower, writer);
  await sleep(300);
  await expect(events.next()).rejects.toMatchObject({ code: "query_timeout" });
});

test("The first query to a follower knows what came while it was being opened.", async () => {
  const storage = lastingMemory();
  const writer = await open(storage);
  await ingest(writer, "before", 3);
  let isRead = false;
  const reading: Storage = {
    list: (prefix) => storage.list(prefix),
    write: (key, bytes) => storage.write(key, bytes),
    remove: (key) => storage.remove(key),
    sync: (keys) => storage.sync(keys),
    ...(storage.codec === undefined ? {} : { codec: storage.codec }),
    read: async (key, range) => {
      if (key === KEYS_KEY && !isRead) {
        isRead = true;
        await ingest(writer, "meanwhile", 4);
      }
      return await storage.read(key, range);
    },
  };
  const follower = await follow(reading);
  expect(await follower.countEvents()).toBe(7);
});

test("Keys that are gone while something else comes are those of no store that was opened.", async () => {
  const before = await storeWith("a", 3, false);
  const storage = await storageWith(before);
  const follower = await follow(storage);
  await put(storage, withObject(await storeWith("b", 3, true), KEYS_KEY, null));
  await sleep(100);
  await expect(follower.countEvents()).rejects.toMatchObject(REFUSED);
  await put(storage, before);
  await sleep(100);
  expect(await follower.countEvents()).toBe(3);
});
