import { fixedClock, memoryStorage, openDaybook } from "daybook";
import type { Random } from "daybook/testing";
import { oracle, type HistoryItem } from "../../../support/index.js";
import { expect, test } from "vitest";
import { LIMITS } from "../../../../src/core/base/limits.js";
import { arrive } from "../../../support/random/arrive.js";
import type { Known } from "../../../support/random/insight-queries.js";
import { caseCount } from "../../../oracle/settings.js";
import { checkStories, type Asked, type Story } from "./visits-case.js";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const START_MS = Date.UTC(2026, 0, 5);
const DAY_COUNT = 16;
const PEOPLE = [["ann", "a"], ["ben", "b"], ["cid", "c"]] as const;

/** People who go on for days and nights, with a pause now and then that is a little too long or not; some of it comes late, some are linked. */
function nights(random: Random): Story {
  const gapMs = random.pick([2, 5, 12, 23, 30]) * HOUR_MS;
  const pauseShare = random.pick([0, 0.02, 0.1, 0.3]);
  const inOrder = PEOPLE.slice(0, random.between(1, 3)).flatMap(([userId, anonymousId]) => {
    const items: { readonly atMs: number; readonly item: HistoryItem }[] = [];
    for (let atMs = START_MS + random.between(0, 30) * HOUR_MS; atMs < START_MS + DAY_COUNT * DAY_MS; atMs += stepMs(random, gapMs, pauseShare)) {
      const who = random.pick([{ userId }, { userId }, { anonymousId }, { userId, anonymousId }]);
      items.push({ atMs, item: { id: String(atMs) + userId, name: "pageview", createdAt: atMs, url: `https://a.example/${random.between(0, 2)}`, ...who } });
    }
    return random.chance(0.5) ? items : [...items, { atMs: START_MS + random.between(0, DAY_COUNT) * DAY_MS, item: { identify: { userId, anonymousId } } }];
  });
  const lateShare = random.pick([0, 0.05, 0.3]);
  const arriving = inOrder.map(({ atMs, item }) => ({ arrivesMs: random.chance(lateShare) ? atMs + random.between(0, 12) * DAY_MS : atMs, item }));
  const history = arriving.sort((a, b) => a.arrivesMs - b.arrivesMs).map(({ item }) => item);
  const unlink = random.chance(0.2) ? [{ unlink: random.pick(PEOPLE)[1] }] : [];
  // Other days are never asked for: what is known of them is no help.
  const askedMs = START_MS + random.between(4, DAY_COUNT - 4) * DAY_MS;
  const nowMs = START_MS + (DAY_COUNT + 14) * DAY_MS;
  return { options: { nowMs, session: { gapMs, maxMs: random.pick([3, 24, 24, 70]) * HOUR_MS } }, history: [...history, ...unlink], query: (known) => askedDays(known, askedMs) };
}

function stepMs(random: Random, gapMs: number, pauseShare: number): number {
  if (random.chance(pauseShare)) return gapMs + random.pick([1, HOUR_MS, DAY_MS]);
  return random.pick([gapMs, gapMs, random.between(1, gapMs)]);
}

function askedDays({ random }: Known, askedMs: number): Asked {
  const startMs = askedMs + random.pick([0, 0, 7 * HOUR_MS]);
  const dates = { startDate: new Date(startMs), endDate: new Date(startMs + random.pick([0.5, 1]) * DAY_MS) };
  return random.pick<Asked>([
    { report: "sessionsOverview", input: { ...dates, interval: random.pick(["day", "total"]), timeZone: random.pick(["UTC", "Asia/Tokyo"]) } },
    { report: "paths", input: dates },
    { report: "webOverview", input: dates },
  ]);
}

test("sessions that go on over the first midnight of what a query looks at are those of the oracle", async () => {
  await checkStories(nights, caseCount(6, 200));
}, 600_000);

const NOW_MS = START_MS + 30 * DAY_MS;
const visit = (who: { readonly userId: string } | { readonly anonymousId: string }, hour: number): HistoryItem => ({
  id: `${Object.values(who)[0]} ${hour}`, name: "pageview", createdAt: START_MS + hour * HOUR_MS, ...who,
});
/** From an hour to before another one. */
const visits = (who: Parameters<typeof visit>[0], fromHour: number, toHour: number, stepHours = 3) =>
  Array.from({ length: Math.ceil((toHour - fromHour) / stepHours) }, (_, at) => visit(who, fromHour + at * stepHours));
