import fc from "fast-check";
import { expect, test } from "vitest";
import { Yielder } from "../../../src/core/base/yield.js";
import { sortNumbers } from "../../../src/core/base/arrays.js";
import { baseSeed } from "../../oracle/settings.js";

test("Numbers are sorted whatever order they come in, and however short the pieces are.", async () => {
  const runs = fc.array(fc.array(fc.integer({ min: 0, max: 30 })).map((run) => run.sort((a, b) => a - b)));
  await fc.assert(
    fc.asyncProperty(fc.oneof(fc.array(fc.nat()), runs.map((lists) => lists.flat())), fc.integer({ min: 1, max: 100 }), async (list, pieceLength) => {
      expect([...(await sortNumbers(Float64Array.from(list), new Yielder(pieceLength)))]).toEqual([...list].sort((a, b) => a - b));
    }),
    { seed: baseSeed, numRuns: 500 },
  );
});

test("Numbers that ascend already are taken as they are.", async () => {
  const numbers = Float64Array.from({ length: 50_000 }, (_, at) => at);
  expect(await sortNumbers(numbers, new Yielder())).toBe(numbers);
});
