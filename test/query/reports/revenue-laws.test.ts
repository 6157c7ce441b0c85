import { expect, test } from "vitest";
import { fixedClock, memoryStorage, openDaybook, type Daybook, type EventInput } from "daybook";
import { seededRandom, type Random } from "daybook/testing";
import { arrive } from "../../support/random/arrive.js";
import { personHistory } from "../../support/random/person-history.js";
import { baseSeed, caseCount, nowMs } from "../../oracle/settings.js";

const DAY_MS = 86_400_000;
const project = "default";
const MODELS = ["first_touch", "last_touch"] as const;
const LEVELS = ["account", "identity"] as const;
const DIMENSIONS = ["source", "medium", "campaign"] as const;

/** Amounts are whole cents, so that what is shown is exact and can be added up. */
const cents = (shown: number) => Math.round(shown * 100);
const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

/** Visits and payments of few people, devices and companies, of whom some turn out to be one. */
async function shop(random: Random): Promise<Daybook> {
  const daybook = await openDaybook({ storage: memoryStorage(), clock: fixedClock(nowMs) });
  const maybe = <T>(values: readonly T[], chance: number) => (random.chance(chance) ? random.pick(values) : null);
  const event = (): EventInput => ({
    name: random.pick(["visit", "payment", "payment", "refund"]),
    userId: maybe(["ann", "ben", "carl", "dora"], 0.6),
    anonymousId: maybe(["d1", "d2", "d3"], 0.5),
    companyId: maybe(["acme", "globex"], 0.15),
    project: random.chance(0.2) ? "other" : project,
    createdAt: nowMs - random.below(120) * DAY_MS - random.below(3),
    externalId: maybe(["A", "B", "C"], 0.3),
    metadata: {
      ...(random.chance(0.6) ? { revenue: random.between(-500, 10_000) / 100 } : {}),
      ...(random.chance(0.3) ? { refund_id: random.pick([1, "1", "r2"]) } : {}),
      ...(random.chance(0.4) ? { utm_source: random.pick(["x", "y", "z"]), utm_medium: random.pick(["m", "n"]) } : {}),
    },
  });
  for (let batch = 0; batch < 3; batch += 1) {
    await daybook.ingest(Array.from({ length: random.below(12) + 1 }, event));
    if (random.chance(0.5)) await daybook.seal();
    if (random.chance(0.3)) await daybook.alias({ from: random.pick(["ann", "d1"]), to: random.pick(["ben", "carl"]) });
    if (random.chance(0.3)) await daybook.group({ companyId: "acme", userId: random.pick(["ann", "ben", "carl"]), createdAt: nowMs - 50 * DAY_MS });
  }
  return daybook;
}

const forEachShop = async (check: (daybook: Daybook, seed: number) => Promise<void>) => {
  const shopCount = caseCount(6, 80);
  expect(shopCount).toBeGreaterThan(0);
  for (let seed = baseSeed; seed < baseSeed + shopCount; seed += 1) {
    await using daybook = await shop(seededRandom(seed));
    if (daybook.projects().includes(project)) await check(daybook, seed);
  }
};

test("Every model, level and dimension splits the same revenue and orders.", () =>
  forEachShop(async (daybook, seed) => {
    const totals = new Set<string>();
    for (const model of MODELS)
      for (const level of LEVELS)
        for (const dimension of DIMENSIONS) {
          const { rows } = await daybook.revenueByAttribution({ project, model, level, dimension, startDate: new Date(nowMs - 60 * DAY_MS), limit: 100 });
          totals.add(`${sum(rows.map(({ revenue }) => cents(revenue)))} in ${sum(rows.map(({ orders }) => orders))}`);
        }
    expect([seed, totals.size]).toEqual([seed, 1]);
  }));

test("The cohorts of identities add up to all identities of the project, those of companies to as much money.", () =>
  forEachShop(async (daybook, seed) => {
    const [accounts, identities] = [await daybook.ltvCohorts({ project, limit: 60 }), await daybook.ltvCohorts({ project, level: "identity", limit: 60 })];
    const total = (cohorts: typeof accounts.cohorts) => [sum(cohorts.map(({ revenue }) => cents(revenue))), sum(cohorts.map(({ orders }) => orders))];
    expect([seed, sum(identities.cohorts.map(({ entities }) => entities))]).toEqual([seed, await daybook.countUniqueUsers({ project })]);
    expect([seed, ...total(accounts.cohorts)]).toEqual([seed, ...total(identities.cohorts)]);
  }));

test("The cohorts of all projects add up to what the profiles of all identities say they paid.", () =>
  forEachShop(async (daybook, seed) => {
    const profiles = new Map<string, number>();
    for (const userId of ["ann", "ben", "carl", "dora", "d1", "d2", "d3"]) {
      const profile = await daybook.identityProfile({ userId, startDate: "1970-01-01" }).catch(() => null);
      if (profile !== null) profiles.set(profile.identityId, cents(profile.revenue));
    }
    const answers = await Promise.all(daybook.projects().map((name) => daybook.ltvCohorts({ project: name, limit: 60 })));
    const paid = sum(answers.flatMap(({ cohorts }) => cohorts.map(({ revenue }) => cents(revenue))));
    expect([seed, paid]).toEqual([seed, sum([...profiles.values()])]);
  }));

test("What was answered before leaves no trace in a later answer.", async () => {
  const historyCount = caseCount(5, 60);
  for (let seed = baseSeed; seed < baseSeed + historyCount; seed += 1) {
    const { history } = personHistory(seededRandom(seed));
    const answers: string[] = [];
    for (const isAsked of [true, false]) {
      const random = seededRandom(seed);
      await using daybook = await openDaybook({ storage: memoryStorage(), clock: fixedClock(nowMs), ...(isAsked ? { memoryBudgetBytes: 1 } : {}) });
      for (let at = 0; at < history.length; ) {
        const size = random.between(1, 6);
        await arrive(daybook, history.slice(at, at + size));
        at += size;
        const [isSealed, isPutNow] = [random.chance(0.3), random.chance(0.6)];
        if (isSealed) await daybook.seal();
        if (isAsked && isPutNow) await allMoney(daybook);
      }
      answers.push(await allMoney(daybook));
    }
    expect([seed, answers[0]]).toEqual([seed, answers[1]]);
  }
});

/** Every query about money, of every project, at once: they share what they keep. */
async function allMoney(daybook: Daybook): Promise<string> {
  const answers = daybook.projects().flatMap((name) => [
    ...LEVELS.map((level) => daybook.ltvCohorts({ project: name, level })),
    ...LEVELS.flatMap((level) => MODELS.map((model) => daybook.revenueByAttribution({ project: name, level, model, startDate: "1970-01-01" }))),
  ]);
  return JSON.stringify([...(await Promise.all(answers)), await daybook.topCompanies({ sort: "revenue" })]);
}
