import { memoryStorage, type Segment, type Storage } from "daybook";
import { fileStorage } from "daybook/node";
import { describe, expect, test } from "vitest";
import { storeOf } from "../../src/engine/open-daybook.js";
import { KEYS_KEY } from "../../src/store/files/side-files.js";
import { useLimits } from "../limits.js";
import { sliceOf } from "../oracle/settings.js";
import { emptyDirectory, erase, expectSame, follow, ingest, nowMs, open, sleep } from "./follow-kit.js";
import { lastingMemory } from "./objects.js";
import { wholeObjectsOnly } from "./recording-storage.js";

// A second of a follower's time takes a tenth.
useLimits({ followMs: 20, followSettleMs: 10, followLateMs: 50 });

const PRO: Segment = { groups: [{ conditions: [{ type: "trait", field: "plan", operator: "=", value: "pro" }] }] };

/** A place for a writer and a reader. */
const PLACES: Record<string, () => Promise<readonly [writing: Storage, reading: Storage]>> = {
  "memory with a journal": () => Promise.resolve(twice(lastingMemory())),
  "memory without one": () => Promise.resolve(twice(memoryStorage())),
  "a storage that cannot append, and holds nothing": () => Promise.resolve(twice(wholeObjectsOnly(lastingMemory()))),
  files: async () => {
    const directory = await emptyDirectory();
    return [fileStorage(directory), fileStorage(directory)];
  },
};

function twice(storage: Storage): readonly [Storage, Storage] {
  return [storage, storage];
}

describe.each(sliceOf(Object.entries(PLACES), 3))("In %s a follower", (_place, make) => {
  test("shows within a second what its writer commits, seals and compacts, and how it is opened again", async () => {
    const [writing, reading] = await make();
    const writer = await open(writing);
    const follower = await follow(reading);
    await ingest(writer, "first", 5);
    await expectSame(follower, writer, "events");
    await writer.identify({ userId: "user 1", anonymousId: "a 1", email: "one@example.org", traits: { plan: "pro" } });
    await writer.group({ userId: "user 1", companyId: "acme", traits: { size: 3 } });
    await ingest(writer, "second", 3, { anonymousId: "a 2", companyId: "acme" });
    await writer.createProject("empty");
    await expectSame(follower, writer, "records");
    for (let round = 0; round < 6; round += 1) {
      await ingest(writer, `round ${round}`, 4, { project: "shop" });
      await writer.alias({ from: `a ${round}`, to: "user 3" });
      await writer.identify({ userId: `only a record ${round}`, email: `${round}@example.org` });
      if (round > 0) await ingest(writer, "an event at last", 1, { userId: `only a record ${round - 1}` });
      await ingest(writer, "device", 1, { userId: undefined, anonymousId: `device ${round}` });
      await ingest(writer, "sign-in", 1, { anonymousId: `device ${round}` });
      await writer.seal();
      if (round < 2) await expectSame(follower, writer, `seal ${round}`);
    }
    await writer.segments.put("pro", PRO);
    await writer.timeToLive.set("shop", { days: 300 });
    await expectSame(follower, writer, "seals and compactions");
    await writer.close();
    const again = await open(writing);
    await ingest(again, "another life", 7);
    await expectSame(follower, again, "another life");
    expect(follower.health).toBe("read_only");
    await expect(follower.ingest([{ name: "x" }])).rejects.toMatchObject({ code: "read_only" });
  });

  test("shows nothing any more of whom its writer erases, and of what it deletes", async () => {
    const [writing, reading] = await make();
    const writer = await open(writing);
    const follower = await follow(reading);
    // Before there is any file of dictionaries.
    await ingest(writer, "gone", 3, { userId: "gone at first" });
    await ingest(writer, "stays", 3);
    await expectSame(follower, writer);
    await erase(writer, "gone at first");
    await expectSame(follower, writer, "the first erasure");
    await writer.segments.put("theirs", { groups: [{ conditions: [{ type: "trait", field: "email", operator: "=", value: "gone@example.org" }] }] });
    await ingest(writer, "gone", 3, { userId: "gone", anonymousId: "gone too", metadata: { secret: "of the gone" } });
    await writer.identify({ userId: "gone", email: "gone@example.org" });
    await ingest(writer, "of two projects", 4, { project: "shop" });
    await expectSame(follower, writer);
    await erase(writer, "gone");
    await ingest(writer, "behind it", 2);
    await expectSame(follower, writer, "the second erasure");
    await writer.deleteEvents({ before: new Date(nowMs - 86_400_000) });
    await expectSame(follower, writer, "a deletion");
    await writer.deleteProject("shop");
    await ingest(writer, "behind it", 2, { userId: "gone" });
    await expectSame(follower, writer, "a project");
    const dictionaries = storeOf(follower)?.dictionaries;
    const texts = ["userId", "anonymousId", "email", "project"].flatMap((name) => dictionaries?.named(name).values ?? []);
    expect(texts.filter((text) => /gone|shop/.test(text))).toEqual([]);
  });
});

