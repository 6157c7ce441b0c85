import { describe, expect, test } from "vitest";
import { fixedClock, memoryStorage, openDaybook, type Daybook, type RecordInput, type Storage, type StoredRecord } from "daybook";
import { EMPTY_MANIFEST, decodeManifest, encodeManifest } from "../../src/store/files/manifest.js";
import { storeOf } from "../../src/engine/open-daybook.js";
import { RECORD_FIELDS, RecordTable } from "../../src/identity/record-table.js";
import { NO_RECORD_ONLY_IDS } from "../../src/store/batch/batch.js";
import type { Store } from "../../src/store/live/store.js";
import { yieldToEventLoop } from "../../src/core/base/yield.js";
import { turnsOfOthers } from "../testing/turns-of-others.js";
import { lastingMemory } from "../store/objects.js";
import { RecordingStorage } from "../store/recording-storage.js";

const NOW = Date.UTC(2026, 2, 31, 12);
const createdAt = "2026-03-30T12:00:00.000Z";
const open = (storage: Storage = memoryStorage()) => openDaybook({ storage, clock: fixedClock(NOW) });
const id = (digit: number) => `00000000-0000-4000-8000-00000000000${digit}`;

async function recordsOf(daybook: Daybook): Promise<StoredRecord[]> {
  const records: StoredRecord[] = [];
  for await (const record of daybook.exportRecords()) records.push(record);
  return records;
}

/** One of each type, as they are exported. */
const everyType: readonly StoredRecord[] = [
  { type: "project", name: "empty" },
  { type: "identify", id: id(1), createdAt, userId: "ann", anonymousId: "phone", email: "ann@x.io", traits: { plan: "pro", seats: [1, null] } },
  { type: "group", id: id(2), createdAt, companyId: "acme", anonymousId: "phone", traits: { name: "Acme" } },
  { type: "alias", id: id(3), createdAt, from: "old ann", to: "ann" },
  { type: "identify", id: id(4), createdAt, userId: "bob" },
  { type: "unlink", createdAt, linkId: id(4) },
];

describe("a number that is no safe integer", () => {
  test.each([2 ** 53, -(2 ** 53), 1e21, 1.5])("is no id in the library: %d", async (number) => {
    await using daybook = await open();
    const reason = `expected text or an integer below 2^53, got ${number}; send the id as text`;
    expect((await daybook.ingest([{ name: "e", userId: number }, { name: "e", anonymous_id: number }, { name: "e", userId: 2 ** 53 - 1, metadata: { n: number } }])).rejected).toEqual([
      { index: 0, code: "invalid_event", message: `userId: ${reason}` },
      { index: 1, code: "invalid_event", message: `anonymousId: ${reason}` },
    ]);
    const refusal = (param: string) => ({ code: "invalid_parameter", message: `${param}: ${reason}`, details: { param } });
    await expect(daybook.identify({ userId: number })).rejects.toMatchObject(refusal("userId"));
    await expect(daybook.group({ companyId: number, userId: "ann" })).rejects.toMatchObject(refusal("companyId"));
    await expect(daybook.alias({ from: number, to: "ann" })).rejects.toMatchObject(refusal("from"));
    expect((await daybook.ingestRecords([{ type: "alias", from: "a", to: number }])).rejected).toEqual([{ index: 0, code: "invalid_parameter", message: `to: ${reason}` }]);
    expect((await daybook.searchEvents()).events).toMatchObject([{ userId: "9007199254740991", metadata: { n: number } }]);
  });
});

