import { LIMITS } from "../../src/base/limits.js";
import { baseSeed } from "../oracle/settings.js";
import { insightDifference, QUESTIONS_PER_HISTORY } from "../report/insights/insight-case.js";
import { INSIGHT_LIMITS } from "../report/insights/insight-limits.js";
import { QUESTION_COUNT } from "../report/insights/question-counts.js";
import { traitDifference, TRAIT_HISTORY_COUNT } from "../report/insights/trait-case.js";
import type { Asked } from "./insight-mutants.js";

/**
 * What the long suite asks first of an insight, of the source that this was bundled with: exit code 1 and the first difference, or 0. The same
 * limits, the same seeds, no more questions: whatever is noticed here, `test/report/insights/NAME.long.test.ts` notices.
 */
async function main(): Promise<void> {
  const asked = process.argv[2] as Asked;
  if (asked !== "traits") Object.assign(LIMITS, INSIGHT_LIMITS);
  const historyCount = asked === "traits" ? TRAIT_HISTORY_COUNT : QUESTION_COUNT.mutant / QUESTIONS_PER_HISTORY;
  for (let index = 0; index < historyCount; index += 1) {
    const difference = await (asked === "traits" ? traitDifference(baseSeed + index) : insightDifference(asked, baseSeed + index));
    if (difference === null) continue;
    process.stdout.write(`history ${index}: ${difference}\n`);
    process.exit(1);
  }
}

main().catch((error: unknown) => {
  process.stdout.write(String(error));
  process.exit(1);
});
