import { isDeepStrictEqual } from "node:util";
import { fixedClock, memoryStorage, openDaybook, type Daybook } from "daybook";
import { seededRandom, type Random } from "daybook/testing";
import { oracle, type HistoryItem, type Oracle } from "../../../support/index.js";
import { DaybookError } from "../../../../src/core/base/errors.js";
import { arrive } from "../../../support/random/arrive.js";
import { insightHistory } from "../../../support/random/insight-history.js";
import { insightQuery, type InsightQuery } from "../../../support/random/insight-queries.js";
import { timesOf } from "../../../support/random/insight-scope.js";
import { nowMs as usualNowMs } from "../../../support/random/now.js";
import { personHistory } from "../../../support/random/person-history.js";
import { randomOptions } from "../../../support/random/person-options.js";
import { baseSeed, caseCount } from "../../../oracle/settings.js";

type Name = "retention" | "lifecycle" | "stickiness";

/** What other parts of the library answer. */
const OTHERS = /"(?:person|company|first_touch|last_touch)\.|segment/;

/**
 * Daybooks that live on while histories happen to them, with seals between queries: after each step a few queries are asked again, and
 * some others. @throws an error with the seed, where an answer is not the oracle's
 */
export async function ofLivingHistories(name: Name, count: number, thorough: number): Promise<void> {
  for (let index = 0; index < caseCount(count, thorough); index += 1) {
    const seed = baseSeed + index;
    await checkHistory(seededRandom(seed), name, `DAYBOOK_SEED=${seed} DAYBOOK_CASES=1`);
  }
}

async function checkHistory(random: Random, name: Name, place: string): Promise<void> {
  const { options, history } = random.chance(0.6) ? insightHistory(random) : { ...personHistory(random), options: randomOptions(random) };
  const { nowMs = usualNowMs, ...rules } = options;
  const known = { random, timesMs: timesOf(history).filter(Number.isFinite), nowMs, identityIds: [] };
  const asked = (): InsightQuery => {
    for (;;) {
      const query = insightQuery(name, known);
      if (!OTHERS.test(JSON.stringify(query))) return query;
    }
  };
  const focus = [asked(), asked(), asked(), asked()];
  await using daybook = await openDaybook({ ...(rules as object), storage: memoryStorage(), clock: fixedClock(nowMs), ...(random.chance(0.2) ? { memoryBudgetBytes: 2_000 } : {}) });
  const past: HistoryItem[] = [];
  while (past.length < history.length) {
    const items = history.slice(past.length, past.length + random.pick([1, 2, 5, 10, 30]));
    await arrive(daybook, items).catch(refuse);
    past.push(...items);
    if (random.chance(0.4)) await daybook.seal();
    const told = oracle(past, { ...rules, nowMs });
    for (const query of random.chance(0.3) ? [...focus, asked()] : focus) await compare(daybook, told, query, `${place}, ${past.length} of ${history.length} items`);
  }
}

async function compare(daybook: Daybook, told: Oracle, { report, input }: InsightQuery, place: string): Promise<void> {
  const expected = await outcomeOf(() => told[report](input as never));
  const given = await outcomeOf(async () => {
    const { definition: _definition, asOf: _asOf, ...answer } = (await daybook[report](input as never)) as { definition: string; asOf: number | null };
    return answer;
  });
  if (isDeepStrictEqual(given, expected)) return;
  throw new Error(`${place}: ${report} ${JSON.stringify(input)}\nexpected ${JSON.stringify(expected)}\n     got ${JSON.stringify(given)}`);
}

async function outcomeOf(ask: () => unknown): Promise<unknown> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof DaybookError && error.code !== "internal" && error.code !== "corruption") return { error: error.code };
    throw error;
  }
}

function refuse(error: unknown): void {
  if (!(error instanceof DaybookError) || error.code !== "invalid_event") throw error;
}
