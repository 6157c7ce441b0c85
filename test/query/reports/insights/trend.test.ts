import { fixedClock, memoryStorage, openDaybook } from "daybook";
import { expect, test } from "vitest";
import { useLimits } from "../../../limits.js";
import { baseSeed, caseCount } from "../../../oracle/settings.js";
import { checkInsight, MANY_PER_HISTORY } from "./insight-case.js";
import { INSIGHT_LIMITS } from "./insight-limits.js";
import { figuresOf, NUMBER_FIELDS, NUMBER_FIGURES, tellNumbers } from "./number-values.js";
import { QUERY_COUNT } from "./query-counts.js";

useLimits(INSIGHT_LIMITS);

test("A Daybook answers trend as the oracle does, whatever comes in whatever order, and whatever was asked before.", async () => {
  const queryCount = caseCount(QUERY_COUNT.quick);
  expect(queryCount).toBeGreaterThan(0);
  await checkInsight("trend", baseSeed, queryCount, MANY_PER_HISTORY);
});

test("Numbers are JSON numbers and texts in their form: an array of numbers has none, wherever it stands and lies.", async () => {
  for (const isSealed of [false, true]) {
    await using daybook = await openDaybook({ storage: memoryStorage(), clock: fixedClock(Date.UTC(2026, 2, 2)) });
    await tellNumbers(daybook);
    if (isSealed) await daybook.seal();
    for (const field of NUMBER_FIELDS) expect([field, await figuresOf(daybook, field)]).toEqual([field, NUMBER_FIGURES]);
  }
});