test("A follower of a store that is empty yet has the keys of its writer: each takes the other's cursors.", async () => {
  const storage = lastingMemory();
  const writer = await open(storage);
  const follower = await follow(storage);
  await ingest(writer, "a", 5);
  await expectSame(follower, writer);
  const { cursor } = await writer.searchEvents({ limit: 2 });
  expect((await follower.searchEvents({ limit: 2, cursor })).events).toEqual((await writer.searchEvents({ limit: 2, cursor })).events);
});

test("A follower whose first look at the keys of its writer fails reads them with the next one.", async () => {
  const storage = lastingMemory();
  const writer = await open(storage);
  let readCount = 0;
  const failing: Storage = {
    list: (prefix) => storage.list(prefix),
    write: () => Promise.reject(new Error("a follower writes nothing")),
    remove: () => Promise.reject(new Error("a follower removes nothing")),
    sync: () => Promise.resolve(),
    read: async (key, range) => {
      if (key === KEYS_KEY) readCount += 1;
      // A writer that has just made the store makes its keys a little later.
      if (key === KEYS_KEY && readCount === 1) return null;
      if (key === KEYS_KEY && readCount === 2) throw new Error("the disk is tired");
      return await storage.read(key, range);
    },
    ...(storage.codec === undefined ? {} : { codec: storage.codec }),
  };
  const follower = await follow(failing);
  await ingest(writer, "a", 5);
  while (readCount < 2) await sleep(5);
  await sleep(100);
  const { cursor } = await writer.searchEvents({ limit: 2 });
  expect((await follower.searchEvents({ limit: 2, cursor })).events).toEqual((await writer.searchEvents({ limit: 2, cursor })).events);
});

test("A follower tells of changes as its writer does.", async () => {
  const storage = lastingMemory();
  const writer = await open(storage);
  const follower = await follow(storage);
  const changes = follower.changes()[Symbol.asyncIterator]();
  const first = changes.next();
  await writer.ingest([{ name: "a", project: "shop" }]);
  expect(await first).toEqual({ done: false, value: { sequence: 1, projects: ["shop"] } });
  const second = changes.next();
  await erase(writer, "nobody");
  await writer.deleteProject("shop");
  const { value } = await second;
  expect(value).toMatchObject({ projects: ["default", "shop"] });
});

test("Where no store was made, there is nothing to follow.", async () => {
  await expect(follow(fileStorage(await emptyDirectory()))).rejects.toMatchObject({ code: "manifest_missing" });
});

test("An id that only a record had named is known by an event that was sealed before a follower saw it, once the record is taken back.", async () => {
  const storage = lastingMemory();
  const writer = await open(storage);
  const { linkId } = await writer.identify({ userId: "late", email: "late@example.org" });
  await ingest(writer, "first", 1);
  await writer.seal();
  const follower = await follow(storage);
  await ingest(writer, "late", 1, { userId: "late" });
  await writer.seal();
  await writer.unlink(linkId);
  await expectSame(follower, writer);
  const profile = await writer.identityProfile({ userId: "late" });
  expect(await follower.identityProfile({ userId: "late" })).toEqual(profile);
});
