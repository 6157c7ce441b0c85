import { expect, test } from "vitest";
import { checkHistory, queriesPerHistory } from "./random-case.js";
import { baseSeed, caseCount } from "./settings.js";

test("A Daybook answers random queries about hostile histories as the oracle does.", async () => {
  const historyCount = Math.ceil(caseCount(100, 1_500) / queriesPerHistory);
  expect(historyCount).toBeGreaterThan(0);
  for (let index = 0; index < historyCount; index += 1) await checkHistory(baseSeed + index);
});
