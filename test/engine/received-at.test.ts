import {
  DaybookError, fixedClock, memoryStorage, openDaybook, verifyStore, type Daybook, type EventInput, type ExportInput, type Storage,
} from "daybook";
import { seededRandom } from "daybook/testing";
import { describe, expect, onTestFinished, test } from "vitest";
import { eventsFromIpc } from "../../src/formats/arrow/events-from-ipc.js";
import { decodeManifest, encodeManifest, type Manifest } from "../../src/store/files/manifest.js";
import { restoreStore } from "../../src/store/backup/backup-store.js";
import { flipped } from "../format/damage-kit.js";
import { eventsOf, parquetOf } from "../formats/parquet/files.js";
import { baseSeed, caseCount } from "../oracle/settings.js";
import { lastingMemory, objectsOf, storageWith, withObject, type Objects } from "../store/objects.js";

const DAY_MS = 86_400_000;
const MORNING = Date.UTC(2026, 2, 10, 8);
const MINUTE_MS = 60_000;

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
}

/** When each event was accepted, by name. */
async function received(daybook: Daybook, input: ExportInput = { afterSequence: 0 }): Promise<Readonly<Record<string, string | undefined>>> {
  const events = await all(daybook.exportEvents(input));
  return Object.fromEntries(events.sort((a, b) => (a.sequence ?? 0) - (b.sequence ?? 0)).map(({ name, receivedAt }) => [name, receivedAt]));
}

/** Opens a Daybook that is closed when the test ends, at 8:00 unless set. */
async function open(storage: Storage, clock = fixedClock(MORNING)): Promise<Daybook> {
  const daybook = await openDaybook({ storage, clock });
  onTestFinished(() => daybook.close());
  return daybook;
}

/** Two events of a batch, of two days long ago, by two people. */
function batch(...names: readonly string[]): EventInput[] {
  return names.map((name, at) => ({ name, userId: name, createdAt: MORNING - (3 + at) * DAY_MS }));
}

const EIGHT = "2026-03-10T08:00:00.000Z";
const NINE = "2026-03-10T09:00:00.000Z";
const TEN = "2026-03-10T10:00:00.007Z";
const THREE_BATCHES = { a: EIGHT, b: EIGHT, c: NINE, d: NINE, e: TEN, f: TEN };

/** Three batches, at 8:00, 9:00 and 10:00: the first sealed, the second in a file of its own or not, the third in the journal. */
async function threeBatches(storage: Storage): Promise<Daybook> {
  const clock = fixedClock(MORNING);
  const daybook = await open(storage, clock);
  await daybook.ingest(batch("a", "b"));
  await daybook.seal();
  clock.set(MORNING + 60 * MINUTE_MS);
  await daybook.ingest(batch("c", "d"));
  clock.set(MORNING + 120 * MINUTE_MS + 7);
  await daybook.ingest(batch("e", "f"));
  return daybook;
}

async function manifestOf(storage: Storage): Promise<Manifest> {
  return decodeManifest((await storage.read("MANIFEST")) ?? new Uint8Array(0));
}

