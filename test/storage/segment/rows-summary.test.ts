import fc from "fast-check";
import { expect, test } from "vitest";
import { codeAt, type CodeColumn } from "../../../src/storage/column/column.js";
import { narrowCodes } from "../../../src/storage/column/codes.js";
import { decodeSummary, encodeSummary, summaryOf, type SummarySource } from "../../../src/storage/segment/summaries.js";
import { baseSeed } from "../../oracle/settings.js";

const rule = { name: "some", of: [], takes: [{ columns: ["value"] }, { columns: ["m1"], where: { column: "slug", codes: [1, 2, 3] } }], columns: ["value", "m1", "slug", "none"] };

/** Few rows have a value. */
const someCode = fc.oneof({ weight: 15, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.integer({ min: 1, max: 70_000 }) });
const someRow = fc.record({ ms: fc.integer({ min: 0, max: 86_399_999 }), sequence: fc.integer({ min: 1, max: 2 ** 31 }), value: someCode, m1: someCode, slug: fc.integer({ min: 0, max: 6 }) });
type Row = typeof someRow extends fc.Arbitrary<infer R> ? R : never;

const dense = (codes: readonly number[]): CodeColumn => ({ kind: "dense", codes: narrowCodes(Uint32Array.from(codes)) });

function sparse(codes: readonly number[]): CodeColumn {
  const rows = codes.flatMap((code, row) => (code === 0 ? [] : [row]));
  return { kind: "sparse", rows: Uint32Array.from(rows), codes: narrowCodes(Uint32Array.from(rows, (row) => codes[row] ?? 0)), rowCount: codes.length };
}

function sourceOf(rows: readonly Row[]): SummarySource {
  const columns = new Map<string, CodeColumn>([
    ["value", dense(rows.map(({ value }) => value))],
    ["m1", sparse(rows.map(({ m1 }) => m1))],
    ["slug", dense(rows.map(({ slug }) => slug))],
  ]);
  return { day: 7, times: Int32Array.from(rows, ({ ms }) => ms), sequences: Uint32Array.from(rows, ({ sequence }) => sequence), columns };
}

test("A summary has the rows with a value, or is not made where they are many; read back it is what was written.", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(someRow, { maxLength: 200 }), async (rows) => {
      const wanted = rows.filter(({ value, m1, slug }) => value !== 0 || (m1 !== 0 && slug >= 1 && slug <= 3));
      const summary = await summaryOf(sourceOf(rows), rule);
      expect(summary === null).toBe(wanted.length > rows.length / 8);
      if (summary === null) return;
      const { bytes, meta } = await encodeSummary(rule, summary);
      for (const { rowCount, times, sequences, column } of [summary, decodeSummary(7, meta, bytes)]) {
        const found = Array.from({ length: rowCount }, (_, row) => ({
          ms: times()[row], sequence: sequences()[row], value: codeAt(column("value"), row), m1: codeAt(column("m1"), row), slug: codeAt(column("slug"), row),
          none: codeAt(column("none"), row),
        }));
        expect(found).toEqual(wanted.map((row) => ({ ...row, none: 0 })));
      }
    }),
    { seed: baseSeed, numRuns: 300 },
  );
});
