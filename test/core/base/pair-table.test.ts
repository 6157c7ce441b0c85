import fc from "fast-check";
import { test } from "vitest";
import { PairTable } from "../../../src/core/base/pair-table.js";
import { agree } from "../../agree.js";
import { baseSeed } from "../../oracle/settings.js";

test("Each pair has a number of its own, the same whenever it is asked for.", () => {
  const side = fc.oneof(fc.nat(20), fc.nat(2 ** 32 - 1), fc.nat(500).map((high) => high * 65_536));
  fc.assert(
    fc.property(fc.array(fc.tuple(side, side), { maxLength: 1_500, size: "max" }), (pairs) => {
      const numbers = new PairTable();
      const known = new Map<string, number>();
      for (const [first, second] of [...pairs, ...pairs]) {
        const key = `${first} ${second}`;
        const next = known.size + 1;
        const number = numbers.of(first, second, next);
        agree(number, known.get(key) ?? next);
        known.set(key, number);
      }
    }),
    { seed: baseSeed, numRuns: 60 },
  );
});
