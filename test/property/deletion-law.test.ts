import { fixedClock, memoryStorage, openDaybook, verifyStore, type Daybook, type EventInput, type Storage } from "daybook";
import { seededRandom, type Random } from "daybook/testing";
import type { HistoryItem } from "../support/index.js";
import { expect, test } from "vitest";
import { eventsOf } from "../support/oracle/history.js";
import { arrive } from "../support/random/arrive.js";
import { personHistory } from "../support/random/person-history.js";
import { randomOptions } from "../support/random/person-options.js";
import { personQueries } from "../support/random/person-queries.js";
import { projects, userIds } from "../support/random/person-values.js";
import { isDeleted } from "../oracle/deletions.js";
import type { Deleted } from "../oracle/live-history.js";
import { outcome } from "../oracle/person-answers.js";
import { baseSeed, caseCount } from "../oracle/settings.js";
import { storedText } from "../store/stored-text.js";

/** Stands in something of every deleted event, and in nothing else. */
const MARK = "zanzibar";

function aDeletion(random: Random, nowMs: number): Deleted {
  const project = random.pick([null, ...projects]);
  const before = random.pick([Date.UTC(2026, 2, 1), Date.UTC(2026, 1, 1), Date.UTC(2026, 2, 1) + random.between(-2, 5) * 1_800_000, nowMs]);
  return random.pick<Deleted>([{ before, project }, { before, project }, { wholeProject: random.pick(projects) }, { days: random.pick([1, 10, 30]), project }]);
}

function marked(event: EventInput, random: Random): EventInput {
  const more = random.pick([{ browser: MARK }, { metadata: { ...event.metadata, [`${MARK}_key`]: [MARK] } }, { url: `/${MARK}?a=${MARK}` }, { metadata: { ...event.metadata, plan: MARK } }]);
  return { ...event, ...more };
}

async function deleteFrom(daybook: Daybook, deleted: Deleted): Promise<number> {
  if ("before" in deleted) return (await daybook.deleteEvents({ before: new Date(deleted.before), project: deleted.project })).events;
  if ("wholeProject" in deleted) return (await daybook.deleteProject(deleted.wholeProject)).events;
  await daybook.timeToLive.set(deleted.project, { days: deleted.days });
  const { events } = await daybook.timeToLive.sweep();
  await daybook.timeToLive.off(deleted.project);
  return events;
}

/** Answers the number of events that went. */
async function checkDeletion(seed: number): Promise<number> {
  const random = seededRandom(seed);
  const { nowMs, ...options } = randomOptions(random);
  const { history: plain, isOrderFree } = personHistory(random);
  if (!isOrderFree) return 0;
  const deleted = aDeletion(random, nowMs);
  const goes = (item: HistoryItem): item is EventInput => "name" in item && isDeleted(item, deleted, nowMs);
  const history = plain.map((item) => (goes(item) ? marked(item, random) : item));
  const storage = memoryStorage();
  const memoryBudgetBytes = random.pick([1, 20_000, 2 ** 30]);
  const open = (at: Storage) => openDaybook({ storage: at, clock: fixedClock(nowMs), memoryBudgetBytes, ...options });
  const daybook = await open(storage);
  for (const project of projects) await daybook.createProject(project);
  await arrive(daybook, history.slice(0, history.length / 2));
  if (random.chance(0.5)) await daybook.seal();
  await arrive(daybook, history.slice(history.length / 2));
  const queries = personQueries(random, plain, [...userIds].slice(0, 2));
  const answersOf = async (some: Daybook) => {
    const given: unknown[] = [];
    for (const query of queries) given.push([query, await outcome(some, query)]);
    return given;
  };
  const whole = await answersOf(daybook);

  const count = await daybook.countEvents();
  const goneCount = await deleteFrom(daybook, deleted);
  expect(await daybook.countEvents()).toBe(count - goneCount);
  expect(await storedText(storage), `seed ${seed}`).not.toContain(MARK);
  await daybook.createProject("shop");
  const pure = await open(memoryStorage());
  for (const project of projects) await pure.createProject(project);
  await arrive(pure, history.filter((item) => !goes(item)));
  const left = await answersOf(pure);
  expect(await answersOf(daybook), `at once, seed ${seed}`).toEqual(left);
  await daybook.close();
  expect((await verifyStore(storage)).findings).toEqual([]);
  const again = await open(storage);
  expect(await answersOf(again), `after opening again, seed ${seed}`).toEqual(left);
  // What is imported again is what went.
  expect((await again.ingest(eventsOf(history))).accepted, `seed ${seed}`).toBe(goneCount);
  expect(await answersOf(again), `after importing again, seed ${seed}`).toEqual(whole);
  await again.close();
  await pure.close();
  return goneCount;
}

test("After a deletion no stored byte tells of the events, every answer is that of a store that never had them, and importing again brings all back.", async () => {
  let goneCount = 0;
  for (let index = 0; index < caseCount(3, 300); index += 1) goneCount += await checkDeletion(baseSeed + index);
  expect(goneCount).toBeGreaterThan(10);
}, 120_000);
