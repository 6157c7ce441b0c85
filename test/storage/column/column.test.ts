import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { GrowableCodes, allocateCodes, codeWidth, codesOfBytes } from "../../../src/storage/column/codes.js";
import { absentColumn, codeAt, codesOfRows, columnByteLength, denseCodes, histogramOf, type CodeColumn } from "../../../src/storage/column/column.js";
import { baseSeed } from "../../oracle/settings.js";

/** The same codes dense and sparse. */
function bothKinds(codes: readonly number[]): CodeColumn[] {
  const present = codes.flatMap((code, row) => (code === 0 ? [] : [row]));
  const max = Math.max(0, ...codes);
  const dense = allocateCodes(codes.length, max);
  dense.set(codes);
  const sparse = allocateCodes(present.length, max);
  sparse.set(present.map((row) => codes[row] ?? 0));
  return [
    { kind: "dense", codes: dense },
    { kind: "sparse", rows: Uint32Array.from(present), codes: sparse, rowCount: codes.length },
  ];
}

const lists = fc.array(fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.nat({ max: 5 }), fc.nat({ max: 70_000 })), { maxLength: 80 });

describe("a column of codes", () => {
  test("reads the same dense and sparse", () => {
    fc.assert(
      fc.property(lists, (list) => {
        const counts = new Map<number, number>();
        for (const code of list) counts.set(code, (counts.get(code) ?? 0) + 1);
        for (const column of bothKinds(list)) {
          expect([...denseCodes(column)]).toEqual(list);
          const rows = [...list.keys()].filter((row) => row % 3 !== 1);
          expect([...codesOfRows(column, rows)]).toEqual(rows.map((row) => list[row]));
          expect(list.map((_, row) => codeAt(column, row))).toEqual(list);
          const { codes, counts: found } = histogramOf(column);
          expect(histogramOf(column, 80_000)).toEqual({ codes, counts: found });
          expect([...codes].map((code, at) => [code, found[at]])).toEqual([...counts].sort(([a], [b]) => a - b));
        }
      }),
      { seed: baseSeed, numRuns: 400 },
    );
  });

  test("that nobody has is 0 in every row and costs nothing", () => {
    const column = absentColumn(3);
    expect([[...denseCodes(column)], codeAt(column, 2), columnByteLength(column)]).toEqual([[0, 0, 0], 0, 0]);
    expect([...histogramOf(column).codes, ...histogramOf(column).counts]).toEqual([0, 3]);
  });

  test("is as narrow as its largest code allows", () => {
    expect([0, 255, 256, 65_535, 65_536, 0xffffffff].map(codeWidth)).toEqual([1, 1, 2, 2, 4, 4]);
    expect([255, 256, 65_536].map((max) => allocateCodes(2, max).byteLength)).toEqual([2, 4, 8]);
  });

  test("is viewed in its bytes, copied only where they are not aligned", () => {
    const bytes = Uint8Array.of(0, 1, 2, 0, 4, 0, 6, 0);
    const view = codesOfBytes(bytes.subarray(2), 2);
    expect([[...view], view.buffer === bytes.buffer]).toEqual([[2, 4, 6], true]);
    const copy = codesOfBytes(bytes.subarray(1, 5), 4);
    expect([[...copy], copy.buffer === bytes.buffer]).toEqual([[0x04000201], false]);
    expect(codesOfBytes(bytes, 1).buffer).toBe(bytes.buffer);
  });
});

describe("codes that grow", () => {
  test("hold what was pushed, and a view taken before stays as it was", () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.nat({ max: 300 }), fc.nat({ max: 70_000 }), fc.constant(0xffffffff)), { maxLength: 300 }), fc.nat(), (codes, at) => {
        const growing = new GrowableCodes();
        const viewAt = codes.length === 0 ? 0 : at % codes.length;
        let view = growing.view();
        codes.forEach((code, index) => {
          if (index === viewAt) view = growing.view();
          growing.push(code);
        });
        expect([...growing.view()]).toEqual(codes);
        expect([...view]).toEqual(codes.slice(0, viewAt));
        expect([growing.count, growing.max]).toEqual([codes.length, Math.max(0, ...codes)]);
        expect(growing.view().BYTES_PER_ELEMENT).toBe(codeWidth(growing.max));
      }),
      { seed: baseSeed, numRuns: 300 },
    );
  });
});
