import { expect, test } from "vitest";
import { useLimits } from "../../../limits.js";
import { baseSeed, caseCount } from "../../../oracle/settings.js";
import { checkInsight, MANY_PER_HISTORY } from "./insight-case.js";
import { INSIGHT_LIMITS } from "./insight-limits.js";
import { QUESTION_COUNT } from "./question-counts.js";

useLimits(INSIGHT_LIMITS);

test("A Daybook answers stickiness as the oracle does, whatever comes in whatever order, and whatever was asked before.", async () => {
  const questionCount = caseCount(QUESTION_COUNT.quick);
  expect(questionCount).toBeGreaterThan(0);
  await checkInsight("stickiness", baseSeed, questionCount, MANY_PER_HISTORY);
});
