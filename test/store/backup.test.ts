import { fixedClock, memoryStorage, openDaybook, verifyStore, type Daybook, type Storage } from "daybook";
import { describe, expect, test } from "vitest";
import { MANIFEST_KEY, decodeManifest } from "../../src/store/files/manifest.js";
import { backupStore, restoreStore } from "../../src/store/backup/backup-store.js";
import { listJournals } from "../../src/store/journal/journal.js";
import { flipped } from "../format/damage-kit.js";
import { lastingMemory, objectsOf, storageWith, withObject } from "./objects.js";
import { storedText } from "./stored-text.js";

const nowMs = Date.UTC(2026, 2, 5);
const clock = fixedClock(nowMs);

const eventsFrom = (first: number, count: number) =>
  Array.from({ length: count }, (_, at) => ({ id: `e${first + at}`, name: "a", userId: `u${(first + at) % 3}`, createdAt: nowMs - (first + at) * 3_600_000, metadata: { n: first + at } }));

/** A store that is open: sealed events, others in the journal, records and a saved segment. */
async function openStore(storage: Storage = lastingMemory()): Promise<{ storage: Storage; daybook: Daybook }> {
  const daybook = await openDaybook({ storage, clock });
  await daybook.ingest(eventsFrom(0, 50));
  await daybook.identify({ userId: "u1", email: "u1@example.org" });
  await daybook.segments.put("first", { groups: [{ conditions: [{ type: "did", eventName: "a" }] }] });
  await daybook.seal();
  await daybook.ingest(eventsFrom(50, 10));
  await daybook.createProject("empty");
  return { storage, daybook };
}

async function shownBy(storage: Storage): Promise<string> {
  const daybook = await openDaybook({ storage, clock, readOnly: true });
  return await shown(daybook);
}

async function shown(daybook: Daybook): Promise<string> {
  const told: unknown[] = [];
  for await (const event of daybook.exportEvents()) told.push(event);
  for await (const record of daybook.exportRecords()) told.push(record);
  return JSON.stringify([told, daybook.projects(), await daybook.segments.list(), await daybook.privacyRequests.list(), await daybook.countUniqueUsers()]);
}

const manifestOf = async (storage: Storage) => decodeManifest((await storage.read(MANIFEST_KEY)) ?? new Uint8Array());

