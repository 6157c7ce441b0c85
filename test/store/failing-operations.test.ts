import { DaybookError, openDaybook } from "daybook";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { strideOf } from "../oracle/settings.js";
import { useLimits } from "../limits.js";
import { clock } from "./forged-store.js";
import type { Objects } from "./objects.js";
import { RecordingStorage } from "./recording-storage.js";
import { answersOf, storedObjects } from "./salvage-kit.js";

let stores: readonly Objects[];
let right: unknown;

beforeAll(async () => {
  stores = [await storedObjects(true), await storedObjects(false)];
  right = await answersOf(await openDaybook({ storage: new RecordingStorage(stores[0]), clock }));
});

/** Fails the operation of this number, once. */
function failAt(storage: RecordingStorage, number: number, code: "overloaded" | "storage_full" | "internal"): () => boolean {
  let count = 0;
  storage.before = (operation) => {
    count += 1;
    if (count === number) throw new DaybookError(code, `failed: ${operation}`);
  };
  return () => count >= number;
}

const CODES = ["overloaded", "storage_full", "internal"] as const;
/** Each code takes its turn with every second operation; in the long suite all do with all. */
const STRIDE = strideOf(4 * CODES.length, 1);

describe.each(CODES)("whichever operation fails once with %s,", (code) => {
  const first = 1 + ((2 * CODES.indexOf(code)) % STRIDE);

  test("an opening fails with it, or goes on, and the next one finds everything", async () => {
    for (const objects of stores)
      for (let number = first; ; number += STRIDE) {
        const storage = new RecordingStorage(objects);
        const hasFailed = failAt(storage, number, code);
        const outcome = await openDaybook({ storage, clock }).then((daybook) => daybook.health, (error: unknown) => (error as DaybookError).code);
        if (!hasFailed()) break;
        expect(["ok", code, "read_only"]).toContain(outcome);
        storage.before = () => undefined;
        expect(await answersOf(await openDaybook({ storage, clock }))).toEqual(right);
      }
  });

  test("a query fails with it, and the next one is answered", async () => {
    for (let number = first; ; number += STRIDE) {
      const storage = new RecordingStorage(stores[0]);
      const daybook = await openDaybook({ storage, clock, memoryBudgetBytes: 0 });
      const hasFailed = failAt(storage, number, code);
      const outcome = await daybook.aggregate({ field: "url" }).catch((error: unknown) => (error as DaybookError).code);
      storage.before = () => undefined;
      expect(await answersOf(daybook)).toEqual(right);
      if (!hasFailed()) break;
      expect(outcome).toBe(code);
    }
  });

  test("an ingest, a seal or a close that fails loses nothing that was answered", async () => {
    for (let number = first; ; number += STRIDE) {
      const storage = new RecordingStorage(stores[1]);
      const daybook = await openDaybook({ storage, clock });
      const hasFailed = failAt(storage, number, code);
      const stored: string[] = [];
      for (const name of ["a", "b", "c"]) {
        const isStored = await daybook.ingest([{ id: name, name, createdAt: new Date(5) }]).then(() => true, () => false);
        if (isStored) stored.push(name);
        await daybook.seal().catch(() => undefined);
      }
      await daybook.close().catch(() => undefined);
      const isOver = !hasFailed();
      storage.before = () => undefined;
      const again = await openDaybook({ storage, clock });
      const found = (await again.searchEvents({ endDate: "1970-01-02" })).events.map(({ name }) => name);
      expect(found, `operation ${number}`).toEqual(expect.arrayContaining(stored));
      expect(await again.countEvents()).toBe(90 + found.length);
      expect(new Set(found).size).toBe(found.length);
      if (isOver) break;
    }
  });
});

describe("What a seal behind the back of ingest failed with", () => {
  // It begins once a head is full.
  useLimits({ headRowCount: 2_500 });

  test("is told by stats, until one goes well", async () => {
    const storage = new RecordingStorage();
    const daybook = await openDaybook({ storage, clock });
    expect((await daybook.stats()).sealError).toBe(null);
    storage.before = (operation) => {
      if (operation.startsWith("write segments/")) throw new DaybookError("storage_full", "no room for a segment");
    };
    const rows = (from: number) => Array.from({ length: 900 }, (_, at) => ({ id: `${from + at}`, name: "view", createdAt: new Date(5) }));
    for (let from = 0; from < 2_700; from += 900) await daybook.ingest(rows(from));
    await vi.waitFor(async () => expect((await daybook.stats()).sealError).not.toBe(null), 10_000);
    expect(await daybook.stats()).toMatchObject({ health: "ok", sealError: "no room for a segment", eventCount: 2_700 });
    storage.before = () => undefined;
    await daybook.seal();
    expect(await daybook.stats()).toMatchObject({ sealError: null, headRowCount: 0, eventCount: 2_700 });
    await daybook.close();
  });
});
