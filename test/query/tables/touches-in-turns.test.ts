import { setImmediate } from "node:timers/promises";
import { fixedClock, memoryStorage, openDaybook, type Daybook, type EventInput, type QueryOptions } from "daybook";
import { seededRandom, type Random } from "daybook/testing";
import { expect, test } from "vitest";
import { useLimits } from "../../limits.js";
import { baseSeed, caseCount } from "../../oracle/settings.js";

// The order of touches is made in many turns; few are put in their places one by one.
useLimits({ placesSortedAtOnce: 2, placedTouchCount: 8, turnValueCount: 16 });

const NOW = Date.UTC(2026, 2, 10, 12);
const range = { project: "default", startDate: "2026-01-01", endDate: "2026-12-31" };

test("What comes while the touches of actors and companies are put in order is in the next answer as if it had come before.", async () => {
  for (let index = 0; index < caseCount(8, 400); index += 1) {
    const seed = baseSeed + index;
    const { living, anew } = await answersOf(seededRandom(seed));
    expect(living, `DAYBOOK_SEED=${seed} DAYBOOK_CASES=1`).toEqual(anew);
  }
});

async function answersOf(random: Random): Promise<{ readonly living: unknown; readonly anew: unknown }> {
  // With little memory a table is dropped as soon as nobody waits for it.
  const options = { storage: memoryStorage(), clock: fixedClock(NOW), memoryBudgetBytes: random.pick([1, 2 ** 24]) };
  const former = await openDaybook(options);
  await former.ingest(Array.from({ length: random.pick([5, 20, 40]) }, () => touch(random)));
  await former.ingest(users.map((userId, at) => ({ createdAt: NOW - 1, name: "Payment", userId, value: 2 ** at })));
  await former.close();
  const daybook = await openDaybook(options);
  for (let round = 0; round < 2; round += 1) {
    // Then those of actors are in order, and those of companies are not.
    if (random.chance(0.5)) await answers(daybook, ["identity"]);
    const asked = [random.chance(0.3) ? stoppedAnswers(daybook, random.below(30)) : answers(daybook)];
    for (let change = random.between(1, 6); change > 0; change -= 1) {
      for (let turns = random.below(random.pick([3, 12, 100])); turns > 0; turns -= 1) await setImmediate();
      await changeSomething(daybook, random);
      // It begins later than the one for which the order is made, and takes what came since.
      if (random.chance(0.5)) asked.push(random.chance(0.3) ? stoppedAnswers(daybook, random.below(30)) : answers(daybook));
    }
    await Promise.all(asked);
  }
  if (random.chance(0.5)) {
    await stoppedAnswers(daybook, random.below(30));
    await daybook.seal();
  }
  const living = await answers(daybook);
  await daybook.close();
  await using opened = await openDaybook(options);
  return { living, anew: await answers(opened) };
}

/** @param turnCount after which the signal says stop */
async function stoppedAnswers(daybook: Daybook, turnCount: number): Promise<unknown> {
  let looks = 0;
  const signal = {
    get aborted() {
      looks += 1;
      return looks > turnCount;
    },
  };
  return await answers(daybook, undefined, { signal }).catch((error: unknown) => {
    if ((error as { code?: unknown }).code !== "aborted") throw error;
  });
}

function answers(daybook: Daybook, levels: readonly ("account" | "identity")[] = ["account", "identity"], options?: QueryOptions): Promise<unknown> {
  const models = ["first_touch", "last_touch"] as const;
  return Promise.all(levels.flatMap((level) => models.map((model) => daybook.revenueByAttribution({ ...range, dimension: "source", level, model }, options))));
}

function changeSomething(daybook: Daybook, random: Random): Promise<unknown> {
  const createdAt = NOW - random.between(1, 1_000);
  if (random.chance(0.4)) return daybook.group({ userId: random.pick(users), companyId: random.pick(companies), createdAt });
  if (random.chance(0.1)) return daybook.seal();
  if (random.chance(0.2)) return daybook.identify({ userId: random.pick(users), anonymousId: random.pick(devices), createdAt });
  return daybook.ingest([touch(random)]);
}

const users = ["ann", "ben", "cat", "dan", "eve", "fay"];
const devices = ["d1", "d2", "d3"];
const companies = ["acme", "umbra"];

function touch(random: Random): EventInput {
  const who = random.chance(0.7) ? { userId: random.pick(users) } : { anonymousId: random.pick(devices) };
  const company = random.chance(0.2) ? { companyId: random.pick(companies) } : {};
  return { createdAt: NOW - random.between(1, 1_000), name: "Pageview", ...who, ...company, url: `/?utm_source=${random.pick(["news", "mail", "ads", "blog"])}` };
}
