import { fixedClock, memoryStorage, openDaybook, type Daybook } from "daybook";
import { openClickHouse, type ClickHouseOptions } from "daybook/clickhouse";
import { seededRandom } from "daybook/testing";
import { expect, test } from "vitest";
import { arrive } from "../support/random/arrive.js";
import { baseSeed, caseCount } from "../oracle/settings.js";
import { emptied, newDatabase } from "./kit.js";
import { compare, ofEvents, ofInsights, ofPersons, type Told } from "./three-answers.js";

/** Of each history so many reports are asked once. */
const REPORT_COUNT = 2;

const historyCount = caseCount(5, 40);

/** @returns how many queries had an answer */
async function answered<Q>(seed: number, database: ClickHouseOptions, told: Told<Q>): Promise<number> {
  const random = seededRandom(-seed);
  const { nowMs, segments: _segments, ...rules } = told.options;
  const clock = fixedClock(nowMs);
  await emptied(database);
  // Queries and what a history tells are there in both.
  const onClickHouse = (await openClickHouse({ ...database, ...rules, clock })) as unknown as Daybook;
  const embedded = await openDaybook({ ...rules, storage: memoryStorage(), clock });
  try {
    for (const daybook of [onClickHouse, embedded]) await arrive(daybook, told.history);
    const reports = Array.from({ length: REPORT_COUNT }, () => random.pick(told.reports));
    return await compare(told, reports, 1, onClickHouse, embedded, `DAYBOOK_SEED=${seed} DAYBOOK_CASES=1`);
  } finally {
    await Promise.all([onClickHouse.close(), embedded.close()]);
  }
}

test(`${historyCount} random histories are on ClickHouse what they are to the embedded engine and the oracle`, async () => {
  const { options, drop } = await newDatabase("one server");
  let answeredCount = 0;
  for (let seed = baseSeed; seed < baseSeed + historyCount; seed += 1) {
    const tell = [ofEvents, ofPersons, ofInsights][seed % 3] as (random: ReturnType<typeof seededRandom>) => Told<unknown>;
    answeredCount += await answered(seed, options, tell(seededRandom(seed)));
  }
  await drop();
  expect(answeredCount).toBeGreaterThan(0.1 * REPORT_COUNT * historyCount);
}, 36_000_000);
