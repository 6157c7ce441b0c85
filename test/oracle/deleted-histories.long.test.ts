import { expect, test } from "vitest";
import { checkLiveHistory } from "./live-case.js";
import { baseSeed, longCount } from "./settings.js";

const historyCount = longCount(20_000, "DAYBOOK_CASES", 13);

test(`After deletions a Daybook answers as if the deleted had never come, over ${historyCount} histories, with little memory or much.`, async () => {
  expect(historyCount).toBeGreaterThan(0);
  for (let index = 0; index < historyCount; index += 1) await checkLiveHistory(baseSeed + 8_000_000 + index, index % 4 === 0 ? "small" : "big", index % 2 === 0 ? 0.1 : 0.3);
});
