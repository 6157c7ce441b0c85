import { fixedClock, memoryStorage, openDaybook, type Daybook } from "daybook";
import { openClickHouse, type ClickHouseDaybook } from "daybook/clickhouse";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { DaybookError } from "../../src/core/base/errors.js";
import { arrive } from "../support/random/arrive.js";
import { insightHistory } from "../support/random/insight-history.js";
import { insightQuery, type InsightName } from "../support/random/insight-queries.js";
import { timesOf, type Known } from "../support/random/insight-scope.js";
import { seededRandom } from "../../src/testing/random.js";
import { baseSeed, caseCount } from "../oracle/settings.js";
import { figuresOf, NUMBER_FIELDS, NUMBER_FIGURES, tellNumbers } from "../query/reports/insights/number-values.js";
import { newDatabase, queryLayouts, type Layout } from "./kit.js";

/** How often each is asked of a history: more often where more can go wrong. */
const QUERY_COUNTS = {
  trend: 12, retention: 8, lifecycle: 4, stickiness: 4, funnel: 16, paths: 10, sessionsOverview: 8, webOverview: 6,
} as const;
type Asked = keyof typeof QUERY_COUNTS;

/** Of queries the share that is wrong. */
const MOST_REFUSED = 0.2;

/** One history on ClickHouse and in the embedded engine. */
interface Pair {
  readonly seed: number;
  readonly daybook: ClickHouseDaybook;
  readonly embedded: Daybook;
  readonly known: Omit<Known, "random">;
  close(): Promise<void>;
}

/** @param historyCount histories in one: each alone has few people */
async function pairOf(seed: number, layout: Layout, historyCount: number): Promise<Pair> {
  const random = seededRandom(seed);
  const { options: { nowMs, segments: _segments, ...rules }, history: first } = insightHistory(random);
  const others = Array.from({ length: historyCount - 1 }, () => insightHistory(random).history);
  const history = [...first, ...others.flat()];
  const clock = fixedClock(nowMs);
  const { options, drop } = await newDatabase(layout, { ...rules, clock });
  const daybook = await openClickHouse(options);
  const embedded = await openDaybook({ ...rules, storage: memoryStorage(), clock });
  for (const each of [daybook as unknown as Daybook, embedded]) await arrive(each, history);
  const close = async () => {
    await Promise.all([daybook.close(), embedded.close()]);
    await drop();
  };
  return { seed, daybook, embedded, known: { timesMs: timesOf(history), nowMs, identityIds: [] }, close };
}

/** The answer as JSON, or the code of the error. */
async function outcomeOf(answer: Promise<unknown>): Promise<string> {
  try {
    return JSON.stringify(await answer);
  } catch (error) {
    if (error instanceof DaybookError && error.code !== "internal") return `error ${error.code}`;
    throw error;
  }
}

// Each call is a part of some tables on both shards, and statements take their time over these.
describe.each([["one server", 2, 4], ["two shards", 2, 1]] as const)("insights on ClickHouse, %s", (layout, pairCount, historyCount) => {
  const pairs: Pair[] = [];
  beforeAll(async () => {
    for (let seed = baseSeed; seed < baseSeed + pairCount; seed += 1) pairs.push(await pairOf(seed, layout, historyCount));
  });
  afterAll(async () => {
    for (const pair of pairs) await pair.close();
  });

  test.each(Object.keys(QUERY_COUNTS) as Asked[])("%s is that of the embedded engine", async (report) => {
    let [comparedCount, askedCount] = [0, 0];
    for (const { seed, daybook, embedded, known } of pairs) {
      const random = seededRandom(seed);
      for (let asked = 0; asked < caseCount(QUERY_COUNTS[report], 10 * QUERY_COUNTS[report]); asked += 1) {
        const { input } = insightQuery<InsightName>(report, { ...known, random });
        const ask = (of: Pick<Daybook, Asked>) => of[report](input as never);
        const given = await outcomeOf(ask(daybook));
        askedCount += 1;
        expect(given, `seed ${seed}, ${JSON.stringify(input)}`).toBe(await outcomeOf(ask(embedded)));
        if (!given.startsWith("error")) comparedCount += 1;
      }
    }
    expect(comparedCount).toBeGreaterThan(askedCount * (1 - MOST_REFUSED));
  });
});

test.each(queryLayouts)("an array of numbers has no number, wherever it stands, %s", async (layout) => {
  const { options, drop } = await newDatabase(layout, { clock: fixedClock(Date.UTC(2026, 2, 2)) });
  const daybook = await openClickHouse(options);
  await tellNumbers(daybook);
  for (const field of NUMBER_FIELDS) expect([field, await figuresOf(daybook, field)]).toEqual([field, NUMBER_FIGURES]);
  await daybook.close();
  await drop();
});
