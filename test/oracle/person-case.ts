import { deepStrictEqual } from "node:assert/strict";
import { fixedClock, openDaybook } from "daybook";
import { seededRandom, type Random } from "daybook/testing";
import { oracle, type History, type HistoryItem, type Oracle, type OracleOptions } from "../support/index.js";
import { arrive } from "../support/random/arrive.js";
import { minimise, type Case } from "./minimise.js";
import { allSessions, expectedOutcome, outcome } from "./person-answers.js";
import { idOf, personHistory } from "../support/random/person-history.js";
import { randomOptions } from "../support/random/person-options.js";
import { aggregateQueries, personQueries, type PersonQuery } from "../support/random/person-queries.js";
import { anonymousIds, userIds } from "../support/random/person-values.js";
import { lastingMemory } from "../store/objects.js";

export { arrive, allSessions };

interface PersonCase extends Case {
  readonly events: History;
  readonly query: PersonQuery;
}

/**
 * Compares a Daybook with the oracle about one random history of events and records, in one query of each report. It
 * arrives in batches, with seals and restarts between them, some of it twice; where no id stands for two things also in
 * another order than the oracle's. @throws an error with the seed and a small case
 */
export async function checkPersonHistory(seed: number): Promise<void> {
  const random = seededRandom(seed);
  const options: OracleOptions = { ...randomOptions(random), ...(seed % 4 === 3 ? { futureEvents: "keep" } : {}) };
  const { history, isOrderFree } = personHistory(random);
  const arrival = isOrderFree ? shuffled(random, history) : history;
  const storage = lastingMemory();
  const open = () => openDaybook({ storage, ...daybookOptions(options), ...random.pick([{}, {}, { memoryBudgetBytes: 1 }]) });
  let daybook = await open();
  try {
    const expected = oracle(history, options);
    const [sealChance, restartChance, askChance] = [random.pick([0, 0, 0, 0.4]), random.pick([0, 0, 0, 0.1]), random.pick([0, 0.2, 0.8])];
    for (let at = 0; at < arrival.length; ) {
      const size = random.pick([2, 5, 10, 50]);
      const piece = arrival.slice(at, at + size);
      const isAtOnce = isOrderFree && random.chance(0.2) && !piece.some((item) => "unlink" in item);
      if (isAtOnce) await Promise.all(piece.map((item) => arrive(daybook, [item])));
      else await arrive(daybook, piece);
      at += size;
      if (random.chance(sealChance)) await daybook.seal();
      if (random.chance(restartChance)) {
        await daybook.close();
        daybook = await open();
      }
      // A query in between leaves behind what the next one must not take for the present.
      if (random.chance(askChance)) await outcome(daybook, random.pick(personQueries(random, history, [])));
    }
    for (const query of [...personQueries(random, history, identityIds(random, expected)), ...aggregateQueries(random, 8)]) {
      const difference = differenceOf(await outcome(daybook, query), expectedOutcome(expected, query));
      if (difference !== null) throw new Error(await report(seed, { events: arrival, query }, options, difference));
    }
  } finally {
    await daybook.close();
  }
}

/** Another order of arrival that means the same: some of it twice, and nothing taken back before it came. */
export function shuffled(random: Random, history: History): HistoryItem[] {
  const takenBack = new Set(history.flatMap((item) => ("unlink" in item ? [item.unlink] : [])));
  const isUnlink = (item: HistoryItem) => "unlink" in item;
  const effective = history.filter((item, at) => !isUnlink(item) || history.slice(0, at).some((other) => !isUnlink(other) && idOf(other) === idOf(item)));
  const repeated = effective.filter(() => random.chance(0.1));
  const mixed = random.shuffled([...effective, ...repeated]);
  const early = mixed.filter((item) => !isUnlink(item) && takenBack.has(idOf(item)));
  const rest = mixed.filter((item) => !early.includes(item));
  return [...early, ...rest];
}

export function daybookOptions({ nowMs, ...options }: OracleOptions) {
  return { ...options, clock: fixedClock(nowMs) };
}

/** The identities of a few ids. */
function identityIds(random: Random, expected: Oracle): string[] {
  return Array.from({ length: 3 }, () => random.pick([...userIds, ...anonymousIds])).flatMap((userId) => {
    const found = expectedOutcome(expected, { report: "identityReferrers", input: { userId } });
    return "answer" in found ? [(found.answer as { identityId: string }).identityId] : [];
  });
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

async function report(seed: number, failing: PersonCase, options: OracleOptions, difference: string): Promise<string> {
  const optionsText = JSON.stringify({ ...options, rates: options.rates === undefined ? "none" : "made up" });
  const intro = `a Daybook and the oracle disagree; repeat with DAYBOOK_SEED=${seed} DAYBOOK_CASES=1\noptions ${optionsText}`;
  for (const isSealed of [false, true]) {
    const fails = async (smaller: PersonCase) => (await caseDifference(smaller, options, isSealed)) !== null;
    if (!(await fails(failing))) continue;
    const { events, query } = await minimise(failing, fails);
    const small = await caseDifference({ events, query }, options, isSealed);
    const lines = events.map((item) => `  ${JSON.stringify(item)}`);
    return [intro, isSealed ? "sealed" : "not sealed", ...lines, queryText(query), small].join("\n");
  }
  return `${intro}\nonly in this order of batches, seals and restarts; ${queryText(failing.query)}\n${difference}`;
}

async function caseDifference({ events, query }: PersonCase, options: OracleOptions, isSealed: boolean): Promise<string | null> {
  const daybook = await openDaybook({ storage: lastingMemory(), ...daybookOptions(options) });
  try {
    await arrive(daybook, events);
    if (isSealed) await daybook.seal();
    return differenceOf(await outcome(daybook, query), expectedOutcome(oracle(events, options), query));
  } catch (error) {
    return String(error);
  } finally {
    await daybook.close();
  }
}

function queryText({ report: name, input }: PersonQuery): string {
  return `${name} ${JSON.stringify(input)}`;
}
