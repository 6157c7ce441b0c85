import { expect, test } from "vitest";
import { useLimits } from "../../../limits.js";
import { baseSeed, longCount } from "../../../oracle/settings.js";
import { checkInsight } from "./insight-case.js";
import { INSIGHT_LIMITS } from "./insight-limits.js";
import { QUERY_COUNT } from "./query-counts.js";

useLimits(INSIGHT_LIMITS);

const queryCount = longCount(QUERY_COUNT.long, "DAYBOOK_CASES", 10);

test(`A Daybook answers sessionsOverview as the oracle does, over ${queryCount} queries.`, async () => {
  expect(queryCount).toBeGreaterThan(0);
  await checkInsight("sessionsOverview", baseSeed + 4_000_000, queryCount);
});
