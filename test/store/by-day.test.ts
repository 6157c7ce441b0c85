import fc from "fast-check";
import { expect, test } from "vitest";
import { MS_PER_DAY } from "../../src/core/base/time.js";
import { FIELD_COUNT } from "../../src/core/schema/fields.js";
import { Head } from "../../src/storage/segment/head.js";
import { MemoryBudget } from "../../src/storage/segment/memory-budget.js";
import { BatchBuilder, byDay, type Batch } from "../../src/store/batch/batch.js";
import { baseSeed } from "../oracle/settings.js";
import { PROJECT_TEXTS } from "../storage/segment/rows-of.js";

/** Shape n has n keys. */
const keysOf = (shape: number) => Array.from({ length: shape }, (_, key) => key);

interface Row {
  readonly day: number;
  readonly shape: number;
}

/** Every number in a row names the row: what is read later says which row it was. */
function batchOf(rows: readonly Row[]): Batch {
  const builder = new BatchBuilder();
  for (const [at, { day, shape }] of rows.entries()) {
    builder.reserve(1);
    builder.times[at] = day * MS_PER_DAY + at;
    builder.ids.fill(at & 255, at * 16, at * 16 + 16);
    builder.codes.forEach((codes, field) => (codes[at] = at * FIELD_COUNT + field));
    builder.shapes[at] = shape;
    for (const key of keysOf(shape)) builder.pushValue(at * 10 + key);
    builder.rowCount += 1;
  }
  return builder.batch();
}

/** The rows of a batch as texts, each with the place it came from. */
function textsOf({ rowCount, times, ids, codes, shapes, values, places }: Batch): string[] {
  let valuesAt = 0;
  return Array.from({ length: rowCount }, (_, row) => {
    const own = values.slice(valuesAt, (valuesAt += shapes[row] ?? 0));
    const fields = codes.map((column) => column[row]);
    return [places?.[row] ?? row, times[row], ids.slice(row * 16, row * 16 + 16), fields, own].join(" ");
  });
}

const rowsOf = fc.array(fc.record({ day: fc.integer({ min: -2, max: 3 }), shape: fc.nat({ max: 3 }) }), { maxLength: 60 });

test("The rows of each day lie together in order of arrival, and no row loses what is its own.", () => {
  fc.assert(
    fc.property(rowsOf, (rows) => {
      const batch = batchOf(rows);
      const ordered = byDay(batch, keysOf);
      const days = [...new Set(rows.map(({ day }) => day))];
      const texts = textsOf(batch);
      expect(textsOf(ordered)).toEqual(days.flatMap((day) => texts.filter((_, row) => rows[row]?.day === day)));
    }),
    { seed: baseSeed, numRuns: 300 },
  );
});

test("Rows that lie together already are not moved.", () => {
  const batch = batchOf([3, 3, 1, 1, 2].map((day) => ({ day, shape: 1 })));
  expect(byDay(batch, keysOf)).toBe(batch);
});

test("A head knows of each row which of its batch it was.", () => {
  const batch = byDay(batchOf([1, 2, 1, 2, 1].map((day) => ({ day, shape: 0 }))), keysOf);
  const head = new Head(2, new MemoryBudget(1e9), PROJECT_TEXTS);
  head.append(batch, 3, 5, 100, 0, keysOf);
  expect([...head.view().sequences()]).toEqual([101, 103]);
});
