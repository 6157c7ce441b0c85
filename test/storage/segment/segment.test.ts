import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ID_COLUMN, SEQUENCE_COLUMN, TIME_COLUMN } from "../../../src/core/schema/fields.js";
import { decodeFooter, footerCrcOf, encodeSegment, type SegmentMeta } from "../../../src/storage/segment/segment-file.js";
import { IdIndex, hasEvent } from "../../../src/storage/segment/event-order.js";
import { Head } from "../../../src/storage/segment/head.js";
import { NO_LINKS } from "../../../src/storage/segment/links.js";
import { MemoryBudget } from "../../../src/storage/segment/memory-budget.js";
import { mergeRows } from "../../../src/storage/segment/merge-rows.js";
import { factsOf, Segment } from "../../../src/storage/segment/segment.js";
import { ACTOR_LISTS } from "../../../src/storage/segment/summaries.js";
import { StoreFiles } from "../../../src/store/files/files.js";
import { baseSeed } from "../../oracle/settings.js";
import { RecordingStorage } from "../../store/recording-storage.js";
import { PROJECT_TEXTS, appendRow, headOf, idBytes, inOrder, plain, plainRows, type PlainRow } from "./rows-of.js";

/** More than fits a file that is kept whole. */
const manyRows: PlainRow[] = Array.from({ length: 3_000 }, (_, at) => ({
  ms: at, id: at * 7, sequence: at + 1, name: 1 + (at % 5), url: (at * 7_919) % 65_000, metadata: at % 100 === 0 ? { 1: 1 + at } : {},
}));

interface Opened {
  readonly segment: Segment;
  readonly budget: MemoryBudget;
  /** Reads of the file, by byte range, since it was opened. */
  readonly readCount: () => number;
}

async function opened(rows: readonly PlainRow[], limitBytes = 1e9): Promise<Opened> {
  const storage = new RecordingStorage();
  const budget = new MemoryBudget(limitBytes);
  const files = new StoreFiles(storage, budget);
  const { entry } = await new StoreFiles(storage, new MemoryBudget(1e9)).writeSegment(1, await mergeRows([headOf(rows).view()]), []);
  const segment = await files.openSegment(entry);
  let readCount = 0;
  storage.before = (operation) => {
    if (operation.startsWith("read")) readCount += 1;
  };
  return { segment, budget, readCount: () => readCount };
}

async function openedFile(file: Uint8Array): Promise<Pick<Opened, "segment" | "readCount">> {
  const storage = new RecordingStorage(new Map([["segments/1", file]]));
  const footer = decodeFooter<SegmentMeta>("segments/1", file, file.length);
  if ("need" in footer) throw new Error("expected the whole footer");
  const entry = { ...factsOf("segments/1", file.length, footer), sha256: "", footerCrc32: footerCrcOf(file) };
  const segment = await new StoreFiles(storage, new MemoryBudget(1e9)).openSegment(entry);
  let readCount = 0;
  storage.before = (operation) => void (readCount += operation.startsWith("read") ? 1 : 0);
  return { segment, readCount: () => readCount };
}

