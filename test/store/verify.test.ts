import { openDaybook, verifyStore, type Storage } from "daybook";
import { describe, expect, test } from "vitest";
import { yieldToEventLoop } from "../../src/core/base/yield.js";
import { denseCodes } from "../../src/storage/column/column.js";
import type { MergedRows } from "../../src/storage/segment/merge-rows.js";
import { cleanStore, flipped } from "../format/damage-kit.js";
import { baseSeed, strideOf } from "../oracle/settings.js";
import { clock, forgeManifest, forgeMeta, forgeRecordSequences, forgeRows, manifestOf, smallStore } from "./forged-store.js";
import { lastingMemory, objectsOf, storageWith, withObject } from "./objects.js";
import { RecordingStorage } from "./recording-storage.js";

const textOf = async (storage: Storage) => (await verifyStore(storage)).findings.map(({ file, expected, found }) => `${file}: expected ${expected}, found ${found}`);

/** The rows with one code changed in a column. */
function withCode(rows: MergedRows, name: string, row: number, code: number): MergedRows {
  const column = rows.columns.get(name);
  const codes = Uint32Array.from(column === undefined ? new Uint32Array(rows.times.length) : denseCodes(column));
  codes[row] = code;
  return { ...rows, columns: new Map([...rows.columns, [name, { kind: "dense", codes }]]) };
}

describe("a whole store", () => {
  test("has no findings, and is counted", async () => {
    const storage = await smallStore();
    expect(await verifyStore(storage)).toMatchObject({ findings: [], findingCount: 0, notes: [], eventCount: 40, recordCount: 4, segmentCount: 4, dayCount: 2, skippedFileCount: 0 });
  });

  test("has none after compaction, an erasure and a crash", async () => {
    const storage = new RecordingStorage((await objectsOf(await smallStore())));
    const daybook = await openDaybook({ storage, clock });
    for (let round = 0; round < 6; round += 1) {
      await daybook.ingest([{ name: "more", userId: `user ${round}`, createdAt: Date.UTC(2026, 2, 1), metadata: { round } }]);
      await daybook.seal();
    }
    const { id } = await daybook.privacyRequests.create({ type: "erasure", subject: { userId: "user 2" } });
    await daybook.privacyRequests.verify(id);
    await daybook.privacyRequests.acknowledge(id);
    await daybook.privacyRequests.resolve(id, "completed");
    await daybook.ingest([{ name: "in the journal", createdAt: Date.UTC(2026, 2, 9), metadata: { fresh: [1] } }]);
    const torn = [...storage.objects].map(([key, bytes]) => [key, key.startsWith("journal/") ? Uint8Array.from([...bytes, 70, 82]) : bytes] as const);
    const report = await verifyStore(await storageWith(new Map(torn)));
    expect(report.findings).toEqual([]);
    expect(report.notes).toEqual(["journal: 2 bytes after the last whole frame, from a write that was never acknowledged"]);
    expect(report.eventCount).toBe(await daybook.countEvents());
  });

  test("counts what lies in the journal, and its days, with the rest and by itself", async () => {
    const storage = lastingMemory();
    const daybook = await openDaybook({ storage, clock });
    await daybook.ingest([{ name: "sealed", createdAt: Date.UTC(2026, 2, 1) }]);
    await daybook.seal();
    await daybook.ingest([1, 2, 3].map((day) => ({ name: "not yet", createdAt: Date.UTC(2026, 2, day) })));
    expect(await verifyStore(storage)).toMatchObject({ findings: [], eventCount: 4, journalEventCount: 3, dayCount: 3 });
    await daybook.seal();
    expect(await verifyStore(storage)).toMatchObject({ findings: [], eventCount: 4, journalEventCount: 0, dayCount: 3 });
  });

  test("may be written to meanwhile: nothing is found that is not there", async () => {
    const storage = lastingMemory();
    const daybook = await openDaybook({ storage, clock });
    let isOver = false;
    const write = async () => {
      for (let at = 0; at < 60; at += 1) {
        await daybook.ingest([{ name: `event ${at}`, userId: `u${at}`, createdAt: Date.UTC(2026, 2, 1 + (at % 2)), metadata: { at } }]);
        if (at % 3 === 0) await daybook.seal();
        await yieldToEventLoop();
      }
      isOver = true;
    };
    const read = async () => {
      let count = 0;
      for (; !isOver; count += 1) {
        expect(await textOf(storage)).toEqual([]);
        await yieldToEventLoop();
      }
      return count;
    };
    const [, readCount] = await Promise.all([write(), read()]);
    expect(readCount).toBeGreaterThan(3);
    await daybook.close();
  });

  test("says what no manifest names, and what is no file of it", async () => {
    const storage = await smallStore();
    await storage.write("segments/0000000099", Uint8Array.of(1));
    await storage.write("note.txt", Uint8Array.of(1));
    const { findings, notes } = await verifyStore(storage);
    expect(findings).toEqual([]);
    expect(notes).toEqual(["note.txt: not a file of a store", "segments/0000000099: the manifest does not name it; the next opening for writing removes it"]);
  });
});

