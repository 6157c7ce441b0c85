import { fixedClock, memoryStorage, openDaybook, verifyStore, type Daybook, type EventInput, type ExportedDeletion, type ExportedEvent, type ExportInput, type Storage } from "daybook";
import { sha256Hex } from "../../src/core/base/hash.js";
import { LIMITS } from "../../src/core/base/limits.js";
import { uuidOfPublic } from "../../src/core/base/uuid.js";
import { describe, expect, test } from "vitest";
import { eventsFromIpc } from "../../src/formats/arrow/events-from-ipc.js";
import { eventsOf, parquetOf } from "../formats/parquet/files.js";
import { lastingMemory, objectsOf, storageWith } from "../store/objects.js";
import { RecordingStorage } from "../store/recording-storage.js";

const DAY_MS = 86_400_000;
const NOW = Date.UTC(2026, 2, 10, 12);
const at = (day: number) => Date.UTC(2026, 2, day);

const open = (storage: Storage, nowMs = NOW) => openDaybook({ storage, clock: fixedClock(nowMs) });

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
}

/** Names and sequences of what an export yields. */
async function exported(daybook: Daybook, input: ExportInput): Promise<[name: string, sequence: number | undefined][]> {
  return (await all(daybook.exportEvents(input))).map(({ name, sequence }) => [String(name), sequence]);
}

/** What a copy has to do, in short. */
async function deletions(daybook: Daybook, afterSequence: number): Promise<unknown[]> {
  return (await all(daybook.exportDeletions({ afterSequence }))).map(({ action, fromSequence, toSequence, projectSha256, before }) => [action, fromSequence, toSequence, projectSha256, before]);
}

const FIVE: readonly EventInput[] = [
  { id: "1", name: "a", userId: "ann", anonymousId: "d1", createdAt: at(3), url: "/" },
  { id: "2", name: "b", userId: "bob", anonymousId: "d1", createdAt: at(4), project: "shop" },
  { id: "3", name: "c", userId: "ann", createdAt: at(5) },
  { id: "4", name: "late", userId: "cyd", createdAt: at(1) },
  { id: "5", name: "e", userId: "cyd", createdAt: at(6), project: "shop" },
];

/** Three events sealed, two after them in heads. */
async function five(storage: Storage = memoryStorage(), nowMs = NOW): Promise<Daybook> {
  const daybook = await open(storage, nowMs);
  await daybook.ingest(FIVE.slice(0, 3));
  await daybook.seal();
  await daybook.ingest(FIVE.slice(3));
  return daybook;
}