describe("receivedAt", () => {
  test("is the time of the commit, in exports that have sequences only", async () => {
    const daybook = await threeBatches(memoryStorage());
    expect(await received(daybook)).toEqual(THREE_BATCHES);
    expect(await received(daybook, { afterSequence: 3 })).toEqual({ d: NINE, e: TEN, f: TEN });
    expect(await received(daybook, { afterSequence: 1, upToSequence: 3 })).toEqual({ b: EIGHT, c: NINE });
    expect(await all(daybook.exportEvents({ upToSequence: 1 }))).toEqual([expect.not.objectContaining({ receivedAt: expect.anything() as unknown })]);
    await daybook.seal();
    expect(await received(daybook)).toEqual(THREE_BATCHES);
  });

  test("is a timestamp in Arrow and Parquet", async () => {
    const daybook = await threeBatches(memoryStorage());
    const expected = Object.entries(THREE_BATCHES).sort();
    const pairsOf = (events: Iterable<unknown>) => [...events].map((event) => event as { name: string; receivedAt: string }).map(({ name, receivedAt }) => [name, receivedAt]).sort();
    expect(pairsOf(eventsFromIpc(Buffer.concat(await all(daybook.exportArrow({ afterSequence: 0 })))))).toEqual(expected);
    expect(pairsOf(await eventsOf(await parquetOf(daybook, { afterSequence: 0 })))).toEqual(expected);
  });

  test("stays after a restart, a crash, a backup and an erasure", async () => {
    const storage = lastingMemory();
    const daybook = await threeBatches(storage);
    // A crash leaves what is stored now.
    const crashed = await open(await storageWith(await objectsOf(storage)));
    expect(await received(crashed)).toEqual(THREE_BATCHES);
    const reader = await openDaybook({ storage: await storageWith(await objectsOf(storage)), readOnly: true });
    expect(await received(reader)).toEqual(THREE_BATCHES);
    await reader.close();
    const backup = lastingMemory();
    await daybook.backup(backup);
    const restored = lastingMemory();
    await restoreStore(backup, restored);
    expect(await received(await open(restored))).toEqual(THREE_BATCHES);
    await daybook.erase({ userId: "d" });
    const { d: _, ...left } = THREE_BATCHES;
    expect(await received(daybook)).toEqual(left);
    await daybook.close();
    expect(await received(await open(storage))).toEqual(left);
    expect((await verifyStore(storage)).findings).toEqual([]);
  });

  test("stays when segments are compacted, and few files have the times of many seals", async () => {
    const storage = lastingMemory();
    const clock = fixedClock(MORNING);
    const daybook = await open(storage, clock);
    const expected: Record<string, string> = {};
    for (let minute = 0; minute < 12; minute += 1) {
      clock.set(MORNING + minute * MINUTE_MS);
      await daybook.ingest([{ name: `minute ${minute}`, createdAt: MORNING - DAY_MS }]);
      await daybook.seal();
      expected[`minute ${minute}`] = new Date(clock.now()).toISOString();
    }
    expect(await received(daybook)).toEqual(expected);
    await daybook.close();
    const { received: files, segments } = await manifestOf(storage);
    expect(segments.length).toBeLessThan(12);
    expect(files.map(({ firstSequence, nextSequence }) => [firstSequence, nextSequence])).toEqual([[1, 9], [9, 13]]);
    expect(await received(await open(storage))).toEqual(expected);
  });

  test("is in one file after seals with deletions between, whose sequences no event has", async () => {
    const storage = memoryStorage();
    const clock = { now: () => Date.parse(EIGHT) };
    await using daybook = await openDaybook({ storage, clock });
    // A seal merges the files before that are not larger.
    for (const count of [2, 4, 8]) {
      await daybook.ingest(Array.from({ length: count }, (_, at) => (at === 0 ? { name: `first of ${count}` } : { name: "gone", project: "gone" })));
      await daybook.seal();
      await daybook.deleteProject("gone");
    }
    await daybook.ingest(Array.from({ length: 20 }, () => ({ name: "last" })));
    await daybook.seal();
    expect((await manifestOf(storage)).received.map(({ firstSequence, nextSequence }) => [firstSequence, nextSequence])).toEqual([[1, 38]]);
    expect(await received(daybook)).toEqual({ "first of 2": EIGHT, "first of 4": EIGHT, "first of 8": EIGHT, last: EIGHT });
  });

  test("is known to a follower, of commits that it read from the journal and of sealed ones", async () => {
    const storage = lastingMemory();
    const daybook = await threeBatches(storage);
    const follower = await openDaybook({ storage, readOnly: true, follow: true, clock: fixedClock(MORNING) });
    onTestFinished(() => follower.close());
    expect(await received(follower)).toEqual(THREE_BATCHES);
    await daybook.ingest(batch("g"));
    await daybook.seal();
    await daybook.ingest(batch("h"));
    await expect.poll(() => received(follower)).toEqual({ ...THREE_BATCHES, g: TEN, h: TEN });
  });

  test("is known to a reader whose files of times the writer has replaced", async () => {
    const storage = lastingMemory();
    const daybook = await threeBatches(storage);
    const reader = await openDaybook({ storage, readOnly: true, clock: fixedClock(MORNING) });
    onTestFinished(() => reader.close());
    const [former] = (await manifestOf(storage)).received;
    await daybook.seal();
    expect(await storage.read(former?.key ?? "")).toBeNull();
    expect(await received(reader)).toEqual(THREE_BATCHES);
  });

  test("is read again where a seal replaces the file while an export reads it", async () => {
    const storage = lastingMemory();
    const daybook = await threeBatches(storage);
    const [former] = (await manifestOf(storage)).received;
    const read = storage.read.bind(storage);
    let isSealed = false;
    storage.read = async (key, range) => {
      if (key === former?.key && !isSealed) {
        isSealed = true;
        await daybook.seal();
      }
      return await read(key, range);
    };
    expect(await received(daybook)).toEqual(THREE_BATCHES);
    expect(isSealed).toBe(true);
  });

  test("follows a clock that goes back", async () => {
    const clock = fixedClock(MORNING);
    const storage = lastingMemory();
    const daybook = await open(storage, clock);
    await daybook.ingest(batch("a"));
    clock.set(MORNING - 5);
    await daybook.ingest(batch("b"));
    await daybook.seal();
    expect(await received(daybook)).toEqual({ a: EIGHT, b: "2026-03-10T07:59:59.995Z" });
  });
});

