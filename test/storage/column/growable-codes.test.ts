import fc from "fast-check";
import { expect, test } from "vitest";
import { GrowableCodes } from "../../../src/storage/column/codes.js";
import { baseSeed } from "../../oracle/settings.js";

const widths = fc.constantFrom(0, 3, 255, 256, 65_535, 65_536, 2 ** 24);
const lengths = fc.constantFrom(1, 2, 62, 63, 64, 65, 128);
const values = fc.tuple(lengths, widths).map(([count, value]) => Array.from({ length: count }, () => value));
const runs = fc.array(fc.tuple(fc.boolean(), values), { maxLength: 6 });

test("Codes pushed one by one or many at a time are all there, whichever makes the list longer, wider or both.", () => {
  fc.assert(
    fc.property(runs, fc.nat({ max: 3 }), (parts, from) => {
      const codes = new GrowableCodes();
      const expected: number[] = [];
      for (const [oneByOne, values] of parts) {
        const around = Uint32Array.of(...Array.from({ length: from }, () => 70_000), ...values, 70_000);
        if (oneByOne) for (const value of values) codes.push(value);
        else codes.pushAll(around, from, values.length);
        expected.push(...values);
        expect([...codes.view()]).toEqual(expected);
        expect(codes.max).toBe(Math.max(0, ...expected));
      }
    }),
    { seed: baseSeed, numRuns: 300 },
  );
});

test("The first code of two bytes may come just when the list is full.", () => {
  const codes = new GrowableCodes();
  for (let at = 0; at < 64; at += 1) codes.push(at);
  codes.push(256);
  expect(codes.view()[64]).toBe(256);
});
