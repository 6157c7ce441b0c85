import { fixedClock, type Daybook } from "daybook";
import { executorSuite, type LoadExecutor } from "daybook/testing";
import { describe, test } from "vitest";
import { openWithExecutor } from "../../src/clickhouse/open-clickhouse.js";
import { layouts, newDatabase, type Layout } from "./kit.js";

const onClickHouse = (layout: Layout): LoadExecutor => async (fill, { nowMs, ...options }) => {
  const { rates: _rates, segments: _segments, ...rules } = options as typeof options & { rates?: unknown; segments?: unknown };
  const { options: opened, drop } = await newDatabase(layout, { ...rules, clock: fixedClock(nowMs) });
  const { daybook, executor } = await openWithExecutor(opened);
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

describe.each(layouts)("the executor on ClickHouse, %s", (layout) => {
  test.each(executorSuite.filter(({ name }) => name.includes("about the events")))("$name", ({ run }) => run(onClickHouse(layout)));
});
