import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  bitsOfCode, bitsOfTable, complement, countBits, countCommonBits, emptyBitmap, hasBit, intersect, rangeBitmap,
  rowsOfBits, subtract, unite, type Bitmap,
} from "../../../src/storage/column/bitmap.js";
import { baseSeed } from "../../oracle/settings.js";

/** Row counts about the edges of a word, where bitmaps go wrong. */
const rowCounts = fc.oneof(fc.constantFrom(0, 1, 31, 32, 33, 63, 64, 65), fc.nat({ max: 200 }));

/** A row count and sets of its rows. */
function setsOf(count: number): fc.Arbitrary<{ rowCount: number; sets: ReadonlySet<number>[] }> {
  return rowCounts.chain((rowCount) => {
    const rows = rowCount === 0 ? fc.constant<number[]>([]) : fc.array(fc.nat({ max: rowCount - 1 }));
    return fc.array(rows, { minLength: count, maxLength: count }).map((all) => ({ rowCount, sets: all.map((some) => new Set(some)) }));
  });
}

function bitmapOf(rowCount: number, rows: ReadonlySet<number> | undefined): Bitmap {
  const bits = emptyBitmap(rowCount);
  for (const row of rows ?? []) bits[row >>> 5] = ((bits[row >>> 5] ?? 0) | (1 << (row & 31))) >>> 0;
  return bits;
}

function rowsOf(bits: Bitmap): number[] {
  const rows = new Uint32Array(bits.length * 32);
  return [...rows.subarray(0, rowsOfBits(bits, rows))];
}

function ascending(rows: Iterable<number>): number[] {
  return [...rows].sort((a, b) => a - b);
}

function holds<T>(values: fc.Arbitrary<T>, law: (value: T) => void): void {
  fc.assert(fc.property(values, law), { seed: baseSeed, numRuns: 300 });
}

describe("bitmaps do what sets of rows do", () => {
  test("rows come out in order, are counted, and are found one by one", () => {
    holds(setsOf(1), ({ rowCount, sets: [rows = new Set<number>()] }) => {
      const bits = bitmapOf(rowCount, rows);
      expect(rowsOf(bits)).toEqual(ascending(rows));
      expect(countBits(bits)).toBe(rows.size);
      for (let row = 0; row < rowCount; row += 1) expect(hasBit(bits, row)).toBe(rows.has(row));
    });
  });

  test("union, intersection, difference and complement", () => {
    holds(setsOf(2), ({ rowCount, sets: [a = new Set<number>(), b = new Set<number>()] }) => {
      const all = Array.from({ length: rowCount }, (_, row) => row);
      const combined = (combine: (into: Bitmap, other: Bitmap) => void) => {
        const bits = bitmapOf(rowCount, a);
        combine(bits, bitmapOf(rowCount, b));
        return rowsOf(bits);
      };
      expect(combined(unite)).toEqual(all.filter((row) => a.has(row) || b.has(row)));
      expect(combined(intersect)).toEqual(all.filter((row) => a.has(row) && b.has(row)));
      expect(combined(subtract)).toEqual(all.filter((row) => a.has(row) && !b.has(row)));
      const bits = bitmapOf(rowCount, a);
      complement(bits, rowCount);
      expect(rowsOf(bits)).toEqual(all.filter((row) => !a.has(row)));
    });
  });

  test("a range of rows", () => {
    const ranges = setsOf(1).chain((made) =>
      fc.tuple(fc.constant(made), fc.nat({ max: made.rowCount }), fc.nat({ max: made.rowCount })),
    );
    holds(ranges, ([{ rowCount }, from, to]) => {
      const inRange = (row: number) => row >= from && row < to;
      expect(rowsOf(rangeBitmap(rowCount, from, to))).toEqual(Array.from({ length: rowCount }, (_, row) => row).filter(inRange));
    });
  });

  test.each([0, 1, 2, 3, 4, 5])("the rows that %i bitmaps have in common", (count) => {
    holds(setsOf(count), ({ rowCount, sets }) => {
      const [first = new Set<number>(), ...others] = sets;
      const common = [...first].filter((row) => others.every((other) => other.has(row)));
      expect(countCommonBits(sets.map((rows) => bitmapOf(rowCount, rows)))).toBe(common.length);
    });
  });

  // Those that differ in one bit, at either end of a byte, and what is one of them beyond a byte.
  const someCodes = fc.constantFrom(0, 1, 2, 3, 127, 128, 129, 254, 255);

  test.each([Uint8Array, Uint16Array, Uint32Array])("the rows of a code, and of a table of codes, in a %o", (Codes) => {
    holds(fc.tuple(rowCounts.chain((length) => fc.array(someCodes, { minLength: length, maxLength: length })), fc.oneof(someCodes, fc.constant(0x101))), ([list, code]) => {
      const codes = Codes.from(list);
      const rowsWhere = (passes: (code: number) => boolean) => list.flatMap((value, row) => (passes(value) ? [row] : []));
      expect(rowsOf(bitsOfCode(codes, code))).toEqual(rowsWhere((value) => value === code));
      const table = Uint8Array.from({ length: 256 }, (_, value) => (value % 3 === code % 3 ? 1 : 0));
      expect(rowsOf(bitsOfTable(codes, table))).toEqual(rowsWhere((value) => table[value] === 1));
    });
  });
});
