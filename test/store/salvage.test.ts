import { openDaybook, type ExportedEvent } from "daybook";
import { beforeAll, describe, expect, test } from "vitest";
import { dayOf } from "../../src/core/base/time.js";
import { storeOf } from "../../src/engine/open-daybook.js";
import { MANIFEST_KEY, decodeManifest } from "../../src/store/files/manifest.js";
import { flipped } from "../format/damage-kit.js";
import { longTest } from "../long-test.js";
import { baseSeed, caseCount, sliceOf } from "../oracle/settings.js";
import { clock } from "./forged-store.js";
import { withObject, type Objects } from "./objects.js";
import { RecordingStorage } from "./recording-storage.js";
import { answersOf, exported, freshStore, salvaged, salvageRandomly, storedObjects } from "./salvage-kit.js";

let closed: Objects;
let open: Objects;
let all: readonly ExportedEvent[];

beforeAll(async () => {
  closed = await storedObjects(true);
  open = await storedObjects(false);
  all = await exported(await openDaybook({ storage: new RecordingStorage(closed), clock }));
});

const keysIn = (objects: Objects, folder: string) => [...objects.keys()].filter((key) => key.startsWith(folder));
const bytesOf = (objects: Objects, key: string) => objects.get(key) ?? new Uint8Array(0);
const middleFlipped = (objects: Objects, key: string) => withObject(objects, key, flipped(bytesOf(objects, key), bytesOf(objects, key).length >> 1, 4));

/** The answers after salvage are those of a store that never held what was lost. */
async function expectExact(storage: RecordingStorage, withRecords: boolean): Promise<readonly ExportedEvent[]> {
  const daybook = await openDaybook({ storage, clock });
  const left = await exported(daybook);
  expect(await answersOf(daybook)).toEqual(await answersOf(await freshStore(left, withRecords)));
  return left;
}

