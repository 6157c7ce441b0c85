import { expect, test } from "vitest";
import { checkPersonHistory } from "./person-case.js";
import { baseSeed, caseCount } from "./settings.js";

test("A Daybook answers about identities, sessions, money and companies as the oracle does, over 20,000 histories.", async () => {
  const historyCount = caseCount(20_000);
  expect(historyCount).toBeGreaterThan(0);
  for (let index = 0; index < historyCount; index += 1) await checkPersonHistory(baseSeed + 2_000_000 + index);
});
