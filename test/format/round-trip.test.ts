import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Dictionaries } from "../../src/storage/column/dictionaries.js";
import { codeAt, denseCodes, type CodeColumn } from "../../src/storage/column/column.js";
import { FIELD_COUNT, ID_COLUMN, SEQUENCE_COLUMN, TIME_COLUMN } from "../../src/core/schema/fields.js";
import { checkBlock, decodeFooter, encodeContainer } from "../../src/storage/segment/segment-file.js";
import { MemoryBudget } from "../../src/storage/segment/memory-budget.js";
import { decodeBatch, encodeBatch, decodeRecords, decodeRecordsFile, encodeRecords, encodeRecordsFile } from "../../src/store/batch/batch.js";
import { StoreFiles } from "../../src/store/files/files.js";
import { decodeFrame, encodeFrame, encodeJournalHeader, journalHeaderCrc } from "../../src/store/journal/journal.js";
import { RECORD_FIELD_COUNT } from "../../src/identity/record-table.js";
import { decodeManifest, encodeManifest, type Manifest } from "../../src/store/files/manifest.js";
import { memoryStorage } from "../../src/store/storage/memory-storage.js";
import { baseSeed, caseCount } from "../oracle/settings.js";

const u32 = fc.oneof(fc.nat({ max: 300 }), fc.nat({ max: 0xffff }), fc.integer({ min: 0, max: 0xffffffff }));
const bytes = fc.uint8Array({ maxLength: 200 });
const text = fc.string({ unit: "grapheme", maxLength: 12 });

async function holds<T>(values: fc.Arbitrary<T>, law: (value: T) => Promise<void> | void): Promise<void> {
  await fc.assert(fc.asyncProperty(values, async (value) => law(value)), { seed: baseSeed, numRuns: caseCount(40, 200) });
}

const column: fc.Arbitrary<(rowCount: number) => CodeColumn> = fc
  .tuple(fc.boolean(), fc.constantFrom(200, 60_000, 0xffffffff), fc.infiniteStream(fc.nat({ max: 0xffffffff })))
  .map(([sparse, limit, stream]) => (rowCount) => {
    const make = (count: number) => (limit < 256 ? new Uint8Array(count) : limit < 65_536 ? new Uint16Array(count) : new Uint32Array(count));
    const next = () => (stream.next().value ?? 0) % limit;
    if (!sparse) return { kind: "dense", codes: make(rowCount).map(next) };
    const rows = Uint32Array.from({ length: rowCount }, (_, row) => row).filter(() => next() % 3 === 0);
    return { kind: "sparse", rows, codes: make(rows.length).map(() => (next() % (limit - 1)) + 1), rowCount };
  });