describe("openDaybook with onCorruption quarantine", () => {
  test("changes nothing in a store that is whole", async () => {
    const { storage, lostCount } = await salvaged(closed, all);
    expect([lostCount, keysIn(storage.objects, "quarantine/")]).toEqual([0, []]);
    expect(decodeManifest(bytesOf(storage.objects, MANIFEST_KEY))).toMatchObject({ dictionaries: decodeManifest(bytesOf(closed, MANIFEST_KEY)).dictionaries });
    expect(await expectExact(storage, true)).toEqual(all);
  });

  test.each(sliceOf(["flipped", "missing", "cut"], 3))("sets a %s segment aside, tells its events, and answers as if they had never come", async (how) => {
    for (const entry of decodeManifest(bytesOf(closed, MANIFEST_KEY)).segments) {
      const bytes = bytesOf(closed, entry.key);
      const damaged = how === "flipped" ? middleFlipped(closed, entry.key) : withObject(closed, entry.key, how === "cut" ? bytes.subarray(9) : null);
      await expect(openDaybook({ storage: new RecordingStorage(damaged), clock }).then(answersOf)).rejects.toMatchObject({ code: "corruption" });
      const { storage, lostCount } = await salvaged(damaged, all);
      expect(lostCount).toBe(entry.rowCount);
      const left = await expectExact(storage, true);
      const days = all.filter(({ id }) => !left.some((event) => event.id === id)).map(({ createdAt }) => dayOf(Date.parse(createdAt)));
      expect(days).toEqual(Array.from({ length: entry.rowCount }, () => entry.day));
    }
  });

  test("keeps the sequences of records", async () => {
    const sequencesOf = async (storage: RecordingStorage) => {
      await using daybook = await openDaybook({ storage, clock });
      return Array.from(storeOf(daybook)?.records.slice(0).sequences ?? []);
    };
    for (const objects of [closed, open]) {
      const owed = await sequencesOf(new RecordingStorage(objects));
      expect(owed.length).toBeGreaterThan(1);
      const [key = ""] = keysIn(objects, "segments/");
      expect(await sequencesOf((await salvaged(middleFlipped(objects, key), all)).storage)).toEqual(owed);
    }
  });

  test("keeps the events that need no value of a lost dictionary file, and no others", async () => {
    for (const key of keysIn(closed, "dictionaries/")) {
      for (const damaged of [middleFlipped(closed, key), withObject(closed, key, null)]) {
        const { storage, lostCount } = await salvaged(damaged, all);
        const daybook = await openDaybook({ storage, clock });
        const left = await exported(daybook);
        expect(left.length + lostCount).toBe(all.length);
        expect(lostCount).toBeGreaterThan(0);
        expect(await daybook.ingest(all)).toEqual({ accepted: lostCount, duplicates: left.length, rejected: [], adjusted: [] });
        expect(await exported(daybook)).toEqual(all);
      }
    }
  });

  test("goes on without records that are lost, and without privacy requests", async () => {
    const [records = ""] = keysIn(closed, "identities/");
    const { storage, lostCount } = await salvaged(middleFlipped(closed, records), all);
    expect(lostCount).toBe(0);
    expect(await expectExact(storage, false)).toEqual(all);
    const withRequest = new RecordingStorage(closed);
    const daybook = await openDaybook({ storage: withRequest, clock });
    await daybook.privacyRequests.create({ type: "access", subject: { userId: "user 1" } });
    await daybook.close();
    const { privacy } = decodeManifest(bytesOf(withRequest.objects, MANIFEST_KEY));
    const again = await salvaged(middleFlipped(withRequest.objects, privacy?.key ?? ""), all);
    expect(await (await openDaybook({ storage: again.storage, clock })).privacyRequests.list()).toEqual([]);
  });

  longTest("keeps every whole frame of a journal, before and behind a broken one", async () => {
    const [journal = ""] = keysIn(open, "journal/").slice(-1);
    const bytes = bytesOf(open, journal);
    const lostCounts = new Set<number>();
    for (let at = 0; at < bytes.length; at += 97) {
      const damaged = withObject(open, journal, flipped(bytes, at, 8));
      const strict = await openDaybook({ storage: new RecordingStorage(damaged), clock }).then((daybook) => daybook.countEvents(), () => null);
      const { storage, lostCount } = await salvaged(damaged, all);
      const left = await expectExact(storage, true);
      // The last frame is not known to have been durable: strict reading takes it for torn, and nothing is told.
      expect(left.length).toBe(strict ?? all.length - lostCount);
      lostCounts.add(lostCount);
    }
    // With the first frame go values that 13 events of later ones use.
    expect([...lostCounts].sort((a, b) => a - b)).toEqual([0, 10, 23]);
  });

  test("makes new keys where the old ones are lost", async () => {
    for (const damaged of [withObject(closed, "keys.json", null), middleFlipped(closed, "keys.json")]) {
      const { storage } = await salvaged(damaged, all);
      expect(await expectExact(storage, true)).toEqual(all);
    }
  });

  test("comes to the same, wherever it is broken off", async () => {
    const [segment = ""] = keysIn(open, "segments/");
    const [journal = ""] = keysIn(open, "journal/").slice(-1);
    const damaged = middleFlipped(withObject(open, journal, flipped(bytesOf(open, journal), 200, 1)), segment);
    const { storage } = await salvaged(damaged, all);
    const right = await answersOf(await openDaybook({ storage: new RecordingStorage(storage.objects), clock }));
    for (const { objects } of storage.states) {
      const again = await openDaybook({ storage: new RecordingStorage(objects), clock, onCorruption: "quarantine" });
      expect(await answersOf(again)).toEqual(right);
    }
    expect(storage.states.length).toBeGreaterThan(10);
  });

  test("refuses a store whose manifest is damaged or gone: nothing else says which files count", async () => {
    const open = (objects: Objects) => openDaybook({ storage: new RecordingStorage(objects), clock, onCorruption: "quarantine" });
    await expect(open(middleFlipped(closed, MANIFEST_KEY))).rejects.toMatchObject({ code: "corruption" });
    await expect(open(withObject(closed, MANIFEST_KEY, null))).rejects.toMatchObject({ code: "manifest_missing" });
  });

  test(`keeps what it says for random damage to several files (seed ${baseSeed})`, async () => {
    await salvageRandomly(baseSeed, caseCount(5, 15));
  });
});
