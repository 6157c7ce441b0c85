import { DaybookError } from "../../src/core/base/errors.js";
import type { Daybook } from "../../src/engine/daybook.js";
import { planQuery } from "../../src/engine/queries.js";
import type { CursorPosition } from "../../src/query/plan/plan.js";
import type { Executor, Plan, ReportName } from "../../src/query/queries.js";
import { reportRules } from "../../src/query/plan/report-rules.js";
import { DEFAULT_PROJECT } from "../../src/core/schema/fields.js";
import { eventsOf, type History } from "./oracle/history.js";
import { oracle } from "./oracle/oracle.js";
import type { OracleOptions } from "./oracle/rules.js";
import { arrive } from "./random/arrive.js";
import { randomQuery } from "./random/event-queries.js";
import { hostileHistory } from "./random/hostile-history.js";
import { knownHistory } from "./random/known-history.js";
import { longIntegerFilter, longIntegerHistory } from "./random/long-integers.js";
import { nowMs } from "./random/now.js";
import { personHistory } from "./random/person-history.js";
import { randomOptions } from "./random/person-options.js";
import { aggregateQueries, personQueries } from "./random/person-queries.js";
import { seededRandom, type Random } from "../../src/testing/random.js";

/** An executor, and how it is let go of. */
export interface LoadedExecutor {
  readonly executor: Executor;
  /** Lets go of what the executor holds. */
  close(): Promise<void>;
}

/**
 * Makes an executor over what a history leaves.
 * @param fill lets the history happen to a Daybook that stands at `options.nowMs`
 * @param options what answers mean
 */
export type LoadExecutor = (fill: (daybook: Daybook) => Promise<void>, options: OracleOptions) => Promise<LoadedExecutor>;

/** One promise of `Executor`. */
export interface ExecutorCase {
  readonly name: string;
  /** Asks an executor. @throws an error with the query, the right answer and the one given, where the promise is broken */
  run(load: LoadExecutor): Promise<void>;
}

interface Query {
  readonly report: ReportName;
  readonly input: unknown;
}

const EVENT_HISTORY_COUNT = 8;
const QUERIES_PER_HISTORY = 60;
const PERSON_HISTORY_COUNT = 24;
const AGGREGATES_PER_HISTORY = 12;

/** What every executor owes: to random plans over random histories the answers of the oracle, and an end when it is told to stop. */
export const executorSuite: readonly ExecutorCase[] = [
  ...Array.from({ length: EVENT_HISTORY_COUNT }, (_, seed) => eventCase(seed)),
  ...Array.from({ length: PERSON_HISTORY_COUNT }, (_, seed) => personCase(seed)),
  { name: "integers beyond 2^53 equal and are ordered by all of their digits, as the oracle has it", run: runLongIntegers },
  { name: "a signal that is aborted ends every question", run: runAborted },
];

/** Some histories keep what lies in the future. */
function futureEventsOf(seed: number): Pick<OracleOptions, "futureEvents"> {
  return seed % 8 === 4 ? { futureEvents: "keep" } : {};
}

function eventCase(seed: number): ExecutorCase {
  return {
    name: `random queries about the events of history ${seed} are answered as the oracle does`,
    run: async (load) => {
      const random = seededRandom(seed);
      const history = hostileHistory(random, random.between(20, 60));
      const options = { nowMs, ...futureEventsOf(seed) };
      const records = oracle(history, options).searchEvents();
      const queries = Array.from({ length: QUERIES_PER_HISTORY }, () => randomQuery(random, records));
      await runCase(load, history, options, queries, random);
    },
  };
}

function personCase(seed: number): ExecutorCase {
  return {
    name: `random queries about the persons, money and companies of history ${seed} are answered as the oracle does`,
    run: async (load) => {
      const random = seededRandom(1_000 + seed);
      // Every other one has records that tell traits.
      const history = seed % 2 === 0 ? knownHistory(random) : personHistory(random).history;
      await runCase(load, history, { ...randomOptions(random), ...futureEventsOf(seed) }, [...personQueries(random, history, []), ...aggregateQueries(random, AGGREGATES_PER_HISTORY)], random);
    },
  };
}

async function runCase(load: LoadExecutor, history: History, options: OracleOptions, queries: readonly Query[], random: Random): Promise<void> {
  const expected = oracle(history, options);
  await over(load, history, options, async (executor) => {
    for (const query of queries) {
      const plan = await planOf(query, history, options);
      const right = plan === null ? null : outcomeOf(() => expected[query.report](query.input as never));
      // What no executor is asked.
      if (plan === null || right === null || right === "error project_not_found") continue;
      const given = await answered(executor, plan, random.between(1, 20));
      if (given !== right) throw new Error(`${query.report} ${JSON.stringify(query.input)}\nexpected ${right}\n     got ${given}`);
    }
  });
}