describe("a stored segment", () => {
  test("holds the rows it was made of", async () => {
    await fc.assert(
      fc.asyncProperty(plainRows.filter((rows) => rows.length > 0), async (rows) => {
        const { segment } = await opened(rows);
        await segment.load([TIME_COLUMN, ID_COLUMN, SEQUENCE_COLUMN, ...segment.columnNames()]);
        expect(inOrder(plain(segment))).toEqual(inOrder(rows));
        expect([segment.minMs, segment.maxMs]).toEqual([Math.min(...rows.map(({ ms }) => ms)), Math.max(...rows.map(({ ms }) => ms))]);
      }),
      { seed: baseSeed, numRuns: 100 },
    );
  });

  test("says of each column which codes it has, and nothing of columns it has not", async () => {
    const { segment, readCount } = await opened(manyRows);
    expect(segment.zone("name")).toMatchObject({ min: 1, max: 5, hasZero: false });
    const urls = manyRows.map(({ url }) => url).filter((url) => url > 0);
    expect(segment.zone("url")).toMatchObject({ min: Math.min(...urls), max: Math.max(...urls), hasZero: true });
    expect(segment.zone("m1")).toMatchObject({ min: 1, max: 2_901, hasZero: true });
    expect([segment.zone("m2"), segment.zone("device")]).toEqual([null, null]);
    expect(readCount()).toBe(0);
  });

  test("tells who did something, in one read", async () => {
    const head = new Head(7, new MemoryBudget(1e9), PROJECT_TEXTS);
    for (let at = 0; at < 3_000; at += 1)
      appendRow(head, { ms: at, id: idBytes(at), sequence: at + 1, fields: { userId: at % 50, anonymousId: at % 7, companyId: at % 3, project: 1 } });
    const { bytes } = await encodeSegment(await mergeRows([head.view()]), { deflate: (raw) => raw, summaries: [] });
    const { segment, readCount } = await openedFile(bytes);
    const who = await segment.actorLists(ACTOR_LISTS);
    // 49 users and 6 devices without one, each without a company and with two.
    expect([await segment.actorLists(ACTOR_LISTS), readCount(), who.plain.length, who.members.length]).toEqual([who, 1, 55, 110]);
  });

  test("reads a column once, both blocks of a sparse one together, and an absent one never", async () => {
    const { segment, readCount } = await opened(manyRows);
    await Promise.all([segment.load(["name"]), segment.load(["name"])]);
    expect(readCount()).toBe(1);
    expect(segment.load(["name", "device"])).toBe(null);
    await segment.load(["m1"]);
    expect(readCount()).toBe(2);
    expect(segment.column("m1").kind).toBe("sparse");
    expect(segment.column("device")).toMatchObject({ kind: "sparse", rowCount: 3_000 });
  });

  test("is read whole where it is small", async () => {
    const { segment, readCount } = await opened(manyRows.slice(0, 20));
    await segment.load([TIME_COLUMN, ID_COLUMN, ...segment.columnNames()]);
    expect(readCount()).toBe(0);
  });

  test("lets go of what was used longest ago when memory is short, but of nothing that is pinned", async () => {
    const { segment, budget, readCount } = await opened(manyRows, 16_000);
    segment.pin();
    await segment.load(["name", "url", TIME_COLUMN]);
    expect(segment.load(["name", "url", TIME_COLUMN])).toBe(null);
    expect(budget.byteLength).toBeGreaterThan(16_000);
    segment.unpin();
    const before = readCount();
    await segment.load([SEQUENCE_COLUMN]);
    expect(budget.byteLength).toBeLessThanOrEqual(16_000);
    await segment.load(["name"]);
    expect(readCount()).toBe(before + 2);
  });

  test("derives a structure once, until it is dropped", async () => {
    const { segment, budget } = await opened(manyRows, 10_000);
    let madeCount = 0;
    const derive = () => segment.derive("thing", () => (madeCount += 1), () => 6_000);
    expect([derive(), derive(), madeCount]).toEqual([1, 1, 1]);
    segment.derive("other", () => 0, () => 6_000);
    expect(budget.byteLength).toBeLessThanOrEqual(10_000);
    derive();
    expect(madeCount).toBe(2);
    segment.release();
    expect(budget.byteLength).toBe(0);
  });

  test.each([
    ["an unknown form", "name", { form: "folded" }, /block name has the form folded/],
    ["ids in a form", ID_COLUMN, { form: "packed" }, /block id has the form packed/],
    ["masked times", TIME_COLUMN, { form: "masked" }, /block ms has the form masked/],
    ["a block beyond the end", "url", { byteLength: 2 ** 40 }, /block url, at byte \d+, is cut short/],
  ])("is damaged by %s", async (_what, name, change, message) => {
    const { bytes } = await encodeSegment(await mergeRows([headOf(manyRows).view()]), { deflate: (raw) => raw, summaries: [] });
    const footer = decodeFooter<SegmentMeta>("segments/1", bytes, bytes.length);
    if ("need" in footer) throw new Error("expected the whole footer");
    const blocks = footer.blocks.map((block) => (block.name === name ? { ...block, ...change } : block)) as typeof footer.blocks;
    const { source } = (await openedFile(bytes)).segment;
    const forged = new Segment(factsOf("segments/1", bytes.length, footer), { footer: { ...footer, blocks }, links: NO_LINKS, file: null }, source, new MemoryBudget(1e9));
    await expect(forged.load([name])).rejects.toThrow(message);
  });

  test("is refused a read of a column that was not loaded", async () => {
    const { segment } = await opened(manyRows);
    expect(() => segment.column("name")).toThrow(/before it was loaded/);
  });
});

describe("looking for an id", () => {
  test("finds those of a segment and of a growing head, and no others", async () => {
    const present = new Set(manyRows.map(({ id }) => id));
    const { segment } = await opened(manyRows);
    const head = headOf([]);
    const index = new IdIndex();
    for (const [at, { id }] of manyRows.entries()) {
      if (at % 500 === 0) expect(index.find(head.view().ids(), idBytes(id), 0, () => true)).toBe(-1);
      appendRow(head, { ms: at, id: idBytes(id), sequence: at });
    }
    for (let id = 0; id < 21_100; id += 3) {
      expect(await hasEvent(segment, { id: idBytes(id), project: "" })).toBe(present.has(id));
      expect(await hasEvent(segment, { id: idBytes(id), project: "another" })).toBe(false);
      expect(index.find(head.view().ids(), idBytes(id), 0, () => true) >= 0).toBe(present.has(id));
    }
  });

  test("by reading all of them the first time finds the same", async () => {
    const last = manyRows.at(-1) as PlainRow;
    for (const [id, project, isThere] of [[last.id, "", true], [last.id, "another", false], [last.id + 1, "", false], [last.id + 256, "", false]] as const)
      expect(await hasEvent((await opened(manyRows)).segment, { id: idBytes(id), project })).toBe(isThere);
  });
});
