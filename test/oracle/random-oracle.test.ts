import { expect, test } from "vitest";
import { checkHistory, questionsPerHistory } from "./random-case.js";
import { baseSeed, caseCount } from "./settings.js";

test("A Daybook answers random questions about hostile histories as the oracle does.", async () => {
  const historyCount = Math.ceil(caseCount(100, 1_500) / questionsPerHistory);
  expect(historyCount).toBeGreaterThan(0);
  for (let index = 0; index < historyCount; index += 1) await checkHistory(baseSeed + index);
});
