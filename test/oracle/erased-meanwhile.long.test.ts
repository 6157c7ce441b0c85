import { setImmediate } from "node:timers/promises";
import { fixedClock, memoryStorage, openDaybook, type Daybook, type DaybookOptions } from "daybook";
import { seededRandom, type Random } from "daybook/testing";
import { expect, test } from "vitest";
import type { PersonQuery } from "../support/random/person-queries.js";
import { randomOptions } from "../support/random/person-options.js";
import { useLimits } from "../limits.js";
import { HeldReads } from "./held-reads.js";
import { happen } from "./live-case.js";
import { anErasure, liveActs, liveQueries, liveThemes, type Act } from "./live-history.js";
import { outcomeOfOneMoment } from "./person-answers.js";
import { baseSeed, longCount, nowMs } from "./settings.js";

// Heads are full after a few rows, and a query gives others a turn wherever it can.
useLimits({ headPartRowCount: 6, placesSortedAtOnce: 2, placedTouchCount: 3, sliceMs: 0, turnValueCount: 1 });

test("A query asked while events and links come, heads are sealed, people erased and events deleted is answered as of one moment.", async () => {
  for (let index = 0; index < longCount(200); index += 1) {
    const seed = baseSeed + index;
    await expect(strangeAnswers(seed, index % 2 === 0 ? 0 : 0.1), `DAYBOOK_SEED=${seed} DAYBOOK_CASES=1`).resolves.toEqual([]);
  }
});

/** Queries that are under way at once. */
const WAITING_COUNT_MAX = 6;

/** Filters that are compiled one after the other, each of which asks for somebody by name. */
const byName: readonly PersonQuery[] = ["ann", "bob"].map((userId) => ({
  report: "countEvents",
  input: { filterGroups: [{ filters: [{ fieldName: "user_id", operator: "=", value: userId }] }, { filters: [{ fieldName: "user_id", operator: "=", value: "d1" }] }, { filters: [{ fieldName: "anonymous_id", operator: "in", value: ["d1", "d2"] }] }, { filters: [{ fieldName: "user_id", operator: "=", value: userId }] }] },
}));

/** Queries whose answers a quiet store gives at no moment while they were asked. */
async function strangeAnswers(seed: number, deleteChance: number): Promise<string[]> {
  const random = seededRandom(seed);
  const { nowMs: _, ...rules } = randomOptions(random);
  const theme = random.pick(liveThemes);
  const acts = liveActs(random, theme, deleteChance).flatMap(oneByOne).flatMap((act) => (random.chance(0.1) ? [act, anErasure(random)] : [act]));
  const queries = [...theme.queries, ...byName, ...random.shuffled(liveQueries).slice(0, 4)];
  const options = { ...(rules as Partial<DaybookOptions>), clock: fixedClock(nowMs) };
  const moments = await momentsOf(acts, queries, options);
  const held = new HeldReads();
  const daybook = await held.until(openDaybook({ ...options, storage: held.storage, memoryBudgetBytes: random.pick([1, 4_000, 20_000]) }), random);
  const asking: Promise<string[]>[] = [];
  let [begun, done, waiting] = [0, 0, 0];
  const ask = () => {
    // Each reads, and reads are let go one by one.
    if (waiting >= WAITING_COUNT_MAX) return;
    waiting += 1;
    const query = random.pick(queries);
    const answering = strangeAnswer(daybook, query, moments.map((answers) => answers[queries.indexOf(query)]), done, () => begun);
    asking.push(answering.finally(() => (waiting -= 1)));
  };
  try {
    for (const act of acts) {
      begun += 1;
      const happening = happen(daybook, act).then(() => (done = begun));
      while (done < begun) {
        if (random.chance(0.3)) ask();
        await later(random, ask);
        if (random.chance(0.5)) held.letGo(random);
      }
      await happening;
    }
    const strange = (await held.until(Promise.all(asking), random)).flat();
    return strange.length === 0 ? [] : [...acts.map((act) => JSON.stringify(act)), ...strange];
  } finally {
    await held.until(daybook.close(), random);
  }
}

/** Items that do not come in one batch as an act each: a query may be asked between them. */
function oneByOne(act: Act): Act[] {
  return "items" in act && !act.items.every((item) => "name" in item) ? act.items.map((item) => ({ items: [item] })) : [act];
}

/** What a store that nothing disturbs answers before the first act, and after each. */
async function momentsOf(acts: readonly Act[], queries: readonly PersonQuery[], options: Partial<DaybookOptions>): Promise<string[][]> {
  await using quiet = await openDaybook({ ...options, storage: Object.assign(memoryStorage(), { volatile: false }), durability: "os" });
  const answers = async () => {
    const given: string[] = [];
    for (const query of queries) given.push(JSON.stringify(await outcomeOfOneMoment(quiet, query)));
    return given;
  };
  const moments = [await answers()];
  for (const act of acts) {
    await happen(quiet, act);
    moments.push(await answers());
  }
  return moments;
}

/** A turn later, and before it some microtasks, between which something is asked too: what happens in several steps is met between any two. */
async function later(random: Random, ask: () => void): Promise<void> {
  for (let count = random.chance(0.3) ? random.below(30) : 0; count > 0; count -= 1) {
    await null;
    if (random.chance(0.1)) ask();
  }
  await setImmediate();
}

async function strangeAnswer(daybook: Daybook, query: PersonQuery, answers: readonly (string | undefined)[], first: number, last: () => number): Promise<string[]> {
  // With a signal a query gives others a turn.
  const given = JSON.stringify(await outcomeOfOneMoment(daybook, query, { signal: new AbortController().signal }));
  return answers.slice(first, last() + 1).includes(given) ? [] : [`${JSON.stringify(query)}, asked between ${first} and ${last()}: ${given}`];
}