async function runLongIntegers(load: LoadExecutor): Promise<void> {
  const random = seededRandom(53);
  const history = longIntegerHistory(random);
  const filtered = Array.from({ length: QUERIES_PER_HISTORY }, () => ({ report: "countEvents" as const, input: { filterGroups: longIntegerFilter(random) } }));
  const whole: Query[] = [
    ...["n", "order_id"].map((metadataField) => ({ report: "aggregate" as const, input: { metadataField } })),
    { report: "aggregate", input: { field: "userId" } },
    { report: "countUniqueUsers", input: {} },
    { report: "revenueByAttribution", input: { project: "default" } },
  ];
  await runCase(load, history, { nowMs }, [...filtered, ...whole], random);
}

async function runAborted(load: LoadExecutor): Promise<void> {
  const { history } = personHistory(seededRandom(7));
  await over(load, history, { nowMs }, async (executor) => {
    for (const query of personQueries(seededRandom(8), history, [])) {
      const plan = await planOf(query, history, { nowMs });
      if (plan === null) continue;
      const given = await executor.execute(plan, { aborted: true }).then(() => "an answer", errorText);
      if (given !== "error aborted") throw new Error(`${query.report}: expected error aborted, got ${given}`);
    }
  });
}

async function over(load: LoadExecutor, history: History, options: OracleOptions, run: (executor: Executor) => Promise<void>): Promise<void> {
  const { executor, close } = await load((daybook) => arrive(daybook, history), options);
  try {
    await run(executor);
  } finally {
    await close();
  }
}

/** Null for a query that is refused before it comes to an executor. */
async function planOf({ report, input }: Query, history: History, options: OracleOptions): Promise<Plan | null> {
  const savedSegments = new Map(Object.entries(options.segments ?? {}));
  const context = { nowMs: options.nowMs, cursorKey: new Uint8Array(32), rules: reportRules(options), savedSegments };
  const projects = [DEFAULT_PROJECT, ...eventsOf(history).map(({ project }) => project ?? DEFAULT_PROJECT)];
  return await planQuery(report, input, context, () => projects).catch((error: unknown) => {
    if (error instanceof DaybookError) return null;
    throw error;
  });
}

/** The answer as JSON, pages joined; or the code of the error. */
async function answered(executor: Executor, plan: Plan, limit: number): Promise<string> {
  try {
    return JSON.stringify(await whole(executor, plan, limit));
  } catch (error) {
    return errorText(error);
  }
}

async function whole(executor: Executor, plan: Plan, limit: number): Promise<unknown> {
  if (plan.report === "searchEvents")
    return await joined(limit, plan.cursor, async (cursor) => {
      const { events, next } = await executor.execute<"searchEvents">({ ...plan, limit, cursor });
      return { items: events, next };
    });
  if (plan.report !== "identitySessions") return await executor.execute(plan);
  const { identityId } = await executor.execute<"identitySessions">(plan);
  const sessions = await joined(limit, plan.cursor, async (cursor) => {
    const page = await executor.execute<"identitySessions">({ ...plan, limit, cursor });
    return { items: page.sessions, next: page.next };
  });
  return { identityId, sessions };
}

interface Page {
  readonly items: readonly unknown[];
  readonly next: CursorPosition | null;
}

/** The items of all pages. @throws where a page but the last is not full, or one but the first is empty */
async function joined(limit: number, first: CursorPosition | null, ask: (cursor: CursorPosition | null) => Promise<Page>): Promise<unknown[]> {
  const all: unknown[] = [];
  for (let cursor = first; ; ) {
    const { items, next } = await ask(cursor);
    if ((next !== null && items.length !== limit) || (cursor !== first && items.length === 0))
      throw new Error(`expected ${limit} items on a page, or less on the last one, got ${items.length}`);
    all.push(...items);
    if (next === null) return all;
    cursor = next;
  }
}

function outcomeOf(answer: () => unknown): string {
  try {
    return JSON.stringify(answer());
  } catch (error) {
    return errorText(error);
  }
}

/** @throws an error without a code */
function errorText(error: unknown): string {
  if (error instanceof DaybookError && error.code !== "internal") return `error ${error.code}`;
  throw error;
}
