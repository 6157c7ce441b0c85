import { fixedClock, memoryStorage, type Daybook } from "daybook";
import { executorSuite, type ExecutorCase, type LoadExecutor } from "daybook/testing";
import { describe, test } from "vitest";
import { openWithExecutor } from "../../src/clickhouse/open-clickhouse.js";
import { reports } from "../../src/clickhouse/report/reports.js";
import { MemoryExecutor } from "../../src/engine/executor.js";
import { openOn } from "../../src/engine/open-daybook.js";
import type { Executor } from "../../src/plan/plan.js";
import { newDatabase, type Layout } from "./kit.js";

/** The executor on ClickHouse; what it does not answer yet is asked of an embedded engine, so that a history can be asked all of its questions. */
const onClickHouse = (layout: Layout): LoadExecutor => async (fill, { nowMs, segments: _segments, ...rules }) => {
  const clock = fixedClock(nowMs);
  const { options, drop } = await newDatabase(layout, { ...rules, clock });
  const { daybook, executor } = await openWithExecutor(options);
  const embedded: Executor[] = [];
  const other = await openOn({ ...rules, storage: memoryStorage(), clock }, (store, contexts) => {
    embedded.push(new MemoryExecutor(store, contexts, () => undefined));
    return embedded[0] as Executor;
  });
  // Histories call what writes, which is there.
  for (const each of [daybook as unknown as Daybook, other]) await fill(each);
  return {
    executor: { execute: (plan, signal) => (Object.hasOwn(reports, plan.report) ? executor : (embedded[0] as Executor)).execute(plan, signal) },
    close: async () => {
      await Promise.all([daybook.close(), other.close()]);
      await drop();
    },
  };
};

/** Every so many of the suite's histories, and what is no history: a statement takes some ten ms here, on two shards several times that. */
function some(every: number): readonly ExecutorCase[] {
  let count = 0;
  return executorSuite.filter(({ name }) => !name.includes("history") || count++ % every === 0);
}

describe.each([["one server", 4], ["two shards", 16]] as const)("the executor on ClickHouse, %s", (layout, every) => {
  test.each(process.env["DAYBOOK_THOROUGH"] === "1" ? executorSuite : some(every))("$name", ({ run }) => run(onClickHouse(layout)));
});
