import { fixedClock, memoryStorage, openDaybook, type Daybook } from "daybook";
import { seededRandom, type Random } from "daybook/testing";
import type { HistoryItem } from "../support/index.js";
import { arrive } from "../support/random/arrive.js";
import type { Asked, Case } from "../oracle/insights/laws/law.js";
import { nowMs, smallHistory } from "../oracle/insights/random-history.js";
import { allSessions } from "../oracle/person-answers.js";
import { baseSeed, caseCount } from "../oracle/settings.js";

/** The default suite runs one in so many cases of a law, the long one all of them. */
const QUICK_SHARE = 25;

/** Checks something of a Daybook's answers about many small histories. @throws an error with the seed */
export async function ofDaybooks(count: number, check: (given: Case) => Promise<void>): Promise<void> {
  for (let index = 0; index < caseCount(Math.ceil(count / QUICK_SHARE), count); index += 1) {
    const seed = baseSeed + 500 + index;
    const random = seededRandom(seed);
    const open: Daybook[] = [];
    const askedOf = async (history: readonly HistoryItem[]) => {
      const daybook = await daybookOf(history, random);
      open.push(daybook);
      return askedBy(daybook);
    };
    try {
      const history = smallHistory(random);
      await check({ random, history, asked: await askedOf(history), askedOf });
    } catch (error) {
      throw new Error(`With the seed ${seed}: ${String(error)}`, { cause: error });
    } finally {
      for (const daybook of open) await daybook.close();
    }
  }
}

/** A Daybook of a history, in batches, some of which are sealed. */
export async function daybookOf(history: readonly HistoryItem[], random: Random): Promise<Daybook> {
  const daybook = await openDaybook({ storage: memoryStorage(), clock: fixedClock(nowMs) });
  const sealChance = random.pick([0, 0.5]);
  for (let at = 0; at < history.length; ) {
    const piece = history.slice(at, at + random.pick([3, 10, 30]));
    at += piece.length;
    await arrive(daybook, piece);
    if (random.chance(sealChance)) await daybook.seal();
  }
  return daybook;
}

function askedBy(daybook: Daybook): Asked {
  const bare = async <T extends { readonly definition: string; readonly asOf: number | null }>(answer: Promise<T>): Promise<Omit<T, "definition" | "asOf">> => {
    const { definition: _definition, asOf: _asOf, ...rest } = await answer;
    return rest;
  };
  return {
    trend: (input) => bare(daybook.trend(input)),
    funnel: (input) => bare(daybook.funnel(input)),
    retention: (input) => bare(daybook.retention(input)),
    lifecycle: (input) => bare(daybook.lifecycle(input)),
    stickiness: (input) => bare(daybook.stickiness(input)),
    paths: (input) => bare(daybook.paths(input)),
    sessionsOverview: (input) => bare(daybook.sessionsOverview(input)),
    webOverview: (input) => bare(daybook.webOverview(input)),
    countEvents: (input) => daybook.countEvents(input),
    countEventsPerDay: (input) => daybook.countEventsPerDay(input),
    countEventsRunningTotalPerDay: (input) => daybook.countEventsRunningTotalPerDay(input),
    countUniqueUsers: (input) => daybook.countUniqueUsers(input),
    countUniqueUsersPerDay: (input) => daybook.countUniqueUsersPerDay(input),
    aggregate: (input) => daybook.aggregate(input),
    identityProfile: (input) => daybook.identityProfile(input),
    identitySessions: (input) => allSessions(daybook, input, 100),
    revenueByAttribution: (input) => daybook.revenueByAttribution(input),
  };
}
