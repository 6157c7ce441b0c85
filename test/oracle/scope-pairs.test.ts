import { expect, test } from "vitest";
import { checkPair } from "./scope-pairs.js";
import { baseSeed, caseCount } from "./settings.js";

const pairCount = caseCount(6, 600);

test("A scope tells nothing of events outside: answers, errors, notices, explanations, cursors, and headers over HTTP are the same.", async () => {
  expect(pairCount).toBeGreaterThan(0);
  for (let index = 0; index < pairCount; index += 1) await checkPair(baseSeed + 7_200_000 + index);
});
