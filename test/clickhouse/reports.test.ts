import { fixedClock, memoryStorage, openDaybook, type Daybook } from "daybook";
import { openClickHouse } from "daybook/clickhouse";
import { seededRandom } from "daybook/testing";
import { describe, expect, test } from "vitest";
import { arrive } from "../support/random/arrive.js";
import { baseSeed, caseCount } from "../oracle/settings.js";
import { newDatabase, queryLayouts, type Layout } from "./kit.js";
import { compare, ofEvents, ofPersons, type Told } from "./three-answers.js";

/** How often a report is asked, and how often of one history. */
const queryCount = caseCount(2, 20);
const PER_HISTORY_COUNT = Math.min(25, queryCount);
const historyCount = Math.ceil(queryCount / PER_HISTORY_COUNT);

/** @returns how many queries of one history had an answer */
async function answered<Q>(seed: number, layout: Layout, told: Told<Q>): Promise<number> {
  const { nowMs, segments: _segments, ...rules } = told.options;
  const clock = fixedClock(nowMs);
  const { options: database, drop } = await newDatabase(layout, { ...rules, clock });
  // Queries and what a history tells are there in both.
  const onClickHouse = (await openClickHouse(database)) as unknown as Daybook;
  const embedded = await openDaybook({ ...rules, storage: memoryStorage(), clock });
  try {
    for (const daybook of [onClickHouse, embedded]) await arrive(daybook, told.history);
    return await compare(told, told.reports, PER_HISTORY_COUNT, onClickHouse, embedded, `seed ${seed}`);
  } finally {
    await Promise.all([onClickHouse.close(), embedded.close()]);
    await drop();
  }
}

describe.each(queryLayouts)(`${queryCount} random queries of each report on ClickHouse, %s`, (layout) => {
  test.each(Object.entries({ events: ofEvents, persons: ofPersons }))("about %s are answered as the embedded engine and the oracle do", async (_, tell) => {
    let [answeredCount, askedCount] = [0, 0];
    for (let seed = baseSeed; seed < baseSeed + historyCount; seed += 1) {
      const told = tell(seededRandom(seed)) as Told<unknown>;
      answeredCount += await answered(seed, layout, told);
      askedCount += PER_HISTORY_COUNT * told.reports.length;
    }
    // Some are wrong, and many ask for somebody who is not there.
    expect(answeredCount).toBeGreaterThan(0.1 * askedCount);
  });
});
