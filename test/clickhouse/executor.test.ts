import { fixedClock, type Daybook } from "daybook";
import { executorSuite, type ExecutorCase, type LoadExecutor } from "../support/index.js";
import { describe, test } from "vitest";
import { openWithExecutor } from "../../src/clickhouse/open-clickhouse.js";
import { newDatabase, type Layout } from "./kit.js";

const onClickHouse = (layout: Layout): LoadExecutor => async (fill, { nowMs, segments: _segments, ...rules }) => {
  const { options, drop } = await newDatabase(layout, { ...rules, clock: fixedClock(nowMs) });
  const { daybook, executor } = await openWithExecutor(options);
  // Histories call what writes, which is there.
  await fill(daybook as unknown as Daybook);
  return {
    executor,
    close: async () => {
      await daybook.close();
      await drop();
    },
  };
};

/** Every so many of the suite's histories, and what is no history: a statement takes some ten ms here, on two shards several times that. */
function some(every: number): readonly ExecutorCase[] {
  let count = 0;
  return executorSuite.filter(({ name }) => !name.includes("history") || count++ % every === 0);
}

describe.each([["one server", 4], ["two shards", 16], ["two replicas", 32]] as const)("the executor on ClickHouse, %s", (layout, every) => {
  test.each(process.env["DAYBOOK_THOROUGH"] === "1" ? executorSuite : some(every))("$name", ({ run }) => run(onClickHouse(layout)));
});
