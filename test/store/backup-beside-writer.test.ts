import { fixedClock, openDaybook, verifyStore, type Daybook, type Storage } from "daybook";
import { describe, expect, test } from "vitest";
import { backupStore } from "../../src/store/backup/backup-store.js";
import { MANIFEST_KEY, decodeManifest, encodeManifest } from "../../src/store/files/manifest.js";
import { strideOf } from "../oracle/settings.js";
import { lastingMemory, objectsOf, storageWith, type Objects } from "./objects.js";

const nowMs = Date.UTC(2026, 2, 5);
const clock = fixedClock(nowMs);
const BATCH_ROWS = 4;
/** Reads of a backup at which the default suite lets a writer go on: one in so many. */
const STRIDE = strideOf(12, 1);

let batchCount = 0;
async function ingest(daybook: Daybook): Promise<void> {
  batchCount += 1;
  const batch = batchCount;
  await daybook.ingest(Array.from({ length: BATCH_ROWS }, (_, at) => ({ name: `batch ${batch}`, userId: `user ${at}`, createdAt: nowMs - at * 86_400_000, metadata: { [`key ${batch}`]: at } })));
}

async function seal(daybook: Daybook): Promise<void> {
  await ingest(daybook);
  await daybook.seal();
  await ingest(daybook);
}

/** What a writer does meanwhile, by name. */
const ACTS: Record<string, (daybook: Daybook) => Promise<void>> = {
  ingests: ingest,
  seals: seal,
  "seals twice": async (daybook) => {
    await seal(daybook);
    await seal(daybook);
  },
  compacts: async (daybook) => {
    for (let round = 0; round < 5; round += 1) await seal(daybook);
  },
  erases: async (daybook) => {
    const { id } = await daybook.privacyRequests.create({ type: "erasure", subject: { userId: "gone" } });
    await daybook.privacyRequests.verify(id);
    await daybook.privacyRequests.acknowledge(id);
    await daybook.privacyRequests.resolve(id, "completed");
    await ingest(daybook);
  },
  closes: (daybook) => daybook.close(),
};

/** A store with sealed events, events in the journal, and somebody who is going to be erased. */
async function filled(): Promise<Objects> {
  const storage = lastingMemory();
  const daybook = await openDaybook({ storage, clock });
  await seal(daybook);
  await daybook.ingest([{ name: "gone", userId: "gone" }]);
  await daybook.identify({ userId: "gone", email: "gone@example.org" });
  await seal(daybook);
  return await objectsOf(storage);
}

/** The same storage, calling `look` before each read or list. */
function watched(storage: Storage, look: () => Promise<void>): Storage {
  const before = <T>(act: () => Promise<T>) => look().then(act);
  return { ...storage, list: (prefix) => before(() => storage.list(prefix)), read: (key, range) => before(() => storage.read(key, range)), write: (key, bytes) => storage.write(key, bytes), remove: (key) => storage.remove(key), sync: (keys) => storage.sync(keys) };
}

async function namesIn(storage: Storage): Promise<ReadonlyMap<string, number>> {
  const daybook = await openDaybook({ storage, clock, readOnly: true });
  return new Map((await daybook.aggregate({ field: "name" })).map(({ property, count }) => [property, count]));
}

describe("a backup holds a moment with all that came before it, and no batch in part,", () => {
  test.each(Object.keys(ACTS))("where a writer %s between any two of its reads", async (name) => {
    const objects = await filled();
    let readCount = Infinity;
    for (let at = 0; at < readCount; at += STRIDE) {
      const storage = await storageWith(objects);
      const daybook = await openDaybook({ storage, clock });
      const before = await namesIn(storage);
      const target = lastingMemory();
      let count = 0;
      const look = async () => {
        count += 1;
        if (count === at + 1) await ACTS[name]?.(daybook);
      };
      await backupStore(watched(storage, look), target, { takenMs: nowMs });
      readCount = count;
      const { findings, notes } = await verifyStore(target);
      expect([findings, notes], `read ${at}`).toEqual([[], []]);
      const found = await namesIn(target);
      for (const [batch, rowCount] of found) expect(rowCount, `read ${at}: ${batch}`).toBe(batch === "gone" ? 1 : BATCH_ROWS);
      expect([...before.keys()].filter((batch) => batch !== "gone" && !found.has(batch)), `read ${at}`).toEqual([]);
      await daybook.close();
    }
    expect(readCount).toBeGreaterThan(15);
  });

  test("or says that it was never left alone", async () => {
    const storage = await storageWith(await filled());
    const manifest = decodeManifest((await storage.read(MANIFEST_KEY)) ?? new Uint8Array());
    let nextFile = manifest.nextFile;
    const replace = () => storage.write(MANIFEST_KEY, encodeManifest({ ...manifest, nextFile: (nextFile += 1) }));
    await expect(backupStore(watched(storage, replace), lastingMemory(), { takenMs: nowMs })).rejects.toMatchObject({ code: "overloaded" });
  });
});