describe("afterSequence", () => {
  test("yields what was stored since, a late event too, in order of time, each with its sequence", async () => {
    await using daybook = await five();
    expect(await exported(daybook, { afterSequence: 3 })).toEqual([["late", 4], ["e", 5]]);
    expect(await exported(daybook, { afterSequence: 0 })).toEqual([["late", 4], ["a", 1], ["b", 2], ["c", 3], ["e", 5]]);
    expect(await exported(daybook, { afterSequence: 5 })).toEqual([]);
    expect(await exported(daybook, {})).toEqual([["late", undefined], ["a", undefined], ["b", undefined], ["c", undefined], ["e", undefined]]);
  });

  test.each(["a segment", "a head", "both"])("cuts %s of one day, in files too", async (state) => {
    await using daybook = await open(memoryStorage());
    const events = Array.from({ length: 6 }, (_, index) => ({ name: `e${index + 1}`, createdAt: at(6) - index * 1_000 - 1 }));
    await daybook.ingest(events.slice(0, 4));
    if (state === "both") await daybook.seal();
    await daybook.ingest(events.slice(4));
    if (state === "a segment") await daybook.seal();
    const input = { afterSequence: 2, upToSequence: 5 };
    const expected = [["e5", 5], ["e4", 4], ["e3", 3]];
    expect(await exported(daybook, input)).toEqual(expected);
    const sequenceOf = (event: unknown) => (event as { readonly sequence?: number }).sequence;
    expect((await eventsOf(await parquetOf(daybook, input))).map((event) => [event.name, sequenceOf(event)])).toEqual(expected);
    const stream = Buffer.concat(await all(daybook.exportArrow(input)));
    expect([...eventsFromIpc(stream)].map((event) => [event.name, sequenceOf(event)])).toEqual(expected);
  });

  test("goes with upToSequence, project, dates, names and filters of queries", async () => {
    await using daybook = await five();
    expect(await exported(daybook, { afterSequence: 1, upToSequence: 4 })).toEqual([["late", 4], ["b", 2], ["c", 3]]);
    expect(await exported(daybook, { upToSequence: 1 })).toEqual([["a", undefined]]);
    expect(await exported(daybook, { afterSequence: 1, project: "shop" })).toEqual([["b", 2], ["e", 5]]);
    expect(await exported(daybook, { afterSequence: 1, startDate: "2026-03-05" })).toEqual([["c", 3], ["e", 5]]);
    expect(await exported(daybook, { afterSequence: 0, eventName: "c" })).toEqual([["c", 3]]);
    const isCyd = [{ filters: [{ fieldName: "user_id", operator: "=", value: "cyd" }] }] as const;
    expect(await exported(daybook, { afterSequence: 4, filterGroups: isCyd })).toEqual([["e", 5]]);
    expect(await exported(daybook, { filterGroups: isCyd })).toEqual([["late", undefined], ["e", undefined]]);
    const shoppers = { groups: [{ conditions: [{ type: "did", eventName: "b" }] }] } as const;
    const isIn = [{ filters: [{ fieldName: "identity_id", operator: "in_segment", value: "shoppers" }] }] as const;
    const segments = { segments: { shoppers }, filterGroups: isIn } as unknown as ExportInput;
    expect(await exported(daybook, segments)).toEqual([["b", undefined]]);
    await daybook.segments.put("shoppers", shoppers);
    expect(await exported(daybook, { afterSequence: 0, filterGroups: isIn } as unknown as ExportInput)).toEqual([["b", 2]]);
  });

  test.each([
    [{ afterSequence: 6 }, "afterSequence", "expected a sequence up to the newest, which is 5, got 6"],
    [{ upToSequence: 6 }, "upToSequence", "expected a sequence up to the newest, which is 5, got 6"],
    [{ afterSequence: 3, upToSequence: 2 }, "upToSequence", "expected afterSequence, which is 3, or a later sequence, got 2"],
    [{ afterSequence: -1 }, "afterSequence", "expected an integer from 0"],
    [{ afterSequence: 1.5 }, "afterSequence", "expected an integer from 0"],
  ])("is refused in %j", async (input, param, reason) => {
    await using daybook = await five();
    for (const items of [daybook.exportEvents(input), daybook.exportArrow(input), daybook.exportParquet(input)])
      await expect(all(items as AsyncIterable<unknown>)).rejects.toMatchObject({ code: "invalid_parameter", details: { param }, message: expect.stringContaining(reason) as string });
  });

  test("is refused by an export of deletions that names no sequence, or one that is not reached", async () => {
    await using daybook = await five();
    await expect(all(daybook.exportDeletions({} as never))).rejects.toMatchObject({ code: "invalid_parameter", details: { param: "afterSequence" } });
    await expect(all(daybook.exportDeletions({ afterSequence: 6 }))).rejects.toMatchObject({ code: "invalid_parameter", details: { param: "afterSequence" } });
  });

  test("reports the sequence that an export reaches, which is not that of an event", async () => {
    await using daybook = await five();
    await daybook.identify({ userId: "ann", traits: { plan: "pro" } });
    const reached: number[] = [];
    const onSequence = (sequence: number) => void reached.push(sequence);
    await all(daybook.exportEvents({ afterSequence: 5 }, { onSequence }));
    await daybook.deleteEvents({ before: "2026-03-02" });
    await all(daybook.exportParquet({ afterSequence: 0, eventName: "a" }, { onSequence }));
    await all(daybook.exportArrow({ upToSequence: 4 }, "stream", { onSequence }));
    await all(daybook.exportEvents({}, { onSequence }));
    expect(reached).toEqual([6, 7, 4]);
    await expect(all(daybook.exportEvents({}, { onSequence: 1 as never }))).rejects.toMatchObject({ code: "invalid_parameter", details: { param: "onSequence" } });
  });

  test("opens no segment without later rows", async () => {
    const storage = new RecordingStorage();
    const writer = await open(storage);
    for (let day = 1; day <= 8; day += 1) {
      await writer.ingest([{ name: `day ${day}`, createdAt: at(day) }]);
      await writer.seal();
    }
    await writer.close();
    await using daybook = await openDaybook({ storage, clock: fixedClock(NOW), readOnly: true, memoryBudgetBytes: 1 });
    const read = new Set<string>();
    storage.before = (operation) => void (operation.startsWith("read segments/") && read.add(operation));
    expect(await exported(daybook, { afterSequence: 6 })).toEqual([["day 7", 7], ["day 8", 8]]);
    expect(read.size).toBe(2);
    await exported(daybook, {});
    expect(read.size).toBe(8);
  });
});

