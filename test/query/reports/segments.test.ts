import { expect, test } from "vitest";
import { seededRandom } from "daybook/testing";
import { useLimits } from "../../limits.js";
import { baseSeed, caseCount } from "../../oracle/settings.js";
import { checkQueries } from "./known-case.js";
import { segmentQueries } from "./segment-queries.js";

useLimits({ headPartRowCount: 6, placesSortedAtOnce: 2, placedTouchCount: 3 });

const parts = [1, 2, 3];

test.each(parts)("Old queries take segments of people, by what they did and are, as the oracle does: part %i.", async (part) => {
  const historyCount = Math.ceil(caseCount(15, 300) / parts.length);
  expect(historyCount).toBeGreaterThan(0);
  for (let index = 0; index < historyCount; index += 1) {
    const seed = baseSeed + (part - 1) * historyCount + index;
    const random = seededRandom(seed);
    await checkQueries(seed, random, segmentQueries(random).slice(0, 5), () => segmentQueries(random));
  }
});
