import { seededRandom } from "daybook/testing";
import { expect, test } from "vitest";
import { UnitCounts } from "../../../../src/query/reports/returns/stickiness.js";

test.each([[3], [40], [300]])("In how many of %d units each of some people was active is what counting one by one finds.", async (unitCount) => {
  const random = seededRandom(unitCount);
  const wordCount = 5;
  const counts = new UnitCounts(wordCount);
  for (const _bucket of ["one", "another"]) {
    counts.begin();
    const expected = new Map<number, number>();
    for (let unit = 0; unit < unitCount; unit += 1) {
      const active = Array.from({ length: wordCount * 32 }, (_, entity) => entity).filter((entity) => entity !== 7 && random.chance(entity === 8 ? 1 : (entity % 10) / 9));
      const words = new Uint32Array(wordCount);
      for (const entity of active) {
        words[entity >>> 5] = (words[entity >>> 5] ?? 0) | (1 << (entity & 31));
        expected.set(entity, (expected.get(entity) ?? 0) + 1);
      }
      const places = Uint32Array.from([3, 0, 4, 1, 2]);
      counts.add({ places, words: places.map((place) => words[place] ?? 0) });
    }
    const histogram = await counts.histogram(() => Promise.resolve());
    for (let number = 1; number <= unitCount; number += 1) expect(histogram[number] ?? 0).toBe([...expected.values()].filter((count) => count === number).length);
  }
});