describe("what is written is what is read", () => {
  test("a frame", async () => {
    await holds(fc.tuple(u32, u32, u32, u32, u32, fc.maxSafeNat(), bytes, fc.nat(40)), ([kind, first, count, synced, previous, receivedMs, payload, offset]) => {
      const frame = encodeFrame(kind, first, count, synced, previous, receivedMs, payload);
      const file = new Uint8Array(offset + frame.bytes.length + 3);
      file.set(frame.bytes, offset);
      expect(decodeFrame(file, offset)).toEqual({
        kind, firstSequence: first, sequenceCount: count, syncedSequence: synced, previousCrc: previous, receivedMs, crc: frame.crc, payload,
        byteLength: frame.bytes.length,
      });
    });
  });

  test("a journal's header", async () => {
    await holds(u32, (epoch) => {
      const header = encodeJournalHeader(epoch);
      expect(journalHeaderCrc(header)).toBe(new DataView(header.buffer).getUint32(8, true));
    });
  });

  test("a batch", async () => {
    const batches = fc.nat({ max: 40 }).chain((rowCount) =>
      fc.record({
        deltas: fc.array(fc.record({ name: fc.constantFrom("name", "url", "m7"), start: u32, values: fc.array(text, { maxLength: 5 }) }), { maxLength: 4 }),
        times: fc.array(fc.integer({ min: 0, max: 253_402_300_799_999 }), { minLength: rowCount, maxLength: rowCount }),
        ids: fc.uint8Array({ minLength: rowCount * 16, maxLength: rowCount * 16 }),
        codes: fc.array(fc.array(u32, { minLength: rowCount, maxLength: rowCount }), { minLength: FIELD_COUNT, maxLength: FIELD_COUNT }),
        shapes: fc.array(u32, { minLength: rowCount, maxLength: rowCount }),
        values: fc.array(u32, { maxLength: 60 }),
      }),
    );
    await holds(batches, ({ deltas, times, ids, codes, shapes, values }) => {
      const batch = {
        rowCount: times.length, times: Float64Array.from(times), ids, codes: codes.map((column) => Uint32Array.from(column)),
        shapes: Uint32Array.from(shapes), values: Uint32Array.from(values),
      };
      expect(decodeBatch(encodeBatch(deltas, batch))).toEqual({ deltas, batch });
    });
  });

  test("records", async () => {
    const codes = fc.array(fc.nat(), { maxLength: 4 });
    const batches = fc.integer({ min: 0, max: 5 }).chain((rowCount) =>
      fc.record({
        kinds: fc.uint8Array({ minLength: rowCount, maxLength: rowCount }),
        times: fc.array(fc.double({ noNaN: true }), { minLength: rowCount, maxLength: rowCount }),
        ids: fc.uint8Array({ minLength: rowCount * 16, maxLength: rowCount * 16 }),
        fields: fc.array(u32, { minLength: rowCount * RECORD_FIELD_COUNT, maxLength: rowCount * RECORD_FIELD_COUNT }),
        recordOnlyIds: fc.record({ userId: codes, anonymousId: codes, companyId: codes }),
        first: fc.integer({ min: 1, max: 0xfffffff0 }),
      }),
    );
    await holds(batches, async ({ kinds, times, ids, fields, recordOnlyIds, first }) => {
      const sequences = Uint32Array.from(kinds, (_, at) => first + at);
      const records = { rowCount: kinds.length, kinds, times: Float64Array.from(times), ids, sequences, codes: Uint32Array.from(fields) };
      const frame = encodeRecords([], { records, recordOnlyIds });
      expect(decodeRecords(frame, first)).toEqual({ deltas: [], batch: { records, recordOnlyIds } });
      expect(decodeRecordsFile(await encodeRecordsFile({ records, recordOnlyIds }))).toEqual({ records, recordOnlyIds });
    });
  });

  test("a container, also from no more than its tail", async () => {
    const blocks = fc.array(fc.record({ name: text, bytes, rawByteLength: fc.nat(), deflated: fc.boolean() }), { maxLength: 6 });
    await holds(fc.tuple(blocks, fc.jsonValue()), async ([written, meta]) => {
      const file = await encodeContainer(written, meta);
      const first = decodeFooter("file", file.subarray(-16), file.length);
      const need = "need" in first ? first.need : 16;
      const footer = decodeFooter<unknown>("file", file.subarray(-need), file.length);
      if ("need" in footer) throw new Error("the footer asks for more than it asked for");
      expect(JSON.stringify(footer.meta)).toBe(JSON.stringify(meta));
      expect(footer.blocks.map((block) => checkBlock("file", block, file.subarray(block.offset, block.offset + block.byteLength)))).toEqual(
        written.map((block) => block.bytes),
      );
      for (const block of footer.blocks) expect(block.offset % 8).toBe(0);
    });
  });

  test("a segment, every column of it", async () => {
    const rows = fc.integer({ min: 1, max: 70 }).chain((rowCount) =>
      fc.record({
        times: fc.array(fc.nat({ max: 86_399_999 }), { minLength: rowCount, maxLength: rowCount }),
        ids: fc.uint8Array({ minLength: rowCount * 16, maxLength: rowCount * 16 }),
        sequences: fc.array(u32, { minLength: rowCount, maxLength: rowCount }),
        columns: fc.array(column, { maxLength: 4 }),
      }),
    );
    await holds(rows, async ({ times, ids, sequences, columns }) => {
      const named = new Map(columns.map((make, index) => [["name", "url", "m1", "m2"][index] ?? "", make(times.length)]));
      const merged = {
        day: 20_513, times: Int32Array.from(times).sort(), ids, sequences: Uint32Array.from(sequences), columns: named,
      };
      const files = new StoreFiles(memoryStorage(), new MemoryBudget(1e9));
      const { entry } = await files.writeSegment(1, merged, []);
      const segment = await files.openSegment(entry);
      await segment.load([TIME_COLUMN, ID_COLUMN, SEQUENCE_COLUMN, ...segment.columnNames()]);
      expect([segment.times(), segment.ids(), segment.sequences()]).toEqual([merged.times, merged.ids, merged.sequences]);
      for (const [name, column] of named) {
        const stored = segment.column(name);
        expect(denseCodes(stored).length).toBe(times.length);
        for (let row = 0; row < times.length; row += 1) expect(codeAt(stored, row), `${name} of row ${row}`).toBe(codeAt(column, row));
      }
    });
  });

  test("dictionary files, one after the other", async () => {
    const rounds = fc.array(fc.dictionary(fc.constantFrom("name", "url", "m3", "shape"), fc.array(text, { maxLength: 6 })), { maxLength: 4 });
    await holds(rounds, async (additions) => {
      const files = new StoreFiles(memoryStorage(), new MemoryBudget(1e9));
      const written = new Dictionaries();
      const read = new Dictionaries();
      for (const [number, addition] of additions.entries()) {
        const before = written.sizes();
        for (const [name, values] of Object.entries(addition)) for (const value of values) written.named(name).intern(value);
        await files.readDictionaries(await files.writeDictionaries(number, written.deltasSince(before)), read);
      }
      for (const name of ["name", "url", "m3", "shape"]) expect(read.named(name).values).toEqual(written.named(name).values);
    });
  });

  test("a manifest", async () => {
    const sha256 = fc.stringMatching(/^[0-9a-f]{64}$/);
    const file = { key: fc.constantFrom("segments/1", "dictionaries/2"), byteLength: fc.nat(), sha256, footerCrc32: u32 };
    const manifests: fc.Arbitrary<Manifest> = fc.record({
      format: fc.constant(8 as const), epoch: fc.nat(), clean: fc.boolean(), nextSequence: u32, firstJournal: fc.nat(), nextFile: fc.nat(),
      segments: fc.array(fc.record({ ...file, day: fc.nat(), rowCount: fc.nat(), minMs: fc.nat(), maxMs: fc.nat(), firstSequence: u32, lastSequence: u32, columnCount: fc.nat(), hasLinks: fc.boolean() }), { maxLength: 3 }),
      dictionaries: fc.array(fc.record(file), { maxLength: 3 }),
      identities: fc.array(fc.record(file), { maxLength: 3 }),
      received: fc.array(fc.record({ ...file, firstSequence: u32, nextSequence: u32 }), { maxLength: 3 }),
      privacy: fc.option(fc.record(file)),
    });
    await holds(manifests, (manifest) => {
      expect(decodeManifest(encodeManifest(manifest))).toEqual(manifest);
    });
  });
});
