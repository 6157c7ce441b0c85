import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { openDaybook } from "daybook";
import { fileStorage } from "daybook/node";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { LIMITS } from "../../src/core/base/limits.js";
import { compactionsDue } from "../../src/store/upkeep/seal.js";
import { baseSeed } from "../oracle/settings.js";

interface Sized {
  readonly day: number;
  readonly rowCount: number;
}

const groupsToCompact = (segments: readonly Sized[]) => compactionsDue(segments).map(({ group }) => group);

/** Seals one segment after the other into a day, compacting after each; answers how many rows were merged. */
function sealAll(rowCounts: readonly number[]): { readonly segments: readonly Sized[]; readonly mergedRowCount: number } {
  let segments: Sized[] = [];
  let mergedRowCount = 0;
  for (const rowCount of rowCounts) {
    segments.push({ day: 1, rowCount });
    for (const group of groupsToCompact(segments)) {
      const sum = group.reduce((total, one) => total + one.rowCount, 0);
      segments = [...segments.filter((one) => !group.includes(one)), { day: 1, rowCount: sum }];
      mergedRowCount += sum;
    }
  }
  return { segments, mergedRowCount };
}

const total = (rowCounts: readonly number[]) => rowCounts.reduce((sum, rowCount) => sum + rowCount, 0);

describe("compaction", () => {
  test("leaves four segments of a day alone, and each day to itself", () => {
    expect(groupsToCompact([1, 1, 1, 1, 2].map((day) => ({ day, rowCount: 10 })))).toEqual([]);
    expect(groupsToCompact([1, 1, 1, 1, 1, 2].map((day) => ({ day, rowCount: 10 })))).toEqual([Array(5).fill({ day: 1, rowCount: 10 })]);
  });

  test("does not merge a large segment with a few small ones", () => {
    expect(groupsToCompact([1_000, 1, 1, 1, 1].map((rowCount) => ({ day: 1, rowCount })))).toEqual([Array(4).fill({ day: 1, rowCount: 1 })]);
    expect(groupsToCompact([8, 1, 2, 4, 16].map((rowCount) => ({ day: 1, rowCount })))).toEqual([]);
  });

  test("makes no segment that is larger than one may be", () => {
    const quarter = LIMITS.segmentRowCount / 4;
    expect(groupsToCompact(Array.from({ length: 9 }, () => ({ day: 1, rowCount: quarter })))).toEqual([Array(4).fill({ day: 1, rowCount: quarter })]);
  });

  test("leaves large ones alone, however many there are", () => {
    const full = Array.from({ length: 9 }, () => ({ day: 1, rowCount: LIMITS.segmentRowCount / 4 + 1 }));
    expect(groupsToCompact([...full, ...Array<Sized>(4).fill({ day: 1, rowCount: 1 })])).toEqual([]);
    expect(groupsToCompact([...full, ...Array<Sized>(5).fill({ day: 1, rowCount: 1 })])).toEqual([Array(5).fill({ day: 1, rowCount: 1 })]);
  });

  test("begins with the day that has most, and tells how many it still has to merge", () => {
    const segments = [...Array<number>(5).fill(1), ...Array<number>(7).fill(2), ...Array<number>(6).fill(3)].map((day) => ({ day, rowCount: 10 }));
    const full = Array.from({ length: 9 }, () => ({ day: 2, rowCount: LIMITS.segmentRowCount / 4 + 1 }));
    const unlike = Array.from({ length: 9 }, (_, at) => ({ day: 4, rowCount: 2 ** at }));
    expect(compactionsDue([...segments, ...full, ...unlike]).map(({ group, daySegmentCount }) => [group[0]?.day, daySegmentCount])).toEqual([
      [2, 7],
      [3, 6],
      [1, 5],
    ]);
  });

  test("merges days of segments that grow by a little until few are left", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 40_000, max: 270_000 }), { minLength: 40, maxLength: 120 }), (rowCounts) => {
        let segments: Sized[] = rowCounts.map((rowCount) => ({ day: 1, rowCount }));
        for (let [group] = groupsToCompact(segments); group !== undefined; [group] = groupsToCompact(segments)) {
          const merged = new Set(group);
          segments = [...segments.filter((one) => !merged.has(one)), { day: 1, rowCount: total(group.map(({ rowCount }) => rowCount)) }];
        }
        const smallCount = segments.filter(({ rowCount }) => rowCount * 4 <= LIMITS.segmentRowCount).length;
        expect(smallCount).toBeLessThanOrEqual(8);
        expect(Math.max(...segments.map(({ rowCount }) => rowCount))).toBeLessThanOrEqual(LIMITS.segmentRowCount);
      }),
      { seed: baseSeed },
    );
  });

  test("merges a row no more often than a day doubles, and leaves no more segments than that", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 1_000 }), { minLength: 1, maxLength: 200 }), (rowCounts) => {
        const { segments, mergedRowCount } = sealAll(rowCounts);
        const doublings = Math.log2(total(rowCounts)) + 1;
        expect(total(segments.map(({ rowCount }) => rowCount))).toBe(total(rowCounts));
        expect(mergedRowCount).toBeLessThanOrEqual(total(rowCounts) * doublings);
        expect(segments.length).toBeLessThanOrEqual(4 + doublings);
      }),
      { seed: baseSeed },
    );
    // All of the day each time would be 15.7 times the rows.
    expect(sealAll(Array<number>(128).fill(1)).mergedRowCount).toBeLessThan(128 * 4);
  });

  test("has taken the files of what it merged away when a store is closed, however slow its disk is", async () => {
    const storage = fileStorage(join(mkdtempSync(join(tmpdir(), "daybook-compact-")), "store"));
    const remove = storage.remove.bind(storage);
    storage.remove = async (key) => {
      await setTimeout(20);
      await remove(key);
    };
    const daybook = await openDaybook({ storage });
    for (let at = 0; at <= LIMITS.segmentsPerDayCount; at += 1) {
      await daybook.ingest([{ name: "visit", createdAt: "2026-03-01T00:00:00Z" }]);
      await daybook.seal();
    }
    await daybook.close();
    expect(await storage.list("segments/")).toHaveLength(1);
  });
});
