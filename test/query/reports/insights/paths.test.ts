import { expect, test } from "vitest";
import { useLimits } from "../../../limits.js";
import { baseSeed, caseCount } from "../../../oracle/settings.js";
import { checkInsight, MANY_PER_HISTORY } from "./insight-case.js";
import { INSIGHT_LIMITS } from "./insight-limits.js";
import { QUERY_COUNT } from "./query-counts.js";

useLimits(INSIGHT_LIMITS);

test("A Daybook answers paths as the oracle does, whatever comes in whatever order, and whatever was asked before.", async () => {
  const queryCount = caseCount(QUERY_COUNT.quick);
  expect(queryCount).toBeGreaterThan(0);
  await checkInsight("paths", baseSeed, queryCount, MANY_PER_HISTORY);
});
