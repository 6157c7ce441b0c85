import fc from "fast-check";
import { expect, test } from "vitest";
import { BitSet, RankedBits } from "../../../src/storage/column/bitmap.js";
import { baseSeed } from "../../oracle/settings.js";

const codes = fc.uniqueArray(fc.integer({ min: 0, max: 200 }), { maxLength: 60 });

function bitsOf(list: readonly number[]): Uint32Array {
  const set = new BitSet(1);
  for (const code of list) set.add(code);
  return set.words;
}

test("A code's rank is how many lie before it, alone and among those that are in another set too.", () => {
  fc.assert(
    fc.property(codes, codes, (own, others) => {
      const ranked = new RankedBits(bitsOf(own));
      const inOrder = own.toSorted((a, b) => a - b);
      expect([ranked.count, inOrder.map((code) => ranked.rankOf(code))]).toEqual([own.length, [...inOrder.keys()]]);
      const common: number[] = [];
      ranked.eachRankIn(bitsOf(others), (rank) => common.push(rank));
      expect(common).toEqual([...inOrder.keys()].filter((rank) => others.includes(inOrder[rank] ?? -1)));
    }),
    { seed: baseSeed },
  );
});