test("Of random histories with seals, restarts and crashes, each event was received when it was ingested.", async () => {
  for (let run = 0; run < caseCount(20); run += 1) {
    const random = seededRandom(baseSeed + run);
    const clock = fixedClock(MORNING);
    let storage: Storage = lastingMemory();
    let daybook = await openDaybook({ storage, clock });
    const expected: Record<string, string> = {};
    let count = 0;
    for (let step = 0; step < 25; step += 1) {
      clock.set(clock.now() + random.pick([0, 0, 1, 999, MINUTE_MS, -3]));
      switch (random.between(0, 7)) {
        case 0: await daybook.seal(); break;
        case 1: await daybook.close(); daybook = await openDaybook({ storage, clock }); break;
        case 2: {
          const left = await storageWith(await objectsOf(storage));
          await daybook.close();
          storage = left;
          daybook = await openDaybook({ storage, clock });
          break;
        }
        case 3: await daybook.identify({ userId: `user ${step}`, createdAt: new Date(MORNING) }); break;
        default: {
          const names = Array.from({ length: random.between(1, 4) }, () => `event ${(count += 1)}`);
          await daybook.ingest(batch(...names));
          for (const name of names) expected[name] = new Date(clock.now()).toISOString();
        }
      }
    }
    expect(await received(daybook), `seed ${baseSeed + run}`).toEqual(expected);
    await daybook.close();
    expect((await verifyStore(storage)).findings).toEqual([]);
  }
});

