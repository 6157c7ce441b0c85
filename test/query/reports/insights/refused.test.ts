import { DaybookError, fixedClock, memoryStorage, openDaybook, type Daybook } from "daybook";
import { seededRandom } from "daybook/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { arrive } from "../../../support/random/arrive.js";
import { insightFaults, type InsightFault } from "../../../support/random/insight-faults.js";
import { insightHistory } from "../../../support/random/insight-history.js";
import type { InsightName } from "../../../support/random/insight-queries.js";
import { baseSeed, nowMs } from "../../../oracle/settings.js";

const reports = ["trend", "funnel", "retention", "lifecycle", "stickiness", "paths", "sessionsOverview", "webOverview"] as const satisfies readonly InsightName[];
const required: Partial<Record<InsightName, object>> = { funnel: { steps: [{ eventName: "a" }, { eventName: "b" }] } };

let daybook: Daybook;
beforeAll(async () => {
  daybook = await openDaybook({ storage: memoryStorage(), clock: fixedClock(nowMs) });
  await arrive(daybook, insightHistory(seededRandom(baseSeed)).history);
});
afterAll(() => daybook.close());

describe.each(reports)("%s", (report) => {
  test("refuses what is wrong with a query, with the code and the member.", async () => {
    const faults = insightFaults(report);
    expect(faults.length).toBeGreaterThan(80);
    const differences: string[] = [];
    for (const fault of faults) {
      const refusal = await refusalOf(report, fault);
      const isRight = refusal !== null && refusal.code === fault.code && (fault.param === null || refusal.details.param === fault.param);
      if (!isRight) differences.push(`${JSON.stringify(fault.members).slice(0, 300)}: expected ${fault.code} of ${fault.param ?? "anything"}, got ${refusal === null ? "an answer" : `${refusal.code} of ${refusal.details.param}`}`);
    }
    expect(differences).toEqual([]);
  });
});

async function refusalOf(report: InsightName, { members }: InsightFault): Promise<DaybookError | null> {
  try {
    await daybook[report]({ ...required[report], ...members } as never);
    return null;
  } catch (error) {
    if (error instanceof DaybookError) return error;
    throw error;
  }
}
