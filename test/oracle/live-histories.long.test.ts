import { expect, test } from "vitest";
import { checkLiveHistory } from "./live-case.js";
import { baseSeed, longCount } from "./settings.js";

const historyCount = longCount(20_000, "DAYBOOK_CASES", 13);

test(`A Daybook that lives on answers as one that is opened now, over ${historyCount} histories, with little memory or much.`, async () => {
  expect(historyCount).toBeGreaterThan(0);
  for (let index = 0; index < historyCount; index += 1) await checkLiveHistory(baseSeed + 3_000_000 + index, index % 4 === 0 ? "small" : "big");
});
