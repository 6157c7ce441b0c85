import { seededRandom, type Random } from "daybook/testing";
import type { HistoryItem, OracleOptions } from "../../../support/index.js";
import { insightHistory, type InsightHistory } from "../../../support/random/insight-history.js";
import { insightQuery, type InsightName, type InsightQuery, type Known } from "../../../support/random/insight-queries.js";
import { timesOf } from "../../../support/random/insight-scope.js";
import { anonymousIds, userIds } from "../../../support/random/insight-values.js";
import { identityId } from "../../../support/oracle/identities.js";
import { worldOf } from "../../../support/oracle/world.js";
import { shuffled } from "../../../oracle/person-case.js";
import { differenceOf, type InsightRun, type Step } from "./insight-run.js";
import { smallestRun } from "./smallest-run.js";

/** What an insight is asked about one history; where the time is short, for a history costs as much as ten queries. */
export const QUERIES_PER_HISTORY = 8;
export const MANY_PER_HISTORY = 40;

/**
 * Asks a Daybook and the oracle so many random queries of an insight, some about each of many histories. These arrive in batches, with
 * queries, seals and restarts between them; where no id stands for two things some of it twice, and in another order than the oracle's.
 * @throws an error with the seed and a small case
 */
export async function checkInsight(report: InsightName, firstSeed: number, queryCount: number, perHistory = QUERIES_PER_HISTORY): Promise<void> {
  for (let index = 0; index * perHistory < queryCount; index += 1) await checkHistory(report, firstSeed + index, perHistory);
}

async function checkHistory(report: InsightName, seed: number, queryCount: number): Promise<void> {
  // Every fourth history keeps what lies in the future.
  const own: Partial<OracleOptions> = seed % 4 === 3 ? { futureEvents: "keep" } : {};
  if ((await differenceOf(insightRun(report, seed, queryCount, own))) === null) return;
  const small = await smallestRun(insightRun(report, seed, queryCount, own));
  throw new Error([
    `a Daybook and the oracle disagree about ${report}; repeat with DAYBOOK_SEED=${seed} DAYBOOK_CASES=1`,
    JSON.stringify({ ...small.options, rates: small.options.rates === undefined ? "none" : "made up", isDeflated: small.isDeflated }),
    ...small.steps.map((step) => JSON.stringify(step)),
    (await differenceOf(small)) ?? "but only the first time",
  ].join("\n"));
}

/** The same of one history, without a search for a small case; null where all answers are as they should be. */
export function insightDifference(report: InsightName, seed: number): Promise<string | null> {
  return differenceOf(insightRun(report, seed, QUERIES_PER_HISTORY));
}

function insightRun(report: InsightName, seed: number, queryCount: number, own: Partial<OracleOptions> = {}): InsightRun {
  const random = seededRandom(seed);
  const { options: drawn, ...others } = insightHistory(random);
  const given: InsightHistory = { ...others, options: { ...drawn, ...own } };
  const { history, options, isOrderFree } = given;
  const arrival = isOrderFree && random.chance(0.7) ? shuffled(random, history) : history;
  const known: Known = { random, timesMs: timesOf(history), nowMs: options.nowMs, identityIds: identityIdsOf(random, given) };
  const queries = Array.from({ length: queryCount }, () => insightQuery(report, known));
  return { options, isDeflated: random.chance(0.05), steps: [...arrivalSteps(random, arrival, queries), ...lastSteps(random, queries)] };
}

function arrivalSteps(random: Random, arrival: readonly HistoryItem[], queries: readonly InsightQuery[]): Step[] {
  const [sealChance, restartChance, askChance] = [random.pick([0, 0, 0.3, 0.8]), random.pick([0, 0, 0.1]), random.pick([0, 0.3, 0.8])];
  const steps: Step[] = [{ opens: budget(random) }];
  for (let at = 0; at < arrival.length; ) {
    const items = arrival.slice(at, at + random.pick([1, 3, 8, 50]));
    at += items.length;
    steps.push({ items });
    if (random.chance(sealChance)) steps.push({ seals: true });
    if (random.chance(restartChance)) steps.push({ opens: budget(random) });
    // What an answer leaves behind must not show in later ones.
    if (random.chance(askChance) && at < arrival.length) steps.push({ asks: random.pick(queries), isCompared: random.chance(0.3) });
  }
  return steps;
}

function lastSteps(random: Random, queries: readonly InsightQuery[]): Step[] {
  return [
    ...queries.map((asks): Step => ({ asks, isCompared: true })),
    ...(random.chance(0.1) ? [{ seals: true } as const] : []),
    ...(random.chance(0.1) ? [{ opens: budget(random) }] : []),
    { asks: random.pick(queries), isCompared: true },
  ];
}

function budget(random: Random): number | null {
  return random.pick([null, null, 1, 20_000]);
}

/** The identities of a few ids. */
function identityIdsOf(random: Random, { history, options }: InsightHistory): string[] {
  const { identities } = worldOf(history, options);
  return Array.from({ length: 2 }, () => identities.find(random.pick([...userIds, ...anonymousIds]))).flatMap((identity) => (identity === null ? [] : [identityId(identity)]));
}
