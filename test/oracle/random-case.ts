import { deepStrictEqual } from "node:assert/strict";
import { fixedClock, memoryStorage, openDaybook, type Daybook, type DaybookOptions, type EventInput } from "daybook";
import { seededRandom, type Random } from "daybook/testing";
import { oracle } from "../support/index.js";
import { daybookOutcome, expectedOutcome } from "./answers.js";
import { hostileHistory, wideHistory } from "../support/random/hostile-history.js";
import { minimise, type EventCase } from "./minimise.js";
import { randomQuery, type Query } from "../support/random/event-queries.js";
import { nowMs } from "./settings.js";
import { randomStorage } from "./random-storage.js";

/** Every fourth history keeps what lies in the future. */
function futureEventsOf(seed: number): Pick<DaybookOptions, "futureEvents"> {
  return seed % 4 === 3 ? { futureEvents: "keep" } : {};
}

/** Queries that `checkHistory` asks about one history, besides those it asks while events arrive. */
export const queriesPerHistory = 50;

/**
 * Compares a Daybook with the oracle about one random history, which arrives in random batches, with queries, seals
 * and restarts between them: on files for one seed of five, else in memory; a little or much of which may be used.
 * @throws an error with the seed and a small case
 */
export async function checkHistory(seed: number): Promise<void> {
  const random = seededRandom(seed);
  const events = random.chance(0.02) ? wideHistory(random, 700) : hostileHistory(random, random.between(0, 60));
  const { storage, remove } = await randomStorage(random, seed % 5 === 0);
  const budget = random.pick([{}, {}, { memoryBudgetBytes: 1 }, { memoryBudgetBytes: 20_000 }]);
  const open = () => openDaybook({ storage, clock: fixedClock(nowMs), ...futureEventsOf(seed), ...budget });
  let daybook = await open();
  try {
    daybook = await ingestInPieces(seed, daybook, open, events, random);
    await ask(seed, daybook, events, queriesPerHistory, random);
  } finally {
    await daybook.close();
    await remove();
  }
}

async function ask(seed: number, daybook: Daybook, events: readonly EventInput[], count: number, random: Random): Promise<void> {
  const expected = oracle(events, { nowMs, ...futureEventsOf(seed) });
  const records = expected.searchEvents();
  for (let asked = 0; asked < count; asked += 1) {
    const query = randomQuery(random, records);
    const actual = await daybookOutcome(daybook, query, random.between(1, 20));
    const difference = differenceOf(actual, expectedOutcome(expected, query, actual));
    if (difference !== null) throw new Error(await report(seed, { events, query }, difference));
  }
}

/** Batches of every size, some in flight together; queries, seals and restarts between them. */
async function ingestInPieces(
  seed: number,
  first: Daybook,
  reopen: () => Promise<Daybook>,
  events: readonly EventInput[],
  random: Random,
): Promise<Daybook> {
  let daybook = first;
  let accepted = 0;
  const sealChance = random.pick([0, 0.3, 0.9]);
  for (let at = 0; at < events.length; ) {
    const batches = Array.from({ length: random.between(1, 3) }, () => {
      const batch = events.slice(at, at + random.pick([0, 1, 2, 5, 30, events.length / 4]));
      at += batch.length;
      return batch;
    });
    const results = await Promise.all(batches.map((batch) => daybook.ingest(batch)));
    for (const [index, result] of results.entries()) {
      deepStrictEqual(result.accepted + result.duplicates + result.rejected.length, batches[index]?.length);
      accepted += result.accepted;
    }
    if (random.chance(0.3)) await ask(seed, daybook, events.slice(0, at), 2, random);
    if (random.chance(sealChance)) await daybook.seal();
    if (random.chance(0.1)) {
      await daybook.close();
      daybook = await reopen();
    }
  }
  deepStrictEqual(accepted, oracle(events, { nowMs, ...futureEventsOf(seed) }).countEvents());
  return daybook;
}

/** Null for equal outcomes, else both as text. */
function differenceOf(actual: unknown, expected: unknown): string | null {
  try {
    deepStrictEqual(actual, expected);
    return null;
  } catch {
    return `expected ${JSON.stringify(expected)}\n     got ${JSON.stringify(actual)}`;
  }
}

async function report(seed: number, failing: EventCase, difference: string): Promise<string> {
  const intro = `a Daybook and the oracle disagree; repeat with DAYBOOK_SEED=${seed} DAYBOOK_CASES=1`;
  for (const stage of ["not sealed", "sealed", "after a restart"] as const) {
    const fails = async (smaller: EventCase) => (await caseDifference(seed, smaller, stage)) !== null;
    if (!(await fails(failing))) continue;
    const smallest = await minimise(failing, fails);
    const history = `${stage}, events ${JSON.stringify(smallest.events)}`;
    return [intro, history, queryText(smallest.query), await caseDifference(seed, smallest, stage)].join("\n");
  }
  return `${intro}\nonly in this order of batches, seals and restarts; ${queryText(failing.query)}\n${difference}`;
}

type Stage = "not sealed" | "sealed" | "after a restart";

async function caseDifference(seed: number, { events, query }: EventCase, stage: Stage): Promise<string | null> {
  const options: DaybookOptions = { storage: memoryStorage(), clock: fixedClock(nowMs), ...futureEventsOf(seed) };
  let daybook = await openDaybook(options);
  try {
    await daybook.ingest(events);
    if (stage === "sealed") await daybook.seal();
    if (stage === "after a restart") {
      await daybook.close();
      daybook = await openDaybook(options);
    }
    const actual = await daybookOutcome(daybook, query, 2);
    return differenceOf(actual, expectedOutcome(oracle(events, { nowMs, ...futureEventsOf(seed) }), query, actual));
  } catch (error) {
    return String(error);
  } finally {
    await daybook.close();
  }
}

function queryText({ report: name, input }: Query): string {
  return `${name} ${JSON.stringify(input)}`;
}
