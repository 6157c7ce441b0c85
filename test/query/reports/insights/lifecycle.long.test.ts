import { expect, test } from "vitest";
import { useLimits } from "../../../limits.js";
import { baseSeed, longCount } from "../../../oracle/settings.js";
import { checkInsight } from "./insight-case.js";
import { INSIGHT_LIMITS } from "./insight-limits.js";
import { QUESTION_COUNT } from "./question-counts.js";

useLimits(INSIGHT_LIMITS);

const questionCount = longCount(QUESTION_COUNT.long, "DAYBOOK_CASES", 10);

test(`A Daybook answers lifecycle as the oracle does, over ${questionCount} questions.`, async () => {
  expect(questionCount).toBeGreaterThan(0);
  await checkInsight("lifecycle", baseSeed + 4_000_000, questionCount);
});
