import { expect, test } from "vitest";
import { checkPersonHistory } from "./person-case.js";
import { baseSeed, caseCount } from "./settings.js";
import { useLimits } from "../limits.js";

// Heads are full after a few rows, so that what is kept of them, and what is not, is asked for too.
useLimits({ headPartRowCount: 6, placesSortedAtOnce: 2, placedTouchCount: 3 });

const parts = [1, 2, 3, 4, 5];

test.each(parts)("A Daybook answers about identities, sessions, money and companies as the oracle does, whatever comes in whatever order: part %i.", async (part) => {
  const historyCount = Math.ceil(caseCount(20, 150) / parts.length);
  expect(historyCount).toBeGreaterThan(0);
  for (let index = 0; index < historyCount; index += 1) await checkPersonHistory(baseSeed + (part - 1) * historyCount + index);
});