describe("a damaged store", () => {
  test("shows every flipped byte, every cut and every missing file, padding too", async () => {
    const { objects } = await cleanStore();
    const stride = strideOf(2_411, 151);
    for (const [key, bytes] of objects) {
      for (let at = baseSeed % stride; at < bytes.length; at += bytes.length < 400 ? strideOf(3, 1) : stride) {
        const { findings } = await verifyStore(await storageWith(withObject(objects, key, flipped(bytes, at, 1 << (at & 7)))));
        if (findings.length === 0) expect.fail(`byte ${at} of ${key} was flipped`);
        if (key !== "MANIFEST") expect(findings[0]?.file, `byte ${at} of ${key}`).toContain(key);
      }
      for (const changed of [null, bytes.subarray(0, bytes.length - 2), Uint8Array.from([...bytes, 0])])
        expect((await verifyStore(await storageWith(withObject(objects, key, changed)))).findingCount, `${key} of ${changed?.length}`).toBeGreaterThan(0);
    }
  });

  test("is described by file, block and byte", async () => {
    const storage = await smallStore();
    const [entry] = (await manifestOf(storage)).segments;
    const key = entry?.key ?? "";
    const bytes = (await storage.read(key)) ?? new Uint8Array(0);
    await storage.write(key, flipped(bytes, 9, 1));
    const found = await textOf(storage);
    expect(found[0]).toMatch(new RegExp(`^${key}: expected the SHA-256 [0-9a-f]{64}, found [0-9a-f]{64}$`));
    expect(found[1]).toMatch(new RegExp(`^${key}: expected the CRC-32 \\d+ of block ms, \\d+ bytes from byte 8 on, found \\d+$`));
  });
});