describe("an export of deletions", () => {
  test("tells a deletion by project and time, and one of all projects for each that loses events", async () => {
    await using daybook = await five();
    await daybook.deleteEvents({ before: "2026-03-05", project: "shop" });
    const shop = sha256Hex("shop");
    expect(await deletions(daybook, 5)).toEqual([["delete", 1, 5, shop, "2026-03-05T00:00:00.000Z"]]);
    await daybook.ingest([{ name: "new", createdAt: at(2) }]);
    await daybook.deleteEvents({ before: "2026-03-06" });
    // The first deletion has the sequence 6, the new event 7.
    expect(await deletions(daybook, 7)).toEqual([["delete", 1, 7, sha256Hex("default"), "2026-03-06T00:00:00.000Z"]]);
    expect(await deletions(daybook, 5)).toHaveLength(2);
    await daybook.deleteProject("shop");
    // It includes the first one.
    expect(await deletions(daybook, 0)).toEqual([["delete", 1, 7, sha256Hex("default"), "2026-03-06T00:00:00.000Z"], ["delete", 1, 8, shop, null]]);
  });

  test("tells an erasure by sequences, and whose events lost a device", async () => {
    await using daybook = await five();
    await daybook.erase({ userId: "ann" });
    // d1 was ann's first: bob used it later.
    expect(await deletions(daybook, 5)).toEqual([["delete", 1, 1, null, null], ["delete", 3, 3, null, null], ["clearAnonymousId", 2, 2, null, null]]);
    const [{ deletedAt, sequence } = {} as ExportedDeletion] = await all(daybook.exportDeletions({ afterSequence: 5 }));
    expect([deletedAt, sequence]).toEqual([new Date(NOW).toISOString(), 6]);
  });

  test("tells nothing of what removed nothing, and nothing of deletions before the sequence", async () => {
    await using daybook = await five();
    await daybook.deleteEvents({ before: "2026-03-01" });
    expect(await deletions(daybook, 0)).toEqual([]);
    await daybook.deleteEvents({ before: "2026-03-02" });
    await daybook.ingest([{ name: "new", createdAt: at(9) }]);
    expect(await deletions(daybook, 6)).toEqual([]);
    expect(await deletions(daybook, 5)).toHaveLength(1);
  });

  test("tells what a public key sent by the start of its ids, however many events it sent", async () => {
    await using daybook = await five();
    const sent = ["x", "y"].map((id) => ({ id: uuidOfPublic("shop", id, sha256Hex("pk_leaked")), name: id, project: "shop", createdAt: at(7) }));
    await daybook.ingest([...sent, { name: "own", createdAt: at(7) }]);
    await daybook.deleteEventsOfKey("pk_leaked");
    const { id } = sent[0] ?? expect.fail("no event");
    expect(await all(daybook.exportDeletions({ afterSequence: 5 }))).toEqual([
      { action: "delete", fromSequence: 1, toSequence: 8, projectSha256: null, before: null, idPrefix: id.slice(0, 15), sequence: 9, deletedAt: new Date(NOW).toISOString() },
    ]);
  });

  test("tells what a time to live removed", async () => {
    await using daybook = await five();
    await daybook.timeToLive.set("shop", { days: 5 });
    await daybook.timeToLive.sweep();
    expect(await deletions(daybook, 0)).toEqual([["delete", 1, 5, sha256Hex("shop"), "2026-03-05T00:00:00.000Z"]]);
  });

  test("goes through openings, backups and verification, and to a follower", async () => {
    const storage = lastingMemory();
    await using daybook = await five(storage);
    await daybook.erase({ userId: "ann" });
    const told = await deletions(daybook, 1);
    expect(told).toHaveLength(3);
    await using reader = await openDaybook({ storage, clock: fixedClock(NOW), readOnly: true });
    expect(await deletions(reader, 1)).toEqual(told);
    const copy = lastingMemory();
    await daybook.backup(copy);
    expect((await verifyStore(copy)).findings).toEqual([]);
    await using restored = await open(copy);
    expect(await deletions(restored, 1)).toEqual(told);
    expect((await verifyStore(storage)).findings).toEqual([]);
  });

  test("forgets what is thirty days old with the next deletion, and then refuses copies of before", async () => {
    const storage = lastingMemory();
    const first = await five(storage);
    await first.erase({ userId: "ann" });
    await first.ingest([{ name: "new", createdAt: at(9) }]);
    await first.close();
    const day = async (later: number, before: string) => {
      const daybook = await open(storage, NOW + later);
      await daybook.deleteEvents({ before });
      return daybook;
    };
    await using kept = await day(LIMITS.keptDeletionMs, "2026-03-02");
    expect(await deletions(kept, 5)).toHaveLength(4);
    await kept.close();
    await using daybook = await day(LIMITS.keptDeletionMs + DAY_MS, "2026-03-06");
    expect(await deletions(daybook, 6)).toHaveLength(2);
    expect(await deletions(daybook, 0)).toHaveLength(2);
    await expect(deletions(daybook, 5)).rejects.toMatchObject({
      code: "invalid_parameter", message: expect.stringContaining("deletions are kept for 30 days, and those up to sequence 6 are forgotten: copy all events again") as string,
    });
  });

  test("after salvage of a damaged file refuses copies of before", async () => {
    const storage = lastingMemory();
    const writer = await five(storage);
    await writer.erase({ userId: "ann" });
    await writer.close();
    const keys = await storage.list("identities/");
    const read = async (key: string) => (await storage.read(key)) ?? expect.fail(`no ${key}`);
    const [text = ""] = Buffer.from(await read("MANIFEST")).toString().split("\n");
    const manifest = JSON.parse(text) as { deletions: { key: string } };
    expect(keys).toContain(manifest.deletions.key);
    const bytes = await read(manifest.deletions.key);
    await storage.write(manifest.deletions.key, bytes.map((byte, place) => (place === 40 ? byte ^ 1 : byte)));
    expect([...new Set((await verifyStore(storage)).findings.map(({ file }) => file))]).toEqual([manifest.deletions.key]);
    await using broken = await open(storage);
    await expect(deletions(broken, 5)).rejects.toMatchObject({ code: "corruption" });
    await broken.close();
    await using salvaged = await openDaybook({ storage, clock: fixedClock(NOW), onCorruption: "quarantine" });
    await expect(deletions(salvaged, 5)).rejects.toMatchObject({ code: "invalid_parameter", message: expect.stringContaining("up to sequence 6 are forgotten") as string });
    expect(await deletions(salvaged, 0)).toEqual([]);
    expect((await verifyStore(storage)).findings).toEqual([]);
  });
});

