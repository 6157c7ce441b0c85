import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { LIMITS } from "../../src/base/limits.js";
import { groupsToCompact, mostOfOneDay } from "../../src/store/compact.js";
import { baseSeed } from "../oracle/settings.js";

interface Sized {
  readonly day: number;
  readonly rowCount: number;
}

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
    const half = LIMITS.segmentRowCount / 2;
    expect(groupsToCompact([half / 2, half, half, half, half].map((rowCount) => ({ day: 1, rowCount })))).toEqual([]);
    expect(groupsToCompact([1, 1, half, half, half].map((rowCount) => ({ day: 1, rowCount })))).toEqual([Array(2).fill({ day: 1, rowCount: 1 })]);
  });

  test("leaves alone what cannot be merged with its like, however many there are", () => {
    const full = Array.from({ length: 9 }, () => ({ day: 1, rowCount: LIMITS.segmentRowCount / 2 + 1 }));
    expect(groupsToCompact([...full, ...Array<Sized>(4).fill({ day: 1, rowCount: 1 })])).toEqual([]);
    expect(groupsToCompact([...full, ...Array<Sized>(5).fill({ day: 1, rowCount: 1 })])).toEqual([Array(5).fill({ day: 1, rowCount: 1 })]);
  });

  test("begins with the day that has most, and tells how many that are", () => {
    const segments = [...Array<number>(5).fill(1), ...Array<number>(7).fill(2), ...Array<number>(6).fill(3)].map((day) => ({ day, rowCount: 10 }));
    expect(groupsToCompact(segments).map(([first]) => first?.day)).toEqual([2, 3, 1]);
    const full = Array.from({ length: 9 }, () => ({ day: 4, rowCount: LIMITS.segmentRowCount / 2 + 1 }));
    expect([mostOfOneDay([]), mostOfOneDay([...segments, ...full])]).toEqual([0, 7]);
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
});