describe("ingestRecords", () => {
  test("takes back what exportRecords gave, in any order, also what is taken back before it came; the export is the same.", async () => {
    for (const records of [everyType, [...everyType].reverse()]) {
      const storage = lastingMemory();
      const daybook = await open(storage);
      expect(await daybook.ingestRecords(records)).toEqual({ accepted: 6, duplicates: 0, rejected: [], adjusted: [] });
      expect(await recordsOf(daybook)).toEqual(everyType);
      await daybook.close();
      const again = await open(storage);
      expect(await recordsOf(again)).toEqual(everyType);
      expect(again.projects()).toEqual(["default", "empty"]);
      await expect(again.identityProfile({ userId: "bob" })).rejects.toMatchObject({ code: "identity_not_found" });
      expect(await again.identityProfile({ email: "ann@x.io" })).toMatchObject({ events: 0 });
      await again.close();
    }
  });

  test.each([7, 9])("a manifest of another format is refused, and says so: %i", (format) => {
    const manifest = encodeManifest({ ...EMPTY_MANIFEST, format: format as never });
    expect(() => decodeManifest(manifest)).toThrow(`expected format 8, got ${format}: another version of Daybook wrote this store`);
  });

  test("counts what is there already as duplicates, in one batch and in the next, and changes nothing by it.", async () => {
    const daybook = await open();
    expect(await daybook.ingestRecords([...everyType, ...everyType])).toEqual({ accepted: 6, duplicates: 6, rejected: [], adjusted: [] });
    const others: RecordInput[] = [{ type: "identify", id: id(1), userId: "carl" }, { type: "unlink", linkId: id(4), createdAt: NOW }, { type: "project", name: "empty" }];
    expect(await daybook.ingestRecords(others)).toEqual({ accepted: 0, duplicates: 3, rejected: [], adjusted: [] });
    expect(await recordsOf(daybook)).toEqual(everyType);
  });

  test("takes what is looser: no id, no time, numbers as ids, text of any kind as id.", async () => {
    const daybook = await open();
    const told: RecordInput[] = [{ type: "identify", userId: 5, email: " Ann@X.io " }, { type: "group", companyId: 7, userId: 5, id: "crm 1" }, { type: "unlink", linkId: "crm 1" }];
    expect(await daybook.ingestRecords(told)).toMatchObject({ accepted: 3 });
    const records = await recordsOf(daybook);
    expect(records).toContainEqual({ type: "identify", id: expect.any(String) as string, createdAt: "2026-03-31T12:00:00.000Z", userId: "5", email: "ann@x.io" });
    const group = records.find(({ type }) => type === "group") as { readonly id: string };
    expect(records).toContainEqual({ type: "unlink", createdAt: "2026-03-31T12:00:00.000Z", linkId: group.id });
    expect(await daybook.topCompanies()).toMatchObject({ companies: [] });
  });

  test("answers for each bad record what is wrong with it, and stores the others.", async () => {
    const daybook = await open();
    const bad: [record: unknown, code: string, message: RegExp][] = [
      [null, "invalid_parameter", /^expected an object, got null$/],
      [[], "invalid_parameter", /^expected an object, got \[\]$/],
      [{ name: "visit" }, "invalid_parameter", /^type: expected one of identify, group, alias, unlink, project, got undefined$/],
      [{ type: "toString" }, "invalid_parameter", /^type: expected one of .*, got "toString"$/],
      [{ type: "identify" }, "invalid_parameter", /^userId: expected a userId or an anonymousId, got neither$/],
      [{ type: "identify", userId: "ann", linkId: "x" }, "unknown_parameter", /^linkId: unknown/],
      [{ type: "group", userId: "ann" }, "invalid_parameter", /^companyId: /],
      [{ type: "alias", from: "ann" }, "invalid_parameter", /^to: /],
      [{ type: "unlink" }, "invalid_parameter", /^linkId: expected at least one character/],
      [{ type: "unlink", linkId: 5 }, "invalid_parameter", /^linkId: expected text, got 5$/],
      [{ type: "unlink", linkId: "x", createdAt: "yesterday" }, "invalid_parameter", /^createdAt: /],
      [{ type: "project" }, "invalid_parameter", /^name: expected at least one character/],
      [{ type: "project", name: 5 }, "invalid_parameter", /^name: expected text, got 5$/],
      [{ type: "project", name: "a", createdAt }, "unknown_parameter", /^createdAt: unknown; allowed: name$/],
    ];
    const good: RecordInput = { type: "identify", userId: "ann" };
    const { accepted, duplicates, rejected } = await daybook.ingestRecords(bad.flatMap(([record]) => [record as RecordInput, good]));
    expect([accepted, duplicates]).toEqual([bad.length, 0]);
    expect(rejected.map(({ index, code }) => [index, code])).toEqual(bad.map(([, code], at) => [at * 2, code]));
    bad.forEach(([, , message], at) => expect(rejected[at]?.message).toMatch(message));
    await expect(daybook.ingestRecords("all" as never)).rejects.toMatchObject({ code: "invalid_parameter", message: 'records: expected an array, got "all"' });
  });

  test("is one sync a batch, and one together with what else waits.", async () => {
    const storage = new RecordingStorage();
    const daybook = await open(storage);
    const many = Array.from({ length: 600 }, (_, at): RecordInput => ({ type: "identify", id: `${at}`, userId: `user ${at}`, traits: { at } }));
    const syncCount = () => storage.operations.filter((operation) => operation.startsWith("sync")).length;
    const before = syncCount();
    expect(await daybook.ingestRecords(many)).toMatchObject({ accepted: 600 });
    expect(syncCount() - before).toBe(1);
    await Promise.all([daybook.ingestRecords([{ type: "project", name: "new" }, { type: "identify", userId: "ann" }]), daybook.ingest([{ name: "visit" }]), daybook.alias({ from: "a", to: "b" })]);
    expect(syncCount() - before).toBe(2);
    await daybook.close();
  });

  test("gives others a turn every few hundred records, and is seen as a whole or not at all by whoever asks meanwhile.", async () => {
    const count = 5_000;
    const daybook = await open(new RecordingStorage());
    for (let from = 0; from < count; from += 1_000) await daybook.ingest(Array.from({ length: 1_000 }, (_, at) => ({ name: "visit", userId: `user ${from + at}`, createdAt })));
    const many = Array.from({ length: count }, (_, at): RecordInput => ({ type: "identify", id: `${at}`, userId: `user ${at}`, email: `${at}@x.io` }));
    const isKnown = (at: number) => daybook.identityProfile({ email: `${at}@x.io` }).then(() => true, () => false);
    const seen = new Set<string>();
    let isOver = false;
    const asking = (async () => {
      for (let isLast = false; !isLast; isLast = isOver) {
        await yieldToEventLoop();
        seen.add(String(await Promise.all([isKnown(0), isKnown(count / 2), isKnown(count - 1)])));
      }
    })();
    const turnCount = await turnsOfOthers(async () => {
      expect(await daybook.ingestRecords(many)).toEqual({ accepted: count, duplicates: 0, rejected: [], adjusted: [] });
    });
    isOver = true;
    await asking;
    // Checked, encoded, learned of.
    expect(turnCount).toBeGreaterThanOrEqual(3 * Math.floor(count / 256));
    expect([...seen].sort()).toEqual(["false,false,false", "true,true,true"]);
    await daybook.close();
  });

  test("counts long traits as more.", async () => {
    const daybook = await open();
    const note = "x".repeat(10_000);
    const many = Array.from({ length: 200 }, (_, at): RecordInput => ({ type: "identify", id: `${at}`, userId: "ann", traits: { note } }));
    expect(await turnsOfOthers(() => daybook.ingestRecords(many))).toBeGreaterThanOrEqual(30);
  });

  test("fails alone where reading a record throws, and is stored where it was closed or asked to seal meanwhile.", async () => {
    const storage = lastingMemory();
    const daybook = await open(storage);
    const hostile = { get type(): "identify" { throw new Error("mine"); }, userId: "eve" };
    const [records, events, others] = await Promise.allSettled([daybook.ingestRecords([everyType[1] as RecordInput, hostile]), daybook.ingest([{ name: "visit" }]), daybook.ingestRecords([{ type: "project", name: "other" }])]);
    expect(records).toMatchObject({ status: "rejected", reason: { message: "mine" } });
    expect([events, others]).toMatchObject([{ value: { accepted: 1 } }, { value: { accepted: 1 } }]);
    const many = Array.from({ length: 2_000 }, (_, at): RecordInput => ({ type: "identify", id: `${at}`, userId: `user ${at}` }));
    const storing = daybook.ingestRecords(many);
    const sealing = daybook.seal();
    many.length = 0;
    await daybook.close();
    expect(await storing).toMatchObject({ accepted: 2_000 });
    await sealing;
    const again = await open(storage);
    expect((await recordsOf(again)).filter(({ type }) => type === "identify")).toHaveLength(2_000);
    await again.close();
  });

  test("keeps who was erased out, and lets in what happened since.", async () => {
    const storage = lastingMemory();
    const daybook = await open(storage);
    await daybook.ingestRecords(everyType);
    const { id: requestId } = await daybook.privacyRequests.create({ type: "erasure", subject: { email: "ann@x.io" }, regulation: "gdpr" });
    await daybook.privacyRequests.verify(requestId);
    await daybook.privacyRequests.acknowledge(requestId);
    await daybook.privacyRequests.resolve(requestId, "completed");
    const left = await recordsOf(daybook);
    expect(left.map(({ type }) => type)).toEqual(["project", "identify", "unlink"]);
    const { accepted, duplicates, rejected } = await daybook.ingestRecords(everyType);
    expect([accepted, duplicates]).toEqual([0, 3]);
    expect(rejected.map(({ index, code }) => [index, code])).toEqual([[1, "suppressed"], [2, "suppressed"], [3, "suppressed"]]);
    expect(await recordsOf(daybook)).toEqual(left);
    expect(JSON.stringify(left)).not.toContain("ann");
    await daybook.close();
    const later = await openDaybook({ storage, clock: fixedClock(NOW + 3_600_000) });
    expect(await later.ingestRecords([{ type: "identify", userId: "ann" }])).toMatchObject({ accepted: 1 });
    await later.close();
  });
});

