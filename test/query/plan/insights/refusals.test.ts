import { expect, test } from "vitest";
import { seededRandom } from "daybook/testing";
import { oracle } from "../../../support/index.js";
import { DaybookError } from "../../../../src/core/base/errors.js";
import { reportRules } from "../../../../src/query/plan/report-rules.js";
import { reports } from "../../../../src/query/reports/reports.js";
import { insightQuery, type InsightName } from "../../../support/random/insight-queries.js";
import { timesOf } from "../../../support/random/insight-scope.js";
import { baseSeed, caseCount } from "../../../oracle/settings.js";

const names = ["trend", "funnel", "retention", "lifecycle", "stickiness", "paths", "sessionsOverview", "webOverview"] as const;

/** The code of the error that is thrown; null where there is none. */
function codeOf(run: () => unknown): string | null {
  try {
    run();
    return null;
  } catch (error) {
    if (error instanceof DaybookError) return error.code;
    throw error;
  }
}

test.each(names)("%s is refused where the oracle refuses it, which looks at data too", (report: InsightName) => {
  for (let at = 0; at < caseCount(25, 1_500); at += 1) {
    const random = seededRandom(baseSeed + at);
    const nowMs = Date.UTC(2026, 3, 1) + random.below(86_400_000);
    const history = [{ id: "00000000-0000-4000-8000-000000000001", name: "a", userId: "ann", createdAt: nowMs - 86_400_000 }];
    const { input } = insightQuery(report, { random, timesMs: timesOf(history), nowMs, identityIds: ["idn_1"] });
    const context = { nowMs, cursorKey: new Uint8Array(32), rules: reportRules({}), savedSegments: new Map(), patterns: [] };
    const planned = codeOf(() => reports[report].plan(input, context));
    const asked: Record<InsightName, (input: never) => unknown> = oracle(history, { nowMs });
    const answered = codeOf(() => asked[report](input as never));
    expect(planned, `With the seed ${baseSeed + at}: ${JSON.stringify(input)}`).toBe(answered);
  }
});
