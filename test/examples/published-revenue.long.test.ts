import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { memoryStorage, openDaybook } from "../../src/index.js";
import { DATA_SETS } from "../../examples/demo/data-sets.js";

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
  for await (const rows of set.rows())
    await daybook.ingest(rows.flatMap((row) => ("event" in row && String(row.event.createdAt) < "1997-10" ? [row.event] : [])));
  await daybook.seal();
  const weeks = (from: string, to: string) => ((Date.parse(to.slice(0, 10)) - Date.parse(from.slice(0, 10))) / 86_400_000 / 7).toFixed(2);
  const key = await answerKey();
  expect(key).toHaveLength(2_357);
  for (const [userId = "", frequency = "", recency = "", age = "", value = ""] of key) {
    const { firstSeen, lastSeen, activeDays, revenue } = await daybook.identityProfile({ userId, startDate: "1970-01-01", endDate: END });
    const [first, last, repeatCount] = [firstSeen ?? "", lastSeen ?? "", activeDays - 1];
    expect([userId, repeatCount, weeks(first, last), weeks(first, END)]).toEqual([userId, Number(frequency), recency, age]);
    if (repeatCount === 0) continue;
    const firstDay = await daybook.identityProfile({ userId, startDate: first.slice(0, 10), endDate: first.slice(0, 10) });
    // The key has two digits.
    expect(Math.abs((revenue - firstDay.revenue) / repeatCount - Number(value)), userId).toBeLessThan(0.0051);
  }
}, 120_000);