describe("a damaged file of times", () => {
  /** Two files of times, in a store that was closed. */
  async function twoFiles(): Promise<{ readonly objects: Objects; readonly keys: readonly string[] }> {
    const storage = lastingMemory();
    const clock = fixedClock(MORNING);
    const daybook = await openDaybook({ storage, clock });
    await daybook.ingest(batch("a", "b", "c"));
    await daybook.seal();
    clock.set(MORNING + 60 * MINUTE_MS);
    await daybook.ingest(batch("d"));
    await daybook.close();
    return { objects: await objectsOf(storage), keys: (await manifestOf(storage)).received.map(({ key }) => key) };
  }

  test("is found by exports that need it and by verify, whichever byte it is, and by nothing else", async () => {
    const { objects, keys: [key = "", newer] } = await twoFiles();
    expect(newer).toBeDefined();
    const bytes = objects.get(key) ?? new Uint8Array(0);
    let unread = 0;
    for (let at = 0; at < bytes.length; at += 1) {
      const storage = await storageWith(withObject(objects, key, flipped(bytes, at, 1 << (at % 8))));
      const { findings } = await verifyStore(storage);
      expect(findings.map(({ file }) => file), `byte ${at}`).toContain(key);
      const daybook = await openDaybook({ storage, readOnly: true, clock: fixedClock(MORNING) });
      expect((await all(daybook.exportEvents())).length).toBe(4);
      expect(await received(daybook, { afterSequence: 3 })).toEqual({ d: NINE });
      // Reads skip the start of a file and what fills up a block: these bytes mean nothing.
      const outcome: unknown = await received(daybook).catch((thrown: unknown) => thrown);
      if (outcome instanceof DaybookError) expect(outcome, `byte ${at}`).toMatchObject({ code: "corruption", details: { key } });
      else {
        expect(outcome).toEqual({ a: EIGHT, b: EIGHT, c: EIGHT, d: NINE });
        unread += 1;
      }
      await daybook.close();
    }
    expect(unread).toBeLessThan(16);
  });

  test("is found by verify where the manifest names other sequences than it has, or some twice", async () => {
    const { objects } = await twoFiles();
    const manifest = decodeManifest(objects.get("MANIFEST") ?? new Uint8Array(0));
    const [older, newer] = manifest.received;
    if (older === undefined || newer === undefined) throw new Error("expected two files");
    const foundWith = async (received: Manifest["received"]) => {
      const { findings } = await verifyStore(await storageWith(withObject(objects, "MANIFEST", encodeManifest({ ...manifest, received }))));
      return findings.map(({ file }) => file);
    };
    expect(await foundWith([older, newer])).toEqual([]);
    expect(await foundWith([{ ...older, firstSequence: 2 }, newer])).toEqual([older.key]);
    expect(await foundWith([older, { ...newer, firstSequence: 3 }])).toEqual(["MANIFEST"]);
    expect(await foundWith([older, { ...newer, nextSequence: 6 }])).toEqual(["MANIFEST"]);
  });

  test("hinders no seal", async () => {
    const { objects, keys: [, newer = ""] } = await twoFiles();
    const storage = await storageWith(withObject(objects, newer, new Uint8Array(3)));
    const daybook = await open(storage);
    await daybook.ingest(batch("e"));
    await daybook.seal();
    expect(await received(daybook, { afterSequence: 4 })).toEqual({ e: EIGHT });
    await expect(received(daybook)).rejects.toMatchObject({ code: "corruption", details: { key: newer } });
  });

  test("is set aside by a salvage, and only its times are lost", async () => {
    const { objects, keys: [key = ""] } = await twoFiles();
    const storage = await storageWith(withObject(objects, key, null));
    const daybook = await openDaybook({ storage, clock: fixedClock(MORNING), onCorruption: "quarantine" });
    onTestFinished(() => daybook.close());
    const unknown = { a: undefined, b: undefined, c: undefined, d: NINE };
    expect(await received(daybook)).toEqual(unknown);
    await daybook.ingest(batch("e"));
    await daybook.seal();
    expect(await received(daybook)).toEqual({ ...unknown, e: EIGHT });
    expect((await manifestOf(storage)).quarantined).toMatchObject([{ key, lostRows: [] }]);
    const input = { afterSequence: 0 };
    const stream = eventsFromIpc(Buffer.concat(await all(daybook.exportArrow(input))));
    const timesOf = (events: Iterable<unknown>) => Object.fromEntries([...events].map((event) => event as { name: string; receivedAt?: string | null }).map(({ name, receivedAt }) => [name, receivedAt ?? undefined]));
    expect(timesOf(stream)).toEqual({ ...unknown, e: EIGHT });
    expect(timesOf(await eventsOf(await parquetOf(daybook, input)))).toEqual({ ...unknown, e: EIGHT });
  });

  test("elsewhere leaves the times of journals to a salvage", async () => {
    const storage = lastingMemory();
    const daybook = await threeBatches(storage);
    const { segments: [segment] } = await manifestOf(storage);
    const objects = await objectsOf(storage);
    await daybook.close();
    const damaged = await storageWith(withObject(objects, segment?.key ?? "", null));
    const salvaged = await openDaybook({ storage: damaged, clock: fixedClock(MORNING), onCorruption: "quarantine" });
    onTestFinished(() => salvaged.close());
    const { a: _, b: __, ...left } = THREE_BATCHES;
    expect(await received(salvaged)).toMatchObject(left);
    expect((await verifyStore(damaged)).findings).toEqual([]);
  });
});
