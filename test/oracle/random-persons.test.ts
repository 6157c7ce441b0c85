import { expect, test } from "vitest";
import { checkPersonHistory } from "./person-case.js";
import { baseSeed, caseCount } from "./settings.js";

const parts = [1, 2, 3, 4, 5];

test.each(parts)("A Daybook answers about identities, sessions, money and companies as the oracle does, whatever comes in whatever order: part %i.", async (part) => {
  const historyCount = Math.ceil(caseCount(3_000) / parts.length);
  expect(historyCount).toBeGreaterThan(0);
  for (let index = 0; index < historyCount; index += 1) await checkPersonHistory(baseSeed + (part - 1) * historyCount + index);
});
