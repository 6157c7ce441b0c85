import { expect, test } from "vitest";
import { checkHistory, queriesPerHistory } from "./random-case.js";
import { baseSeed, longCount } from "./settings.js";

test("A Daybook answers thousands of random queries about hostile histories as the oracle does.", async () => {
  const historyCount = Math.ceil(longCount(20_000) / queriesPerHistory);
  expect(historyCount).toBeGreaterThan(0);
  for (let index = 0; index < historyCount; index += 1) await checkHistory(baseSeed + 1_000_000 + index);
});
