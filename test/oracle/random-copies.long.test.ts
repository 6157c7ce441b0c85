import { expect, test } from "vitest";
import { checkCopy } from "./copy-case.js";
import { baseSeed, longCount } from "./settings.js";

const parts = [1, 2, 3, 4, 5, 6, 7, 8];

test.each(parts)("Every answer of a copy is the original's, byte for byte, and so is its export, over thousands of histories: part %i.", async (part) => {
  const historyCount = Math.ceil(longCount(20_000) / parts.length);
  expect(historyCount).toBeGreaterThan(0);
  for (let index = 0; index < historyCount; index += 1) await checkCopy(baseSeed + 3_000_000 + (part - 1) * historyCount + index);
});
