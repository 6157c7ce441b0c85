import { join } from "node:path";
import { expect, inject, test } from "vitest";
import { sharedChromium } from "../browser/chromium.js";
import { baseSeed, caseCount } from "../oracle/settings.js";
import { checkNumbers } from "./numbers/check-numbers.js";

const historyCount = caseCount(1);

// More histories are shown in numbers.long.test.ts.
test("every number of every view is that of the answer which its panel names, over random histories", async () => {
  const browser = await sharedChromium();
  let looked = 0;
  for (let at = 0; at < historyCount; at += 1) looked += await checkNumbers(browser, join(inject("programs"), "page"), baseSeed + at, 1);
  expect(looked).toBeGreaterThan(40 * historyCount);
}, 30_000 * historyCount);
