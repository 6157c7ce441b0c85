import { fixedClock, memoryStorage } from "daybook";
import { executorSuite, type LoadExecutor } from "../support/index.js";
import { describe, expect, test } from "vitest";
import { MemoryExecutor } from "../../src/engine/query/executor.js";
import { loadPast, openDaybook, openOn } from "../../src/engine/open-daybook.js";
import type { Answer, Executor, Plan, ReportName } from "../../src/query/queries.js";
import { caseCount, sliceOf } from "../oracle/settings.js";

/** The executor in memory, sealed or not, behind another. */
const inMemory = (isSealed: boolean, behind = (executor: Executor) => executor): LoadExecutor => async (fill, { nowMs, ...options }) => {
  let executor: Executor | null = null;
  const daybook = await openOn({ ...options, storage: memoryStorage(), clock: fixedClock(nowMs) }, (store, contexts) => {
    executor = new MemoryExecutor(store, contexts, () => undefined, loadPast);
    return executor;
  });
  await fill(daybook);
  if (isSealed) await daybook.seal();
  if (executor === null) throw new Error("expected an executor to be asked for");
  return { executor: behind(executor), close: () => daybook.close() };
};

/** The default suite looks at one of them, and at every other test. */
const layouts = ([["of segments", true], ["of heads", false]] as const).slice(0, caseCount(1, 2));

describe.each(layouts)("the executor in memory, %s", (_name, isSealed) => {
  test.each(sliceOf(executorSuite, 2))("$name", ({ run }) => run(inMemory(isSealed)));
});

/** Answers one report otherwise. */
function changed(report: ReportName, change: (answer: never) => unknown): (executor: Executor) => Executor {
  return (executor) => ({
    execute: async <K extends ReportName>(plan: Plan<K>, signal?: Pick<AbortSignal, "aborted">) => {
      const answer = await executor.execute<K>(plan, signal);
      return plan.report === report ? (change(answer as never) as Answer<K>) : answer;
    },
  });
}

const mistakes: readonly [string, (executor: Executor) => Executor][] = [
  ["counts one too many", changed("countEvents", (count: number) => count + 1)],
  ["turns an order around", changed("aggregate", (items: unknown[]) => items.toReversed())],
  ["shows one event less", changed("searchEvents", (page: { events: unknown[] }) => ({ ...page, events: page.events.slice(1) }))],
  ["forgets what was paid", changed("identityProfile", (profile: object) => ({ ...profile, revenue: 0 }))],
  ["forgets a cohort", changed("ltvCohorts", (answer: { cohorts: unknown[] }) => ({ ...answer, cohorts: answer.cohorts.slice(1) }))],
  ["does not stop", (executor) => ({ execute: (plan) => executor.execute(plan) })],
];

test.each(mistakes)("The suite notices an executor that %s.", async (_name, mistake) => {
  let isNoticed = false;
  for (const { run } of executorSuite.toReversed()) {
    isNoticed = await run(inMemory(false, mistake)).then(() => false, () => true);
    if (isNoticed) break;
  }
  expect(isNoticed).toBe(true);
});

test("A Daybook asks its executor every query, and gives its answer.", async () => {
  const asked: ReportName[] = [];
  const executor: Executor = {
    execute: (plan) => {
      asked.push(plan.report);
      return Promise.resolve(-1 as never);
    },
  };
  await using daybook = await openOn({ storage: memoryStorage() }, () => executor);
  expect(await daybook.countEvents()).toBe(-1);
  expect(await daybook.identityProfile({ userId: "ann" })).toBe(-1);
  expect(asked).toEqual(["countEvents", "identityProfile"]);
  await using own = await openDaybook({ storage: memoryStorage() });
  expect(await own.countEvents()).toBe(0);
});
