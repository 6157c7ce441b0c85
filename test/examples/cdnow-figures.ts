import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { sumOf, type DaybookOf } from "./published.js";

/** Customer, repeat purchase days, recency and age in weeks. */
async function answerKey(): Promise<number[][]> {
  const file = await readFile(new URL("../../examples/data/cdnow_customers_summary.csv", import.meta.url), "utf8");
  return file.trim().split(/\r?\n/).slice(1).map((line) => line.split(",").map(Number));
}

/** The figures of Fader and Hardie, and the answer key of their sample, wherever the events are. */
export function cdnowFigures(daybookOf: DaybookOf): void {
  describe("CDNOW, as Fader and Hardie describe it", () => {
    test("has 69,659 purchases of 23,570 customers, 7,846, 8,476 and 7,248 of whom began in each month", async () => {
      const daybook = await daybookOf("cdnow");
      expect(await daybook.countEvents({ eventName: "purchase" })).toBe(69_659);
      expect(await daybook.countUniqueUsers()).toBe(23_570);
      const until = (endDate: string) => daybook.countUniqueUsers({ endDate });
      const [january, february, march] = [await until("1997-01-31"), await until("1997-02-28"), await until("1997-03-31")];
      expect([january, february - january, march - february, await until("1998-06-30")]).toEqual([7_846, 8_476, 7_248, 23_570]);
    });

    test("earned 2,500,315.63 dollars", async () => {
      const daybook = await daybookOf("cdnow");
      let cents = 0;
      for (const { property, count } of await daybook.aggregate({ metadataField: "revenue" })) cents += Math.round(Number(property) * 100) * count;
      expect(cents).toBe(250_031_563);
    });

    test("has cohorts of 7,846, 8,476 and 7,248 customers, who paid 2,500,315.63 dollars", async () => {
      const { cohorts, currency, unconverted } = await (await daybookOf("cdnow")).ltvCohorts({ project: "default", level: "identity" });
      expect({ currency, unconverted }).toEqual({ currency: "USD", unconverted: [] });
      expect(cohorts.map(({ cohort, entities }) => [cohort, entities])).toEqual([["1997-03", 7_248], ["1997-02", 8_476], ["1997-01", 7_846]]);
      expect(sumOf(cohorts)).toBe("2500315.63");
      expect(cohorts.reduce((sum, { orders }) => sum + orders, 0)).toBeLessThanOrEqual(69_659);
    });

    test("gives each customer of the sample the repeat purchases, recency and age of the answer key, from their sessions and profile too", async () => {
      const daybook = await daybookOf("cdnow-sample");
      const window = { startDate: "1970-01-01", endDate: "1997-09-30" };
      for (const [id = 0, frequency, , age = 0] of (await answerKey()).slice(0, 200)) {
        const { activeDays, firstSeen } = await daybook.identityProfile({ userId: String(id), ...window });
        expect([id, activeDays - 1]).toEqual([id, frequency]);
        expect((Date.UTC(1997, 8, 30) - Date.parse(firstSeen ?? "")) / 86_400_000 / 7).toBeCloseTo(age, 1);
      }
    });

    test("gives each customer of the sample the repeat purchases, recency and age of the answer key", async () => {
      const daybook = await daybookOf("cdnow-sample");
      const weeks = (days: number) => (days / 7).toFixed(2);
      const daysOf = new Map<string, Set<number>>();
      for await (const event of daybook.exportEvents({ endDate: "1997-09-30" })) {
        const user = String(event.userId);
        daysOf.set(user, (daysOf.get(user) ?? new Set()).add(Date.parse(event.createdAt) / 86_400_000));
      }
      const end = Date.UTC(1997, 8, 30) / 86_400_000;
      const computed = [...daysOf].map(([user, days]) => {
        const [first, last] = [Math.min(...days), Math.max(...days)];
        return [Number(user), days.size - 1, weeks(last - first), weeks(end - first)].join();
      });
      const expected = (await answerKey()).map(([id, frequency, recency = 0, age = 0]) => [id, frequency, recency.toFixed(2), age.toFixed(2)].join());
      expect(computed.sort()).toEqual(expected.sort());
      expect(computed).toHaveLength(2_357);
    });
  });
}
