import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compareCodePoints } from "../../../src/core/base/text-order.js";
import { yieldToEventLoop } from "../../../src/core/base/yield.js";
import { rankCounts, rankedYielding, ranking } from "../../../src/query/answer/ranked-items.js";
import { turnsOfOthers } from "../../testing/turns-of-others.js";
import { baseSeed, sliceOf } from "../../oracle/settings.js";

const TEXTS = ["", "a", "b", "ab", "é", "\uffff", "😀", "z"];
/** Properties of their own for so many places. */
const propertiesOf = (count: number) => Array.from({ length: count }, (_, place) => `${TEXTS[place % TEXTS.length] ?? ""}${Math.floor(place / TEXTS.length)}`);

function expected(counts: readonly number[], properties: readonly string[], limit: number | null) {
  const items = counts.map((count, place) => ({ property: properties[place] ?? "", count })).filter(({ count }) => count > 0);
  items.sort((a, b) => b.count - a.count || compareCodePoints(a.property, b.property));
  return items.slice(0, limit ?? items.length);
}

/** The same with the order of all properties at hand, and without it. */
function ranked(counts: readonly number[], properties: readonly string[], limit: number | null) {
  const propertyOf = (place: number) => properties[place] ?? "";
  const order = Uint32Array.from(properties.keys()).sort((a, b) => compareCodePoints(propertyOf(a), propertyOf(b)));
  const numbers = Uint32Array.from(counts);
  return [rankCounts(numbers, { propertyOf }, limit), rankCounts(numbers, { propertyOf, placesInOrder: () => order }, limit)];
}

describe("items", () => {
  const few = fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 2 ** 32 - 1 }));

  test("stand by count, the greatest first, and then by the code points of what they are of", () => {
    fc.assert(
      fc.property(fc.array(few, { maxLength: 60 }), fc.option(fc.nat({ max: 70 })), (counts, limit) => {
        const properties = propertiesOf(counts.length);
        const items = expected(counts, properties, limit);
        expect(ranked(counts, properties, limit)).toEqual([items, items]);
      }),
      { seed: baseSeed, numRuns: 500 },
    );
  });

  test("are made some ten thousand in one step, with the order of all properties at hand and without it", () => {
    const counts = Uint32Array.from({ length: 100_000 }, (_, place) => 1 + (place % 3));
    const propertyOf = (place: number) => `${place}`;
    const order = Uint32Array.from(counts.keys()).sort((a, b) => compareCodePoints(propertyOf(a), propertyOf(b)));
    for (const ranked of [{ propertyOf }, { propertyOf, placesInOrder: () => order }]) expect([...ranking(counts, ranked, null)].length).toBeGreaterThanOrEqual(100_000 / 16_384);
  });

  test("of very many that tie are the first by their texts, and all of them in turns", async () => {
    const counts = Array.from({ length: 50_000 }, (_, place) => (place % 7 === 0 ? 0 : 1 + (place % 2)));
    const properties = counts.map((_, place) => `${TEXTS[place % TEXTS.length] ?? ""}${(place * 7_919) % 50_021}`);
    for (const limit of [1, 10, 1_024, 30_000]) {
      const items = expected(counts, properties, limit);
      expect(ranked(counts, properties, limit)).toEqual([items, items]);
    }
    const turns = await turnsOfOthers(async () => {
      const items = await rankedYielding(Uint32Array.from(counts), (place) => properties[place] ?? "", null, yieldToEventLoop);
      expect(items).toEqual(expected(counts, properties, null));
    });
    expect(turns).toBeGreaterThan(10);
  });

  test.each(sliceOf([1_000, 40_000], 2))("of %i places are told apart by every bit of their counts", (placeCount) => {
    const counts = Array.from({ length: placeCount }, (_, place) => 2 ** (place % 32) + (place % 3));
    const properties = propertiesOf(placeCount);
    for (const limit of [null, 0, 1, 100]) {
      const items = expected(counts, properties, limit);
      expect(ranked(counts, properties, limit)).toEqual([items, items]);
    }
  });
});
