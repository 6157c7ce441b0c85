import { beforeAll, describe, expect, test } from "vitest";
import { ONLINE_RETAIL_RETURNS } from "./online-retail-returns.js";
import { sumOf, type DaybookOf, type Published } from "./published.js";

/** The figures of the order lines of a gift shop, wherever they are. */
export function onlineRetailFigures(daybookOf: DaybookOf): void {
  describe("Online Retail, as its repository describes it", () => {
    let daybook: Published;
    beforeAll(async () => {
      daybook = await daybookOf("online-retail");
    });

    test("has 541,909 order lines, 406,829 of them of 4,372 customers", async () => {
      expect(await daybook.countEvents({ eventName: "order_line" })).toBe(541_909);
      const known = [{ filters: [{ fieldName: "user_id", operator: "is_set" }] }];
      expect(await daybook.countEvents({ eventName: "order_line", filterGroups: known })).toBe(406_829);
      expect(await daybook.countUniqueUsers({ eventName: "order_line" })).toBe(4_372);
    });

    test("has 25,900 invoices and 38 countries", async () => {
      const invoices = [{ filters: [{ fieldName: "name", operator: "in", value: "purchase,refund" }] }];
      expect(await daybook.countEvents({ filterGroups: invoices })).toBe(25_900);
      expect(await daybook.aggregate({ metadataField: "order_id", filterGroups: invoices })).toHaveLength(25_900);
      expect(await daybook.aggregate({ metadataField: "order_id", eventName: "order_line" })).toHaveLength(25_900);
      expect(await daybook.aggregate({ field: "location_country", eventName: "order_line" })).toHaveLength(38);
    });

    test("earned 9,747,747.93 pounds", async () => {
      const invoices = [{ filters: [{ fieldName: "name", operator: "in", value: "purchase,refund" }] }];
      let thousandths = 0;
      for (const { property, count } of await daybook.aggregate({ metadataField: "revenue", filterGroups: invoices })) {
        thousandths += Math.round(Number(property) * 1_000) * count;
      }
      expect(thousandths).toBe(9_747_747_934);
    });

    test("saw its customers again in the months that public notebooks show", async () => {
      const { cohorts } = await daybook.retention({ eventName: "order_line", interval: "month", periods: 12 });
      const seen = cohorts.map(({ bucket, periods }, at) => [bucket.local, periods.slice(0, 13 - at).map(({ entities }) => entities)]);
      expect(seen).toEqual(ONLINE_RETAIL_RETURNS);
    });

    test("won 948, 421, 380, … new customers a month", async () => {
      const ends = ["2010-12-31", "2011-01-31", "2011-02-28", "2011-03-31", "2011-04-30", "2011-05-31", "2011-06-30", "2011-07-31", "2011-08-31", "2011-09-30", "2011-10-31", "2011-11-30", "2011-12-31"];
      const totals: number[] = [];
      for (const endDate of ends) totals.push(await daybook.countUniqueUsers({ endDate }));
      const gains = totals.map((total, month) => total - (totals[month - 1] ?? 0));
      expect(gains).toEqual([948, 421, 380, 440, 299, 279, 235, 191, 167, 298, 352, 321, 41]);
    });

    test("has cohorts of 948, 421, 380, … customers, who paid 8,300,065.81 pounds net of refunds", async () => {
      const { cohorts, currency } = await daybook.ltvCohorts({ project: "default", level: "identity" });
      expect(currency).toBe("GBP");
      expect(cohorts.map(({ entities }) => entities)).toEqual([948, 421, 380, 440, 299, 279, 235, 191, 167, 298, 352, 321, 41].reverse());
      expect(cohorts.map(({ cohort }) => cohort)).toEqual(["2011-12", "2011-11", "2011-10", "2011-09", "2011-08", "2011-07", "2011-06", "2011-05", "2011-04", "2011-03", "2011-02", "2011-01", "2010-12"]);
      expect(sumOf(cohorts)).toBe("8300065.81");
      const { rows } = await daybook.revenueByAttribution({ project: "default", startDate: "2010-01-01" });
      expect(rows.map(({ dimension, revenue }) => [dimension, revenue])).toEqual([["(direct)", 9_747_747.93]]);
    });
  });
}
