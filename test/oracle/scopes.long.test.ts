import { expect, test } from "vitest";
import { checkScope } from "./scope-case.js";
import { baseSeed, longCount } from "./settings.js";
import { useLimits } from "../limits.js";

// Heads are full after a few rows, so that what is kept of them, and what is not, is asked for too.
useLimits({ headPartRowCount: 6, placesSortedAtOnce: 2, placedTouchCount: 3 });

const historyCount = longCount(1_200, "DAYBOOK_CASES", 11);

test(`A scope answers as a store made of its events and all records, over ${historyCount} histories and scopes.`, async () => {
  let queryCount = 0;
  for (let index = 0; index < historyCount; index += 1) queryCount += await checkScope(baseSeed + 7_100_000 + index);
  expect(queryCount).toBeGreaterThan(historyCount * 15);
});
