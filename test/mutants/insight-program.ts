import { LIMITS } from "../../src/core/base/limits.js";
import { baseSeed } from "../oracle/settings.js";
import { insightDifference, QUERIES_PER_HISTORY } from "../query/reports/insights/insight-case.js";
import { INSIGHT_LIMITS } from "../query/reports/insights/insight-limits.js";
import { QUERY_COUNT } from "../query/reports/insights/query-counts.js";
import { traitDifference, TRAIT_HISTORY_COUNT } from "../query/reports/insights/trait-case.js";
import { askHistories } from "./histories.js";
import type { Asked } from "./insight-mutants.js";

/**
 * Asks the source that this was bundled with about histories as the tests of an insight do, of their limits and seeds.
 * The first argument names the insight.
 */
async function main(): Promise<void> {
  const asked = process.argv[2] as Asked;
  if (asked !== "traits") Object.assign(LIMITS, INSIGHT_LIMITS);
  const historyCount = asked === "traits" ? TRAIT_HISTORY_COUNT : QUERY_COUNT.mutant / QUERIES_PER_HISTORY;
  await askHistories(3, historyCount, (history) => (asked === "traits" ? traitDifference(baseSeed + history) : insightDifference(asked, baseSeed + history)));
}

void main();