describe("a backup", () => {
  test("is a store of that moment, which verifies and opens for reading and for writing", async () => {
    const { storage, daybook } = await openStore();
    const target = lastingMemory();
    const report = await daybook.backup(target);
    const atThatMoment = await shown(daybook);
    await daybook.ingest(eventsFrom(60, 5));
    expect(report.sequence).toBe(62);
    expect(await shownBy(target)).toBe(atThatMoment);
    const { findings, notes, byteLength, fileCount } = await verifyStore(target);
    expect([findings, notes, byteLength]).toEqual([[], [], report.byteLength]);
    expect(report.fileCount).toBe((await objectsOf(target)).size);
    expect(fileCount).toBe(report.fileCount);
    const written = await openDaybook({ storage: target, clock });
    expect(await written.ingest(eventsFrom(55, 10))).toMatchObject({ accepted: 5, duplicates: 5 });
    await written.close();
    expect((await verifyStore(target)).findings).toEqual([]);
    expect(await shownBy(target)).toBe(await shownBy(storage));
    expect((await manifestOf(target)).backup).toBeUndefined();
    await daybook.close();
  });

  test("of a storage in memory, and into one, has what no journal holds", async () => {
    const { daybook } = await openStore(memoryStorage());
    const target = memoryStorage();
    await daybook.backup(target);
    expect(await shownBy(target)).toBe(await shown(daybook));
    await daybook.close();
  });

  test("of a store without an event, and of one that is closed, opens too", async () => {
    const storage = lastingMemory();
    await (await openDaybook({ storage, clock })).close();
    const reader = await openDaybook({ storage, clock, readOnly: true });
    const target = lastingMemory();
    await reader.backup(target);
    expect((await verifyStore(target)).findings).toEqual([]);
    const { daybook, storage: closed } = await openStore();
    await daybook.close();
    await (await openDaybook({ storage: closed, clock, readOnly: true })).backup(lastingMemory());
    await expect(daybook.backup(target)).rejects.toMatchObject({ code: "closed" });
  });

  test("has the rows of all journals that count, in one", async () => {
    const { storage: killed } = await openStore();
    const storage = await storageWith(await objectsOf(killed));
    const daybook = await openDaybook({ storage, clock });
    await daybook.ingest(eventsFrom(60, 5));
    const { firstJournal } = await manifestOf(storage);
    expect((await listJournals(storage)).filter((number) => number >= firstJournal).length).toBeGreaterThan(1);
    const target = lastingMemory();
    await daybook.backup(target);
    expect([await listJournals(target), await shownBy(target)]).toEqual([[firstJournal], await shown(daybook)]);
    expect((await verifyStore(target)).findings).toEqual([]);
    await daybook.close();
  });

  test("copies into a former one what is new, and removes what its moment does not name", async () => {
    const { daybook } = await openStore();
    const target = lastingMemory();
    const first = await daybook.backup(target);
    const same = await daybook.backup(target);
    expect([same.copiedFileCount, same.removedFileCount, same.byteLength]).toEqual([0, 0, first.byteLength]);
    await daybook.ingest(eventsFrom(60, 20));
    await daybook.seal();
    const next = await daybook.backup(target);
    expect(next.copiedFileCount).toBeGreaterThan(0);
    expect(next.copiedByteLength).toBeLessThan(next.byteLength);
    const left = await objectsOf(target);
    expect(left.size).toBe(next.fileCount);
    expect(await shownBy(target)).toBe(await shown(daybook));
    await daybook.close();
  });

  test("taken after an erasure holds no byte of the person, also where one before did", async () => {
    const { daybook } = await openStore();
    const target = lastingMemory();
    await daybook.ingest([{ name: "secret-name", userId: "secret-user", metadata: { text: "secret-text" } }]);
    await daybook.seal();
    await daybook.backup(target);
    const secrets = ["secret-name", "secret-user", "secret-text"];
    const before = await shownBy(target);
    expect(secrets.filter((secret) => !before.includes(secret))).toEqual([]);
    const { id } = await daybook.privacyRequests.create({ type: "erasure", subject: { userId: "secret-user" } });
    await daybook.privacyRequests.verify(id);
    await daybook.privacyRequests.acknowledge(id);
    await daybook.privacyRequests.resolve(id, "completed");
    expect((await daybook.backup(target)).removedFileCount).toBeGreaterThan(0);
    const after = await storedText(target);
    expect(secrets.filter((secret) => after.includes(secret))).toEqual([]);
    expect(await shownBy(target)).toBe(await shown(daybook));
    await daybook.close();
  });

  test("goes on where one was cut: files that are whole stay, others are copied again", async () => {
    const { daybook } = await openStore();
    const target = lastingMemory();
    const { copiedFileCount } = await daybook.backup(target);
    const objects = withObject(await objectsOf(target), MANIFEST_KEY, null);
    const segment = [...objects.keys()].find((key) => key.startsWith("segments/")) ?? "";
    const cut = await storageWith(withObject(objects, segment, new Uint8Array(0)));
    expect((await daybook.backup(cut)).copiedFileCount).toBe(1);
    expect(await objectsOf(cut)).toEqual(await objectsOf(target));
    expect(copiedFileCount).toBeGreaterThan(1);
    await daybook.close();
  });

  test("notices that its journal lost its end, or a file its last bytes", async () => {
    const { daybook } = await openStore();
    const target = lastingMemory();
    await daybook.backup(target);
    const objects = await objectsOf(target);
    const journal = [...objects.keys()].find((key) => key.startsWith("journal/")) ?? "";
    const bytes = objects.get(journal) ?? new Uint8Array(0);
    for (const byteLength of [bytes.length - 1, bytes.length - 32, 12, 0]) {
      const cut = await storageWith(withObject(objects, journal, bytes.subarray(0, byteLength)));
      await expect(openDaybook({ storage: cut, readOnly: true })).rejects.toMatchObject({ code: "corruption" });
    }
    const segment = [...objects.keys()].find((key) => key.startsWith("segments/")) ?? "";
    const short = await storageWith(withObject(objects, segment, (objects.get(segment) ?? bytes).subarray(1)));
    expect((await daybook.backup(short)).copiedFileCount).toBe(1);
    expect((await verifyStore(short)).findings).toEqual([]);
    await daybook.close();
  });
});

