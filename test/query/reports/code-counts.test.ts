import fc from "fast-check";
import { expect, test } from "vitest";
import { CodeCounts } from "../../../src/query/reports/aggregate/code-counts.js";
import { baseSeed } from "../../oracle/settings.js";

const SIZE = 2_000;
const histogram = fc.uniqueArray(fc.tuple(fc.integer({ min: 0, max: SIZE - 1 }), fc.integer({ min: 1, max: 9 })), { selector: ([code]) => code, maxLength: 400 });

test("Counts are the same whether few codes have one or many.", () => {
  fc.assert(
    fc.property(fc.array(histogram, { maxLength: 4 }), fc.uniqueArray(fc.nat({ max: SIZE - 1 }), { maxLength: 300 }), (histograms, rows) => {
      const plain = new Map<number, number>();
      const counts = new CodeCounts(SIZE / 4);
      counts.makeRoom(SIZE);
      const add = (code: number, count: number) => plain.set(code, (plain.get(code) ?? 0) + count);
      for (const items of histograms) {
        counts.addHistogram({ codes: Uint32Array.from(items, ([code]) => code), counts: Uint32Array.from(items, ([, count]) => count) });
        for (const [code, count] of items) add(code, count);
      }
      const codes = Uint16Array.from({ length: SIZE }, (_, row) => (row * 7) % SIZE);
      counts.addRows({ kind: "dense", codes }, Uint32Array.from(rows).sort());
      for (const row of rows) add((row * 7) % SIZE, 1);
      const known = counts.histogram();
      expect(Array.from(known.codes, (code, at) => [code, known.counts[at]])).toEqual([...plain].sort(([a], [b]) => a - b));
      expect(Array.from(counts.all.entries()).filter(([, count]) => count > 0)).toHaveLength(plain.size);
    }),
    { seed: baseSeed },
  );
});
