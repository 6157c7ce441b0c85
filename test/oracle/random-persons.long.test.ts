import { expect, test } from "vitest";
import { checkPersonHistory } from "./person-case.js";
import { baseSeed, longCount } from "./settings.js";
import { useLimits } from "../limits.js";

// Heads are full after a few rows, so that what is kept of them, and what is not, is asked for too.
useLimits({ headPartRowCount: 6, placesSortedAtOnce: 2, placedTouchCount: 3 });

const historyCount = longCount(20_000, "DAYBOOK_CASES", 11);

test(`A Daybook answers about identities, sessions, money and companies as the oracle does, over ${historyCount} histories.`, async () => {
  expect(historyCount).toBeGreaterThan(0);
  for (let index = 0; index < historyCount; index += 1) await checkPersonHistory(baseSeed + 2_000_000 + index);
});
