import { deepStrictEqual } from "node:assert/strict";
import { memoryStorage, openDaybook, type Daybook } from "daybook";
import { seededRandom, type Random } from "daybook/testing";
import { oracle, type HistoryItem } from "../../../support/index.js";
import { arrive } from "../../../support/random/arrive.js";
import { insightHistory } from "../../../support/random/insight-history.js";
import { insightQuery, type InsightName, type InsightQuery } from "../../../support/random/insight-queries.js";
import { timesOf } from "../../../support/random/insight-scope.js";
import { daybookOptions } from "../../../oracle/person-case.js";
import { asExpected, expectedOutcome, insightOutcome } from "./insight-answers.js";

/** What had come when a Daybook was at a sequence. */
interface Mark {
  readonly asOf: number;
  readonly past: readonly HistoryItem[];
}

/** The Daybook of a random history, with seals and restarts, and its marks. */
interface Marked {
  readonly daybook: Daybook;
  readonly marks: readonly Mark[];
}

/**
 * Asks insights as of moments in the middle of one random history, each time the oracle of what had come by then. @throws with the seed
 */
export async function checkAsOf(seed: number, names: readonly InsightName[]): Promise<void> {
  const random = seededRandom(seed);
  const { history, options } = insightHistory(random);
  const known = { random, timesMs: timesOf(history), nowMs: options.nowMs, identityIds: [] };
  const { daybook, marks } = await markedDaybook(random, history, daybookOptions(options));
  await using _daybook = daybook;
  for (const name of names) {
    const { asOf, past } = random.pick(marks);
    const query = insightQuery(name, known);
    await compare(daybook, asOf, query, oracle(past, options), `DAYBOOK_SEED=${seed} DAYBOOK_CASES=1, ${past.length} of ${history.length} items`);
  }
}

async function markedDaybook(random: Random, history: readonly HistoryItem[], options: ReturnType<typeof daybookOptions>): Promise<Marked> {
  const storage = Object.assign(memoryStorage(), { volatile: false });
  const open = () => openDaybook({ storage, durability: "os", ...options, ...random.pick([{}, {}, { memoryBudgetBytes: 2_000 }]) });
  const [sealChance, restartChance] = [random.pick([0, 0.3, 0.8]), random.pick([0, 0.1, 0.3])];
  const marks: Mark[] = [];
  let daybook = await open();
  for (let at = 0; at < history.length; ) {
    const size = random.pick([1, 3, 8, 30]);
    await arrive(daybook, history.slice(at, at + size));
    at += size;
    marks.push({ asOf: await newestOf(daybook), past: history.slice(0, at) });
    if (random.chance(sealChance)) await daybook.seal();
    if (!random.chance(restartChance)) continue;
    await daybook.close();
    daybook = await open();
  }
  return { daybook, marks };
}

/** The sequence of the newest that a Daybook holds. */
export async function newestOf(daybook: Daybook): Promise<number> {
  const { asOf } = await daybook.stickiness({ asOf: "latest" });
  return asOf ?? NaN;
}

async function compare(daybook: Daybook, asOf: number, query: InsightQuery, expected: ReturnType<typeof oracle>, place: string): Promise<void> {
  const owed = expectedOutcome(expected, query);
  const actual = asExpected(await insightOutcome(daybook, { ...query, input: { ...query.input, asOf } } as InsightQuery, asOf), owed);
  try {
    deepStrictEqual(actual, owed);
  } catch {
    throw new Error(`${place}: ${query.report} ${JSON.stringify(query.input)} as of ${asOf}\nexpected ${JSON.stringify(owed)}\n     got ${JSON.stringify(actual)}`);
  }
}
