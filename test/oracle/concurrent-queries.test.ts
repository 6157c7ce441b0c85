import { setImmediate } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { fixedClock, openDaybook, type Daybook } from "daybook";
import { seededRandom } from "daybook/testing";
import { oracle, type Oracle } from "../support/index.js";
import { expect, test } from "vitest";
import { daybookOutcome, expectedOutcome } from "./answers.js";
import { hostileHistory } from "../support/random/hostile-history.js";
import { randomQuery, type Query } from "../support/random/event-queries.js";
import { useLimits } from "../limits.js";
import { randomStorage } from "./random-storage.js";
import { baseSeed, caseCount, nowMs } from "./settings.js";

// Heads are full after a few rows, so that what is kept of them, and what is not, is asked for too.
useLimits({ headPartRowCount: 6 });

test("A query asked while events arrive and heads are sealed sees what some prefix of the arrivals holds.", async () => {
  for (let index = 0; index < Math.ceil(caseCount(50, 600) / 25); index += 1) {
    const seed = baseSeed + index;
    await expect(strangeAnswers(seed), `DAYBOOK_SEED=${seed} DAYBOOK_CASES=1`).resolves.toEqual([]);
  }
});

/** Queries, of 25 asked during the ingest of one history, whose answers no prefix of it has. */
async function strangeAnswers(seed: number): Promise<string[]> {
  const random = seededRandom(seed);
  const events = hostileHistory(random, 50);
  const prefixes = Array.from({ length: events.length + 1 }, (_, length) => oracle(events.slice(0, length), { nowMs }));
  const records = oracle(events, { nowMs }).searchEvents();
  const { storage, remove } = await randomStorage(random, random.chance(0.3));
  const daybook = await openDaybook({ storage, clock: fixedClock(nowMs), memoryBudgetBytes: 1 });
  try {
    const writing: Promise<unknown>[] = [];
    const asking: Promise<string[]>[] = [];
    for (let at = 0; at < events.length; at += 2) {
      writing.push(daybook.ingest(events.slice(at, at + 2)));
      if (random.chance(0.2)) writing.push(daybook.seal());
      for (let turns = random.below(4); turns > 0; turns -= 1) await setImmediate();
      asking.push(strangeAnswer(daybook, randomQuery(random, records), prefixes));
    }
    await Promise.all(writing);
    return (await Promise.all(asking)).flat();
  } finally {
    await daybook.close();
    await remove();
  }
}

async function strangeAnswer(daybook: Daybook, query: Query, prefixes: readonly Oracle[]): Promise<string[]> {
  const actual = await daybookOutcome(daybook, query, 1_000);
  const isFair = prefixes.some((prefix) => isDeepStrictEqual(expectedOutcome(prefix, query, actual), actual));
  return isFair ? [] : [JSON.stringify({ query, actual })];
}