describe("a backup is refused", () => {
  test("where the place holds another store, a backup of one, or anything else, and leaves it as it is", async () => {
    const { daybook, storage } = await openStore();
    const other = await openStore();
    const backupOfOther = lastingMemory();
    await other.daybook.backup(backupOfOther);
    await other.daybook.close();
    const places = [other.storage, backupOfOther, await storageWith(new Map([["notes.txt", Uint8Array.of(1)]]))];
    const lost = await storageWith(withObject(await objectsOf(other.storage), MANIFEST_KEY, null));
    for (const place of [...places, lost, await storageWith(new Map([["acme/segments/0000000001", Uint8Array.of(1)]]))]) {
      const before = await objectsOf(place);
      await expect(daybook.backup(place)).rejects.toMatchObject({ code: "invalid_parameter", details: { param: "storage" } });
      expect(await objectsOf(place)).toEqual(before);
    }
    await expect(daybook.backup(storage)).rejects.toMatchObject({ code: "invalid_parameter" });
    await expect(daybook.backup("/backups" as never)).rejects.toMatchObject({ code: "invalid_parameter" });
    await daybook.close();
  });

  test("into a place that holds a later moment, or another history of the store", async () => {
    const { daybook } = await openStore();
    const older = lastingMemory();
    const newer = lastingMemory();
    await daybook.backup(older);
    await daybook.ingest(eventsFrom(60, 5));
    await daybook.seal();
    await daybook.backup(newer);
    await daybook.close();
    const restored = lastingMemory();
    await restoreStore(older, restored);
    const onward = await openDaybook({ storage: restored, clock });
    for (let round = 0; round < 3; round += 1) {
      await onward.ingest(eventsFrom(100 + round, 1));
      await onward.seal();
    }
    await expect(onward.backup(newer)).rejects.toMatchObject({ code: "invalid_parameter", message: expect.stringContaining("contains a snapshot that this store does not descend from") });
    await onward.backup(older);
    expect(await shownBy(older)).toBe(await shown(onward));
    await onward.close();
  });

  test("of damaged files, naming them", async () => {
    const { daybook, storage } = await openStore();
    await daybook.close();
    const objects = await objectsOf(storage);
    for (const [key, bytes] of objects) {
      const shownKey = key.replace(/^journal\/0*/, "journal ");
      const damagedStore = await storageWith(withObject(objects, key, flipped(bytes, 20, 4)));
      await expect(restoreStore(damagedStore, lastingMemory()), key).rejects.toMatchObject({ code: "corruption", message: expect.stringContaining(shownKey) });
      if (key === "segments.json") continue;
      const without = restoreStore(await storageWith(withObject(objects, key, null)), lastingMemory());
      await expect(without, key).rejects.toMatchObject({ code: key === MANIFEST_KEY ? "manifest_missing" : "corruption" });
    }
    expect(objects.size).toBeGreaterThan(6);
    const place = lastingMemory();
    const withoutKey = await storageWith(withObject(objects, "keys.json", Uint8Array.of(1)));
    await expect(backupStore(withoutKey, place, { takenMs: nowMs })).rejects.toMatchObject({ code: "corruption" });
    expect((await objectsOf(place)).size).toBe(0);
  });
});

test("What a backup is restored to is a store that shows the same, and no backup", async () => {
  const { daybook } = await openStore();
  const target = lastingMemory();
  await daybook.backup(target);
  const restored = lastingMemory();
  await restoreStore(target, restored);
  expect(await shownBy(restored)).toBe(await shown(daybook));
  expect((await verifyStore(restored)).findings).toEqual([]);
  expect([(await manifestOf(target)).backup, (await manifestOf(restored)).backup]).toEqual([{ takenMs: nowMs }, undefined]);
  await expect(restoreStore(target, restored)).rejects.toMatchObject({ code: "invalid_parameter" });
  await daybook.close();
});