/** Deletions of what a copy that has reached `reached` has to repeat, or the code of the refusal. */
const deletionCount = async (daybook: Daybook, reached: number) =>
  await deletions(daybook, reached).then(({ length }) => length, (error: unknown) => (error as { code: string }).code);

describe("an export of deletions beside erasures", () => {
  test("of a reader that follows nothing shows those of its opening, after the writer replaced the file", async () => {
    const storage = lastingMemory();
    await using daybook = await five(storage);
    await daybook.erase({ userId: "ann" });
    await using reader = await openDaybook({ storage, clock: fixedClock(NOW), readOnly: true });
    await daybook.erase({ userId: "bob" });
    expect(await deletions(reader, 5)).toEqual([["delete", 1, 1, null, null], ["delete", 3, 3, null, null], ["clearAnonymousId", 2, 2, null, null]]);
    expect(await deletions(daybook, 6)).toEqual([["delete", 2, 2, null, null]]);
  });

  test("of a reader that follows goes on", async () => {
    const storage = lastingMemory();
    await using daybook = await five(storage);
    await using reader = await openDaybook({ storage, clock: fixedClock(NOW), readOnly: true, follow: true });
    await daybook.erase({ userId: "ann" });
    await daybook.ingest([{ name: "new", createdAt: at(9) }]);
    await expect.poll(() => deletionCount(reader, 5), { timeout: 5_000 }).toBe(3);
    await expect.poll(() => exported(reader, { afterSequence: 5 }), { timeout: 5_000 }).toEqual([["new", 7]]);
  });

  test("repeats a deletion for a copy of before, once, and forgets it for one that has reached it", async () => {
    const storage = lastingMemory();
    const night = async (day: number, userId: string) => {
      const daybook = await open(storage, NOW + day * DAY_MS);
      await daybook.erase({ userId });
      return daybook;
    };
    await (await five(storage)).close();
    await (await night(1, "ann")).close();
    await using daybook = await night(33, "bob");
    // ann's has the sequence 6, bob's 7.
    expect(await Promise.all([0, 5, 6, 7].map((reached) => deletionCount(daybook, reached)))).toEqual([1, "invalid_parameter", 1, 0]);
  });

  test("is not stopped by a damaged list, which the next one replaces", async () => {
    const storage = lastingMemory();
    const writer = await five(storage);
    await writer.erase({ userId: "ann" });
    await writer.close();
    await damageDeletions(storage);
    await using daybook = await open(storage);
    await daybook.deleteEvents({ before: "2026-03-02" });
    expect(await deletions(daybook, 6)).toEqual([["delete", 1, 6, sha256Hex("default"), "2026-03-02T00:00:00.000Z"]]);
    expect(await deletionCount(daybook, 5)).toBe("invalid_parameter");
    await daybook.close();
    expect((await verifyStore(storage)).findings).toEqual([]);
  });

  test("after salvage of a journal new events have far later sequences, and copies of before are refused", async () => {
    const storage = lastingMemory();
    const writer = await open(storage);
    for (const name of ["a", "b", "c"]) await writer.ingest([{ name, createdAt: at(3) }]);
    const objects = new Map(await objectsOf(storage));
    await writer.close();
    // Breaks b, which a later frame proves to have been durable.
    const [key = ""] = [...objects.keys()].filter((each) => each.startsWith("journal/"));
    const bytes = objects.get(key) ?? expect.fail("no journal");
    objects.set(key, bytes.map((byte, place) => (place === bytes.length >> 1 ? byte ^ 1 : byte)));
    const broken = await storageWith(objects);
    await using salvaged = await openDaybook({ storage: broken, clock: fixedClock(NOW), onCorruption: "quarantine" });
    await salvaged.ingest([{ name: "new", createdAt: at(4) }]);
    expect((await exported(salvaged, { afterSequence: 3 }))).toEqual([["new", 1_000_004]]);
    expect(await Promise.all([3, 1_000_003].map((reached) => deletionCount(salvaged, reached)))).toEqual(["invalid_parameter", 0]);
  });
});

async function damageDeletions(storage: Storage): Promise<void> {
  const read = async (key: string) => (await storage.read(key)) ?? expect.fail(`no ${key}`);
  const [text = ""] = Buffer.from(await read("MANIFEST")).toString().split("\n");
  const { deletions: { key } } = JSON.parse(text) as { deletions: { key: string } };
  await storage.write(key, (await read(key)).map((byte, place) => (place === 40 ? byte ^ 1 : byte)));
}

/** Keeps types of what is exported: `ingest` refuses a sequence. */
test("an exported event with its sequence is refused by ingest, which names the member", async () => {
  await using daybook = await five();
  const [event] = (await all(daybook.exportEvents({ afterSequence: 0 }))) as [ExportedEvent];
  const { rejected } = await daybook.ingest([event]);
  expect(rejected).toMatchObject([{ code: "invalid_event", message: expect.stringContaining("sequence") as string }]);
});