const [ann, device, ben] = [{ userId: "ann" }, { anonymousId: "device" }, { userId: "ben" }];

/** Sessions are cut after so long where nobody pauses, so that the cuts of days tell when the first of them began. Day 8 is asked: made of day 6 on. */
const CASES = {
  "somebody who goes on": { history: visits(ann, 5, 300), late: [] },
  "a late event on the day before": { history: [...visits(ann, 2, 139), ...visits(ann, 145, 300)], late: [visit(ann, 141)] },
  "a late event behind an earlier midnight": { history: [...visits(ann, 3, 94), ...visits(ann, 101, 300)], late: [visit(ann, 97)] },
  "a late event on the first day": { history: [...visits(ann, 3, 142), ...visits(ann, 148.4, 300)], late: [visit(ann, 144.5)] },
  "a late event on the first day, in a segment": { history: [...visits(ann, 3, 142), ...visits(ann, 148.4, 300)], late: [visit(ann, 144.5)], seals: true },
  "a link": { history: [...visits(device, 3, 143), ...visits(ann, 145, 300)], late: [{ identify: { userId: "ann", anonymousId: "device" } }] },
  "somebody else on days before": { history: [...visits(ann, 5, 300), visit(ben, 100), visit(ben, 122)], late: [], days: [8, 5] },
  "a gap of more than a day": { history: visits(ann, 0, 300, 29), late: [], gapHours: 30, maxHours: 50, days: [9] },
};

test.each(Object.entries(CASES))("Over midnight: %s", async (_, { history, late, ...more }) => {
  const { gapHours = 4, maxHours = 25, days = [8], seals = false }: { gapHours?: number; maxHours?: number; days?: number[]; seals?: boolean } = more;
  const session = { gapMs: gapHours * HOUR_MS, maxMs: maxHours * HOUR_MS };
  await using daybook = await openDaybook({ storage: memoryStorage(), clock: fixedClock(NOW_MS), session });
  for (const [arriving, past] of [[history, history], [late, [...history, ...late]]] as const) {
    await arrive(daybook, arriving);
    if (seals) await daybook.seal();
    for (const day of days) {
      const input = { startDate: new Date(START_MS + day * DAY_MS), endDate: new Date(START_MS + (day + 1) * DAY_MS - 1), interval: "hour" } as const;
      const expected = oracle(past, { nowMs: NOW_MS, session }).sessionsOverview(input);
      expect(await daybook.sessionsOverview(input)).toMatchObject(expected);
    }
  }
});

test("What comes while sessions of more days are made is in the next answer about fewer days.", async () => {
  const usual = LIMITS.turnValueCount;
  Object.assign(LIMITS, { turnValueCount: 100 });
  try {
    const history = [...visits(ann, 3, 300), ...visits(ben, 5, 300)];
    const late = Array.from({ length: 20 }, (_, at) => visit({ userId: `late ${at}` }, 196));
    await using daybook = await openDaybook({ storage: memoryStorage(), clock: fixedClock(NOW_MS) });
    await arrive(daybook, history);
    const day = { startDate: new Date(START_MS + 8 * DAY_MS), endDate: new Date(START_MS + 9 * DAY_MS - 1), interval: "hour" } as const;
    await daybook.sessionsOverview(day);
    const all = daybook.sessionsOverview({ startDate: new Date(START_MS), interval: "day" });
    for (const [at, item] of late.entries()) {
      await arrive(daybook, [item]);
      expect(await daybook.sessionsOverview(day)).toMatchObject(oracle([...history, ...late.slice(0, at + 1)], { nowMs: NOW_MS }).sessionsOverview(day));
    }
    await all;
    const input = { startDate: new Date(START_MS), interval: "day" } as const;
    expect(await daybook.sessionsOverview(input)).toMatchObject(oracle([...history, ...late], { nowMs: NOW_MS }).sessionsOverview(input));
  } finally {
    Object.assign(LIMITS, { turnValueCount: usual });
  }
});
