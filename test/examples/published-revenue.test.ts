import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { memoryStorage, openDaybook } from "../../src/index.js";
import { DATA_SETS } from "../../src/cli/demo/data-sets.js";
import { load } from "../../src/cli/load.js";

const END = "1997-09-30";

/** Customer, repeat purchase days, recency and age in weeks, mean value of the repeat purchases. */
async function answerKey(): Promise<string[][]> {
  const text = await readFile(new URL("../../examples/data/cdnow_customers_summary_with_transactions.csv", import.meta.url), "utf8");
  return text.trim().split(/\r?\n/).slice(1).map((line) => line.split(","));
}

test("Every customer of the CDNOW sample has the repeat purchases, recency, age and mean value of the published answer key.", async () => {
  const set = DATA_SETS.find(({ organization }) => organization === "cdnow-sample");
  if (set === undefined) throw new Error("no data set cdnow-sample");
  await using daybook = await openDaybook({ storage: memoryStorage() });
  await load(daybook, set.rows());
  await daybook.seal();
  const weeks = (fromMs: number, toMs: number) => ((toMs - fromMs) / 86_400_000 / 7).toFixed(2);
  const key = await answerKey();
  expect(key).toHaveLength(2_357);
  for (const [id = "", frequency = "", recency = "", age = "", value = ""] of key) {
    const all = await daybook.identityProfile({ userId: id, startDate: "1970-01-01", endDate: END });
    const firstDay = (all.firstSeen ?? "").slice(0, 10);
    const first = await daybook.identityProfile({ userId: id, startDate: firstDay, endDate: firstDay });
    const { events } = await daybook.searchEvents({ userId: id, endDate: END, limit: 1 });
    const firstMs = Date.parse(firstDay);
    const repeatCount = all.activeDays - 1;
    const mean = repeatCount === 0 ? 0 : (all.revenue - first.revenue) / repeatCount;
    expect([id, repeatCount, weeks(firstMs, Date.parse(events[0]?.createdAt ?? "")), weeks(firstMs, Date.parse(END))]).toEqual([id, Number(frequency), recency, age]);
    expect([id, Math.abs(mean - Number(value)) <= 0.0051]).toEqual([id, true]);
  }
});
