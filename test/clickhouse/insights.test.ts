import { fixedClock, memoryStorage, openDaybook, type Daybook } from "daybook";
import { openClickHouse } from "daybook/clickhouse";
import { describe, expect, test } from "vitest";
import { DaybookError } from "../../src/base/errors.js";
import { arrive } from "../../src/testing/random/arrive.js";
import { insightHistory } from "../../src/testing/random/insight-history.js";
import { insightQuestion } from "../../src/testing/random/insight-questions.js";
import { timesOf } from "../../src/testing/random/insight-scope.js";
import { seededRandom } from "../../src/testing/random.js";
import { baseSeed } from "../oracle/settings.js";
import { newDatabase } from "./kit.js";

const QUESTION_COUNT = 6;
const INSIGHTS = ["trend", "retention", "lifecycle", "stickiness"] as const;

/** The answer as JSON, or the code of the error. */
async function outcomeOf(answer: Promise<unknown>): Promise<string> {
  try {
    return JSON.stringify(await answer);
  } catch (error) {
    if (error instanceof DaybookError && error.code !== "internal") return `error ${error.code}`;
    throw error;
  }
}

describe.each([["one server", 3], ["two shards", 2]] as const)("insights on ClickHouse, %s", (layout, historyCount) => {
  test.each(INSIGHTS)("%s is that of the embedded engine, as far as it is answered", async (report) => {
    let comparedCount = 0;
    for (let seed = baseSeed; seed < baseSeed + historyCount; seed += 1) {
      const random = seededRandom(seed);
      const { options: { nowMs, segments: _segments, ...rules }, history } = insightHistory(random);
      const clock = fixedClock(nowMs);
      const { options, drop } = await newDatabase(layout, { ...rules, clock });
      const daybook = await openClickHouse(options);
      await using embedded = await openDaybook({ ...rules, storage: memoryStorage(), clock });
      for (const each of [daybook as unknown as Daybook, embedded]) await arrive(each, history);
      const known = { random, timesMs: timesOf(history), nowMs, identityIds: [] };
      for (let asked = 0; asked < QUESTION_COUNT; asked += 1) {
        const { input } = insightQuestion(report, known);
        const ask = (of: Pick<Daybook, typeof report>) => of[report](input as never);
        const given = await outcomeOf(ask(daybook));
        if (given === "error not_supported") continue;
        expect(given, `seed ${seed}, ${JSON.stringify(input)}`).toBe(await outcomeOf(ask(embedded)));
        if (!given.startsWith("error")) comparedCount += 1;
      }
      await daybook.close();
      await drop();
    }
    expect(comparedCount).toBeGreaterThanOrEqual(historyCount);
  });
});
