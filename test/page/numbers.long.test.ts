import { join } from "node:path";
import { expect, inject, test } from "vitest";
import { sharedChromium } from "../browser/chromium.js";
import { baseSeed, caseCount } from "../oracle/settings.js";
import { checkNumbers } from "./numbers/check-numbers.js";

const historyCount = caseCount(12);

test("every number of every view is that of the answer which its panel names, over many random histories", async () => {
  const browser = await sharedChromium();
  let looked = 0;
  for (let at = 0; at < historyCount; at += 1) looked += await checkNumbers(browser, join(inject("programs"), "page"), baseSeed + 1_000 + at, 2);
  expect(looked).toBeGreaterThan(100 * historyCount);
});
