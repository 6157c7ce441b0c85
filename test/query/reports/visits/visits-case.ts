import { fixedClock, memoryStorage, openDaybook, type Daybook, type DaybookOptions } from "daybook";
import { seededRandom, type Random } from "daybook/testing";
import { oracle, type HistoryItem, type Oracle } from "../../../support/index.js";
import { DaybookError } from "../../../../src/core/base/errors.js";
import { LIMITS } from "../../../../src/core/base/limits.js";
import { arrive } from "../../../support/random/arrive.js";
import { insightHistory, type InsightHistory } from "../../../support/random/insight-history.js";
import { insightQuery, type InsightQuery, type Known } from "../../../support/random/insight-queries.js";
import { timesOf } from "../../../support/random/insight-scope.js";
import { baseSeed, caseCount } from "../../../oracle/settings.js";

export type VisitReport = "sessionsOverview" | "webOverview" | "paths";

export type Asked = InsightQuery<VisitReport>;

/** A history, and random queries of it. */
export interface Story extends Pick<InsightHistory, "history" | "options"> {
  query(known: Known): Asked;
}

/** Histories made for all insights. */
export async function checkVisits(report: VisitReport, count: number, thorough: number): Promise<void> {
  await checkStories((random) => ({ ...insightHistory(random), query: (known) => insightQuery(report, known) }), caseCount(count, thorough));
}

/**
 * Lets histories happen to a Daybook that lives on, sealed now and then, and asks it after each step: the answers must be those of the oracle
 * about what came so far. @throws an error with the seed
 */
export async function checkStories(tell: (random: Random) => Story, count: number): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    const seed = baseSeed + index;
    const difference = await differenceOf(tell, seededRandom(seed));
    if (difference !== null) throw new Error(`repeat with DAYBOOK_SEED=${seed} DAYBOOK_CASES=1\n${difference}`);
  }
}

async function differenceOf(tell: (random: Random) => Story, random: Random): Promise<string | null> {
  const { options, history, query } = tell(random);
  const { nowMs, ...rules } = options;
  const usual = { ...LIMITS };
  Object.assign(LIMITS, { headPartRowCount: random.pick([2, 6, 16 * 1024]), rememberedMoveCount: random.pick([1, 64 * 1024]), segmentsPerDayCount: random.pick([2, 4]) });
  try {
    const memoryBudgetBytes = random.pick([1, 20_000, LIMITS.memoryBudgetBytes, LIMITS.memoryBudgetBytes]);
    await using daybook = await openDaybook({ ...(rules as Partial<DaybookOptions>), storage: Object.assign(memoryStorage(), { volatile: false }), durability: "os", clock: fixedClock(nowMs), memoryBudgetBytes });
    const past: HistoryItem[] = [];
    const known: Known = { random, timesMs: timesOf(history), nowMs, identityIds: [] };
    const focus = query(known);
    const [sealShare, isWhole] = [random.pick([0, 0, 0.1, 0.3, 1]), random.chance(0.2)];
    for (let from = 0, to = 0; from < history.length; from = to) {
      to = isWhole ? history.length : Math.min(history.length, from + random.pick([1, 1, 2, 5, 10]));
      await arrive(daybook, history.slice(from, to));
      past.push(...history.slice(from, to));
      if (random.chance(sealShare)) await daybook.seal();
      const told = oracle(past, options);
      for (const asked of [focus, query(known)]) {
        const difference = await compare(daybook, told, asked);
        if (difference !== null) return [JSON.stringify({ ...rules, nowMs }), ...past.map((item) => JSON.stringify(item)), difference].join("\n");
      }
    }
    return null;
  } finally {
    Object.assign(LIMITS, usual);
  }
}

async function compare(daybook: Daybook, told: Oracle, { report, input }: Asked): Promise<string | null> {
  const given = await outcomeOf(async () => {
    const { definition: _definition, asOf: _asOf, ...answer } = await (daybook[report] as (input: unknown) => Promise<{ definition: string; asOf: number | null }>).call(daybook, input);
    return answer;
  });
  const expected = await outcomeOf(() => (told[report] as (input: unknown) => unknown)(input));
  return given === expected ? null : `${report} ${JSON.stringify(input)}\nexpected ${expected}\n     got ${given}`;
}

async function outcomeOf(ask: () => unknown): Promise<string> {
  try {
    return JSON.stringify(await ask());
  } catch (error) {
    // The oracle calls members by the last part of their paths.
    if (error instanceof DaybookError) return `${error.code} ${String(error.details.param?.split(".").at(-1))}`;
    return String(error instanceof Error ? error.stack : error);
  }
}