describe("a law that is broken, all checksums being right, is found:", () => {
  const swapFirstRows = (rows: MergedRows): MergedRows => {
    const times = rows.times.slice();
    [times[0], times[1]] = [times[1] ?? 0, times[0] ?? 0];
    return { ...rows, times };
  };
  test.each<[law: string, forge: (storage: Storage) => Promise<unknown>, found: RegExp]>([
    ["rows are sorted", (storage) => forgeRows(storage, swapFirstRows), /expected row 1 after row 0 in the order \(createdAt, id, project\), found it before that row/],
    ["times lie within the day", (storage) => forgeRows(storage, (rows) => ({ ...rows, times: rows.times.map((ms, row) => (row === rows.times.length - 1 ? 86_400_000 : ms)) })), /a time within the day in row \d+, found 86400000 ms/],
    ["ids are unique in a segment", (storage) => forgeRows(storage, (rows) => ({ ...rows, ids: rows.ids.map((_, at) => rows.ids[at % 16] ?? 0) })), /expected event [0-9a-f-]{36} of project default once, found segments\/\d+ row 0, segments\/\d+ row 1/],
    ["ids are whole", (storage) => forgeRows(storage, (rows) => ({ ...rows, ids: rows.ids.slice(0, -1) })), /rows with ids: \d+, found \d+\.\d+/],
    ["sequences are unique", (storage) => forgeRows(storage, (rows) => ({ ...rows, sequences: rows.sequences.fill(3) })), /a unique sequence in row \d+, found 3, which another row or record has/],
    ["sequences are below the next", (storage) => forgeRows(storage, (rows) => ({ ...rows, sequences: rows.sequences.fill(5_000, 0, 1) })), /a sequence from 1 to \d+ in row \d+, found 5000/],
    ["codes have values", (storage) => forgeRows(storage, (rows) => withCode(rows, "url", 0, 900)), /codes of url that have a value, found code 900 of url, whose size is \d+/],
    ["each event has a name", (storage) => forgeRows(storage, (rows) => withCode(rows, "name", 0, 0)), /a name in each row, found rows without one/],
    ["metadata is that of the shape", (storage) => forgeRows(storage, (rows) => withCode(rows, "shape", 0, 0)), /only metadata of its shape in row 0, found a value of metadata key 1/],
    ["zones are true", (storage) => forgeMeta(storage, (meta) => ({ ...meta, columns: meta.columns.map((column) => (column.name === "name" ? { ...column, max: 3 } : column)) })), /the codes 1 to 2 of name, in every row, found 1 to 3/],
    ["times of the footer are true", (storage) => forgeMeta(storage, (meta) => ({ ...meta, maxMs: meta.maxMs - 1 })), /latest ms of the day/],
    ["sequences of the footer are true", (storage) => forgeMeta(storage, (meta) => ({ ...meta, firstSequence: 0 })), /the sequences \d+ to \d+ in the footer/],
    ["the list of actors matches the rows", (storage) => forgeMeta(storage, (meta) => ({ ...meta, actors: { ...meta.actors, projects: { ...meta.actors.projects, max: 0 } } })), /a list of actors that matches the rows, found a different list/],
    ["the number of actors is true", (storage) => forgeMeta(storage, (meta) => ({ ...meta, actors: { ...meta.actors, plain: { ...meta.actors.plain, count: 1 } } })), /a list of actors that matches the rows, found a different list/],
    ["the greatest actor is true", (storage) => forgeMeta(storage, (meta) => ({ ...meta, actors: { ...meta.actors, plain: { ...meta.actors.plain, max: 1 } } })), /greatest number of the actor list plain: \d+, found 1/],
    ["row counts are true", (storage) => forgeMeta(storage, (meta) => ({ ...meta, rowCount: meta.rowCount - 1 })), /row count \d+, found \d+/],
    ["each column has its blocks", (storage) => forgeMeta(storage, (meta) => ({ ...meta, columns: meta.columns.slice(1) })), /the blocks /],
    ["the day is that of the manifest", (storage) => forgeManifest(storage, (manifest) => ({ ...manifest, segments: manifest.segments.map((entry) => ({ ...entry, day: entry.day + 1 })) })), /day \d+, found \d+/],
    ["times of the manifest are true", (storage) => forgeManifest(storage, (manifest) => ({ ...manifest, segments: manifest.segments.map((entry) => ({ ...entry, maxMs: entry.maxMs + 1 })) })), /maxMs \d+, found \d+/],
    ["the manifest knows which segments have links", (storage) => forgeManifest(storage, (manifest) => ({ ...manifest, segments: manifest.segments.map((entry) => ({ ...entry, hasLinks: !entry.hasLinks })) })), /links: \w+, found \w+/],
    ["no segment stands twice", (storage) => forgeManifest(storage, (manifest) => ({ ...manifest, segments: [...manifest.segments, ...manifest.segments.slice(0, 1)] })), /each file named once/],
    ["no record stands twice", (storage) => forgeManifest(storage, (manifest) => ({ ...manifest, identities: [...manifest.identities, ...manifest.identities] })), /a unique id in record 0, found the id of record 0/],
    ["records lie in the order of their sequences", (storage) => forgeRecordSequences(storage, (sequences) => sequences.toReversed()), /a sequence above 22 in record 1, found 21/],
    ["sequences of records are below the next", (storage) => forgeRecordSequences(storage, (sequences) => sequences.map((sequence) => sequence + 5_000)), /a sequence below \d+ in record 0, found 5021/],
    ["each record has a sequence", (storage) => forgeRecordSequences(storage, (sequences) => sequences.slice(1)), /expected 2 sequences of records, got 1/],
    ["sequences of records are those of no rows", (storage) => forgeRecordSequences(storage, (sequences) => sequences.with(0, 3)), /a unique sequence in row \d+, found 3, which another row or record has/],
    ["numbers of files are below the next", (storage) => forgeManifest(storage, (manifest) => ({ ...manifest, nextFile: 2 })), /file numbers below 2/],
    ["sequences follow on from segments to journals", (storage) => forgeManifest(storage, (manifest) => ({ ...manifest, nextSequence: 30 })), /a sequence from 1 to 29/],
    ["a closed store ends with a mark", (storage) => forgeManifest(storage, (manifest) => ({ ...manifest, firstJournal: manifest.nextFile })), /an end mark with nothing after it/],
  ])("%s", async (_law, forge, found) => {
    const storage = await smallStore();
    await forge(storage);
    expect((await textOf(storage)).join("\n")).toMatch(found);
  });
});
