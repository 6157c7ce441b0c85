import { loadPast } from "../../../src/engine/open-daybook.js";
import { deepStrictEqual } from "node:assert/strict";
import { fixedClock, memoryStorage, openDaybook, type Daybook } from "daybook";
import { seededRandom, type Random } from "daybook/testing";
import { oracle, type Oracle, type OracleOptions } from "../../support/index.js";
import { MemoryExecutor } from "../../../src/engine/query/executor.js";
import type { QueryStats } from "../../../src/engine/query/scan.js";
import { storeOf } from "../../../src/engine/open-daybook.js";
import { ReportContexts } from "../../../src/engine/query/report-contexts.js";
import { reportRules } from "../../../src/query/plan/report-rules.js";
import type { Plan } from "../../../src/query/queries.js";
import { arrive } from "../../support/random/arrive.js";
import { knownHistory } from "../../support/random/known-history.js";
import { randomOptions } from "../../support/random/person-options.js";
import { knownQueries } from "./known-queries.js";
import { knownPlan, type KnownQuery } from "./known-plan.js";

/** What answers hand-made plans from the store of a Daybook. */
export interface PlanAsked {
  execute(plan: Plan): Promise<unknown>;
  /** What the last query touched. */
  readonly work: QueryStats;
}

/** @param options those that settle what answers mean */
export function planAsked(daybook: Daybook, options: Omit<OracleOptions, "nowMs"> = {}): PlanAsked {
  const store = storeOf(daybook);
  if (store === null) throw new Error("a Daybook of this process has a store");
  const works: QueryStats[] = [];
  const executor = new MemoryExecutor(store, new ReportContexts(store, options.rates ?? (() => undefined), reportRules(options as object)), (_, work) => works.push(work), loadPast);
  return {
    execute: (plan) => executor.execute(plan),
    get work() {
      const work = works.at(-1);
      if (work === undefined) throw new Error("nothing was asked");
      return work;
    },
  };
}

/**
 * Compares answers to old queries with filters and fields of what is known with those of the oracle, about one random history that comes in
 * pieces, with queries, seals and restarts between them.
 * @param fields the names of filters and fields @param fieldsOften those that most histories are asked about
 * @throws an error with the seed
 */
export async function checkKnown(seed: number, fields: readonly string[], fieldsOften: readonly string[]): Promise<void> {
  const random = seededRandom(seed);
  // The same few again and again: what was kept for the last answer must not show in the next.
  const often = random.pick(fieldsOften);
  const few = random.pick([fields, fieldsOften, [often], [often]]);
  const focus: readonly KnownQuery[] = [{ report: "aggregate", input: { field: often, measure: "events" } }, ...random.shuffled(knownQueries(random, few)).slice(0, 2)];
  await checkQueries(seed, random, focus, () => knownQueries(random, few));
}

/**
 * The same of any queries. @param focus those that are asked again and again, while the history comes @param others those that are asked in the end
 * @throws an error with the seed
 */
export async function checkQueries(seed: number, random: Random, focus: readonly KnownQuery[], others: () => readonly KnownQuery[]): Promise<void> {
  const options = randomOptions(random);
  const history = knownHistory(random);
  const { nowMs, ...rules } = options;
  // With journals, and nothing deflated: that takes longer than all the rest.
  const storage = Object.assign(memoryStorage(), { volatile: false });
  const open = () => openDaybook({ storage, durability: "os", clock: fixedClock(nowMs), ...(rules as object), ...random.pick([{}, {}, { memoryBudgetBytes: 1 }]) });
  let daybook = await open();
  let asked = planAsked(daybook, rules);
  try {
    const [sealChance, restartChance, askChance] = [random.pick([0, 0, 0.4]), random.pick([0, 0, 0.1]), random.pick([0, 0.5, 0.9])];
    for (let at = 0; at < history.length; ) {
      const size = random.pick([1, 1, 2, 5, 50]);
      await arrive(daybook, history.slice(at, at + size));
      at += size;
      if (random.chance(sealChance)) await daybook.seal();
      if (random.chance(restartChance)) {
        await daybook.close();
        daybook = await open();
        asked = planAsked(daybook, rules);
      }
      if (random.chance(askChance)) await compare(seed, asked, focus, oracle(history.slice(0, at), options));
    }
    await compare(seed, asked, [...focus, ...others()], oracle(history, options));
  } finally {
    await daybook.close();
  }
}

async function compare(seed: number, asked: PlanAsked, queries: readonly KnownQuery[], expected: Oracle): Promise<void> {
  const areAtOnce = seed % 3 === 0;
  const plans = queries.map(knownPlan);
  const given = areAtOnce ? await Promise.all(plans.map((plan) => asked.execute(plan))) : [];
  for (const [at, query] of queries.entries()) {
    const plan = plans[at];
    if (plan === undefined) throw new Error("each question has a plan");
    const answer = shownOf(areAtOnce ? given[at] : await asked.execute(plan));
    try {
      deepStrictEqual(answer, expectedAnswer(expected, query));
    } catch (error) {
      throw new Error(`repeat with DAYBOOK_SEED=${seed} DAYBOOK_CASES=1: ${JSON.stringify(query)}\n${String(error)}`, { cause: error });
    }
  }
}

function shownOf(answer: unknown): unknown {
  return typeof answer === "object" && answer !== null && "events" in answer ? answer.events : answer;
}

function expectedAnswer(expected: Oracle, { report, input }: KnownQuery): unknown {
  return expected[report](input as never);
}