describe("exportRecords", () => {
  test("gives back what was told by calls, so that a copy of it is the same, at the edges too.", async () => {
    const daybook = await open();
    await daybook.createProject("made");
    await daybook.ingest([{ name: "visit", project: "p".repeat(5_000), userId: "ann", createdAt }]);
    const long = "x".repeat(20_000);
    await daybook.identify({ id: id(1), createdAt, userId: "ann", email: " ", traits: { email: " Traits@X.io ", long } });
    await daybook.identify({ id: id(2), createdAt, userId: "bob", traits: { email: `${"e".repeat(20_000)}@x.io` } });
    await daybook.identify({ id: id(3), createdAt, userId: "carl", email: "carl@x.io", traits: { email: "other@x.io", at: new Date(0), "1": 1, __proto__: null } });
    await daybook.group({ id: id(4), createdAt: new Date(0), companyId: 7, userId: "ann", anonymousId: "phone", traits: {} });
    const { linkId } = await daybook.identify({ createdAt: NOW + 300_000, userId: "gone" });
    await daybook.unlink(linkId);
    await daybook.unlink(linkId);
    const records = await recordsOf(daybook);
    expect(records.filter(({ type }) => type === "unlink")).toEqual([{ type: "unlink", createdAt: "2026-03-31T12:00:00.000Z", linkId }]);
    expect(records).toContainEqual({ type: "identify", id: id(1), createdAt, userId: "ann", traits: { email: " Traits@X.io ", long } });
    const copy = await open();
    for await (const event of daybook.exportEvents()) await copy.ingest([event]);
    expect(await copy.ingestRecords(records)).toEqual({ accepted: 7, duplicates: 0, rejected: [], adjusted: [] });
    expect(JSON.stringify(await recordsOf(copy))).toBe(JSON.stringify(records));
    for (const email of ["traits@x.io", "carl@x.io", `${"e".repeat(20_000)}@x.io`])
      expect(await copy.identityProfile({ email })).toEqual(await daybook.identityProfile({ email }));
    await expect(copy.identityProfile({ email: "other@x.io" })).rejects.toMatchObject({ code: "identity_not_found" });
    expect(copy.projects()).toEqual(daybook.projects());
  });

  test("of a store that holds no email beside that of traits gives a copy of the same answers.", async () => {
    const daybook = await open();
    await daybook.identify({ id: id(1), createdAt, userId: "ann", traits: { email: "ann@x.io" } });
    await daybook.identify({ id: id(2), createdAt, userId: "bob" });
    const { records } = storeOf(daybook) as Store;
    const former = new RecordTable();
    for (let row = 0; row < records.rowCount; row += 1) {
      const codes = Uint32Array.from(RECORD_FIELDS, (field) => (field === "email" ? 0 : records.code(row, field)));
      former.append(records.kinds[row] ?? 0, records.timeOf(row), records.ids, row * 16, 0, codes, 0);
    }
    (storeOf(daybook) as Store).replaceRecords(former, NO_RECORD_ONLY_IDS, "");
    const told = await recordsOf(daybook);
    expect(told).toEqual([{ type: "identify", id: id(1), createdAt, userId: "ann", email: "", traits: { email: "ann@x.io" } }, { type: "identify", id: id(2), createdAt, userId: "bob" }]);
    const copy = await open();
    expect(await copy.ingestRecords(told)).toMatchObject({ accepted: 2 });
    expect(await recordsOf(copy)).toEqual(told);
    for (const some of [daybook, copy]) await expect(some.identityProfile({ email: "ann@x.io" })).rejects.toMatchObject({ code: "identity_not_found" });
    expect(await copy.identityProfile({ userId: "ann" })).toEqual(await daybook.identityProfile({ userId: "ann" }));
  });
});
