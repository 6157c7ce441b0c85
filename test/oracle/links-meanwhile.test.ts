import { setImmediate } from "node:timers/promises";
import { fixedClock, openDaybook, type Daybook, type DaybookOptions } from "daybook";
import { seededRandom } from "daybook/testing";
import { oracle, type Oracle } from "../support/index.js";
import { expect, test } from "vitest";
import { arrive } from "../support/random/arrive.js";
import { HeldReads } from "./held-reads.js";
import { liveThemes, smallHistory } from "./live-history.js";
import { expectedOutcome, outcomeOfOneMoment } from "./person-answers.js";
import { randomOptions } from "../support/random/person-options.js";
import type { PersonQuery } from "../support/random/person-queries.js";
import { useLimits } from "../limits.js";
import { baseSeed, caseCount, nowMs } from "./settings.js";

// Heads are full after a few rows, so that what is kept of them, and what is not, is asked for too. Tables are made in many turns.
useLimits({ headPartRowCount: 6, placesSortedAtOnce: 2, placedTouchCount: 3, turnValueCount: 512 });

test("A query asked while events, links, companies and emails arrive and heads are sealed is answered as of one moment between its beginning and its end.", async () => {
  for (let index = 0; index < caseCount(10, 60); index += 1) {
    const seed = baseSeed + index;
    await expect(strangeAnswers(seed), `DAYBOOK_SEED=${seed} DAYBOOK_CASES=1`).resolves.toEqual([]);
  }
});

test("Who was with somebody while a query waited, and is not any more, leaves nothing behind there.", async () => {
  const held = new HeldReads();
  held.isHolding = false;
  const options = { storage: held.storage, clock: fixedClock(nowMs) };
  const former = await openDaybook(options);
  // Before the window, and so many that parts of the file are read: the first query does not read their times.
  const createdAt = nowMs - 60 * 86_400_000;
  await former.ingest(Array.from({ length: 5_000 }, (_, at) => ({ name: "Pageview", userId: `other ${at}`, url: `/${at}`, createdAt: createdAt - at })));
  await former.ingest([{ name: "Pageview", userId: "ann" }, { name: "Pageview", anonymousId: "d1", companyId: "acme", createdAt }]);
  await former.group({ userId: "ann", companyId: "umbra" });
  await former.close();
  // Of which nothing is in memory.
  await using daybook = await openDaybook(options);
  const usersOfUmbra = async () => (await daybook.companyTopUsers({ companyId: "umbra" })).users.map(({ resolvedIdentifier }) => resolvedIdentifier);
  expect(await usersOfUmbra()).toEqual(["ann"]);
  const { linkId } = await daybook.identify({ userId: "ann", anonymousId: "d1" });
  held.isHolding = true;
  const asked = usersOfUmbra();
  for (let turns = 0; turns < 10; turns += 1) await setImmediate();
  expect(held.waitingCount).toBeGreaterThan(0);
  held.isHolding = false;
  await daybook.unlink(linkId);
  expect(await held.until(asked, seededRandom(baseSeed))).toEqual(["ann"]);
});

test("Events that come while a query waits for several things are not left out of any of them.", async () => {
  const held = new HeldReads();
  held.isHolding = false;
  const options = { storage: held.storage, clock: fixedClock(nowMs) };
  const createdAt = nowMs - 60 * 86_400_000;
  const former = await openDaybook(options);
  await former.ingest(Array.from({ length: 5_000 }, (_, at) => ({ name: "Pageview", project: "elsewhere", userId: `other ${at}`, value: at, createdAt: createdAt - at })));
  await former.ingest([{ name: "Pageview", userId: "ann", createdAt }]);
  await former.group({ userId: "ann", companyId: "acme", createdAt });
  await former.close();
  await using daybook = await openDaybook(options);
  const entities = async (level: "account" | "identity") =>
    (await daybook.ltvCohorts({ project: "default", level })).cohorts.map((cohort) => cohort.entities);
  // Who was seen is known then, and no payment yet.
  await daybook.group({ userId: "bob", companyId: "umbra", createdAt });
  await daybook.group({ userId: "bob", companyId: "acme", createdAt: createdAt + 1 });
  await daybook.companyTopUsers({ companyId: "acme" });
  await daybook.group({ userId: "ann", companyId: "umbra", createdAt: createdAt + 10 });
  held.isHolding = true;
  const asked = [entities("account")];
  for (let turns = 0; turns < 10; turns += 1) await setImmediate();
  expect(held.waitingCount).toBeGreaterThan(0);
  held.isHolding = false;
  await daybook.ingest([{ name: "Pageview", userId: "ann", createdAt: createdAt + 20 }]);
  held.isHolding = true;
  asked.push(entities("identity"));
  for (let turns = 0; turns < 10; turns += 1) await setImmediate();
  held.isHolding = false;
  await held.until(Promise.all(asked), seededRandom(baseSeed));
  expect(await entities("account")).toEqual([2]);
});

/** Queries whose answers are of no moment while they were asked. */
async function strangeAnswers(seed: number): Promise<string[]> {
  const random = seededRandom(seed);
  const { nowMs: _, ...rules } = randomOptions(random);
  const theme = random.pick(liveThemes);
  const items = smallHistory(random, theme.shares(random));
  const moments = Array.from({ length: items.length + 1 }, (_, length) => oracle(items.slice(0, length), { ...rules, nowMs }));
  const held = new HeldReads();
  const options: DaybookOptions = { ...(rules as Partial<DaybookOptions>), storage: held.storage, clock: fixedClock(nowMs), memoryBudgetBytes: random.pick([1, 20_000]) };
  const daybook = await held.until(openDaybook(options), random);
  try {
    const asking: Promise<string[]>[] = [];
    let [begun, arrived] = [0, 0];
    for (const item of items) {
      begun += 1;
      const arriving = arrive(daybook, [item]).then(() => (arrived = begun));
      const sealing = random.chance(0.3) ? daybook.seal() : Promise.resolve();
      if (random.chance(0.7)) asking.push(strangeAnswer(daybook, random.pick(theme.queries), moments, arrived, () => begun));
      for (let turns = random.below(6); turns > 0; turns -= 1) {
        if (random.chance(0.5)) held.letGo(random);
        await setImmediate();
      }
      await held.until(arriving, random);
      if (random.chance(0.5)) await held.until(sealing, random);
    }
    const strange = (await held.until(Promise.all(asking), random)).flat();
    return strange.length === 0 ? [] : [...items.map((item) => JSON.stringify(item)), ...strange];
  } finally {
    await held.until(daybook.close(), random);
  }
}

async function strangeAnswer(daybook: Daybook, query: PersonQuery, moments: readonly Oracle[], first: number, last: () => number): Promise<string[]> {
  const given = JSON.stringify(await outcomeOfOneMoment(daybook, query));
  const isFair = moments.slice(first, last() + 1).some((moment) => JSON.stringify(expectedOutcome(moment, query)) === given);
  return isFair ? [] : [`${JSON.stringify(query)}, asked between ${first} and ${last()}: ${given}`];
}
