import { describe, expect, test } from "vitest";
import { LIMITS } from "../../src/core/base/limits.js";
import type { Head } from "../../src/storage/segment/head.js";
import { MemoryBudget } from "../../src/storage/segment/memory-budget.js";
import { mergeRows } from "../../src/storage/segment/merge-rows.js";
import type { Segment } from "../../src/storage/segment/segment.js";
import { Catalog, type Snapshot } from "../../src/store/live/catalog.js";
import { StoreFiles } from "../../src/store/files/files.js";
import { memoryStorage } from "../../src/store/storage/memory-storage.js";
import { PROJECT_TEXTS, appendRow } from "../storage/segment/rows-of.js";

const files = new StoreFiles(memoryStorage(), new MemoryBudget(1e9));
let nextFile = 1;

function append(catalog: Catalog, day: number, rowCount: number): void {
  for (let row = 0; row < rowCount; row += 1)
    appendRow(catalog.head(day), { ms: row, id: new Uint8Array(16).fill(row + 1), sequence: row + 1 });
  catalog.changed();
}

async function segmentOf(heads: readonly Head[]): Promise<Segment> {
  nextFile += 1;
  return (await files.writeSegment(nextFile, await mergeRows(heads.map((head) => head.view())), [])).segment;
}

function shapeOf(snapshot: Snapshot): [day: number, rowCount: number, sealed: boolean][] {
  return snapshot.rows.map(({ day, rowCount, sealed }) => [day, rowCount, sealed]);
}

const ignore = () => undefined;

describe("a snapshot", () => {
  test("shows the newest day first, and rows added later to the next one alone", () => {
    const catalog = new Catalog(new MemoryBudget(1e9), PROJECT_TEXTS);
    append(catalog, 3, 2);
    append(catalog, 5, 1);
    const before = catalog.snapshot(3);
    append(catalog, 5, 4);
    append(catalog, 4, 1);
    expect(shapeOf(before)).toEqual([[5, 1, false], [3, 2, false]]);
    expect(before.rows[0]?.ids().length).toBe(16);
    expect(shapeOf(catalog.snapshot(8))).toEqual([[5, 5, false], [4, 1, false], [3, 2, false]]);
  });

  test("is shared while nothing changes, and keeps the sequence it was made with", () => {
    const catalog = new Catalog(new MemoryBudget(1e9), PROJECT_TEXTS);
    append(catalog, 1, 1);
    const first = catalog.snapshot(1);
    expect(catalog.snapshot(1).rows).toBe(first.rows);
    append(catalog, 1, 1);
    expect([first.sequence, catalog.snapshot(2).sequence]).toEqual([1, 2]);
  });

  test("keeps what is derived from a full head until its rows are sealed, and looks at the growing one anew", async () => {
    const budget = new MemoryBudget(1e9);
    const catalog = new Catalog(budget, PROJECT_TEXTS);
    append(catalog, 1, LIMITS.headPartRowCount);
    append(catalog, 1, 2);
    const madeOf = (snapshot: Snapshot) => {
      const made: number[] = [];
      for (const rows of snapshot.rows) rows.derive("answer", () => made.push(rows.rowCount), () => 8);
      return made;
    };
    expect(madeOf(catalog.snapshot(1))).toEqual([LIMITS.headPartRowCount, 2]);
    append(catalog, 1, 3);
    expect(madeOf(catalog.snapshot(2))).toEqual([5]);
    expect(budget.byteLength).toBeGreaterThan(0);
    catalog.freezeHeads();
    catalog.replace([], new Set(), true, ignore);
    expect(budget.byteLength).toBe(0);
  });

  test("shows each row once while heads become segments", async () => {
    const catalog = new Catalog(new MemoryBudget(1e9), PROJECT_TEXTS);
    append(catalog, 1, 3);
    catalog.freezeHeads();
    append(catalog, 1, 2);
    expect(shapeOf(catalog.snapshot(5))).toEqual([[1, 3, false], [1, 2, false]]);
    catalog.replace([await segmentOf(catalog.sealing)], new Set(), true, ignore);
    expect(shapeOf(catalog.snapshot(5))).toEqual([[1, 3, true], [1, 2, false]]);
    expect(catalog.sealing).toEqual([]);
  });
});

describe("a segment that leaves the catalog", () => {
  async function twoSegments(): Promise<{ catalog: Catalog; segments: readonly Segment[]; merged: Segment }> {
    const catalog = new Catalog(new MemoryBudget(1e9), PROJECT_TEXTS);
    append(catalog, 1, 3);
    const made: Segment[] = [];
    for (let round = 0; round < 2; round += 1) made.push(await segmentOf(catalog.heads));
    catalog.freezeHeads();
    const [first, second] = made as [Segment, Segment];
    catalog.replace([first, second], new Set(), true, ignore);
    return { catalog, segments: [first, second], merged: await segmentOf([]) };
  }

  test("is retired at once when nobody reads", async () => {
    const { catalog, segments, merged } = await twoSegments();
    let retired = 0;
    catalog.replace([merged], new Set(segments), false, () => (retired += 1));
    expect(retired).toBe(1);
    expect(catalog.segments).toEqual([merged]);
  });

  test("is retired when its last reader lets go, once", async () => {
    const { catalog, segments, merged } = await twoSegments();
    const [first, second] = [catalog.snapshot(3), catalog.snapshot(3)];
    let retired = 0;
    catalog.replace([merged], new Set(segments), false, () => (retired += 1));
    const later = catalog.snapshot(3);
    expect(first.rows).toEqual([...segments]);
    first.release();
    first.release();
    expect(retired).toBe(0);
    second.release();
    expect(retired).toBe(1);
    later.release();
    expect(retired).toBe(1);
  });

  test("waits for readers of an older view too", async () => {
    const { catalog, segments, merged } = await twoSegments();
    const oldest = catalog.snapshot(3);
    append(catalog, 2, 1);
    const middle = catalog.snapshot(4);
    let retired = 0;
    catalog.replace([merged], new Set(segments), false, () => (retired += 1));
    middle.release();
    expect(retired).toBe(0);
    oldest.release();
    expect(retired).toBe(1);
  });
});
