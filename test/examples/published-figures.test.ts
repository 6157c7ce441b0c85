import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { memoryStorage, openDaybook } from "../../src/index.js";
import type { Daybook } from "../../src/engine/daybook.js";
import { DATA_SETS } from "../../src/cli/demo/data-sets.js";
import { load } from "../../src/cli/load.js";

const open: Daybook[] = [];
afterAll(() => Promise.all(open.map((daybook) => daybook.close())));

/** A Daybook in memory with one of the data sets, every row of which must arrive. */
async function filled(organization: string): Promise<Daybook> {
  const set = DATA_SETS.find((candidate) => candidate.organization === organization);
  if (set === undefined) throw new Error(`no data set ${organization}`);
  const daybook = await openDaybook({ storage: memoryStorage(), currency: set.currency });
  open.push(daybook);
  expect(await load(daybook, set.rows())).toEqual({ accepted: set.eventCount, duplicates: 0, records: 0, rejected: 0, rejections: [] });
  await daybook.seal();
  return daybook;
}

const perDay = (items: readonly { readonly day: string; readonly count: number }[]) =>
  Object.fromEntries(items.map((item) => [item.day.slice(0, 10), item.count]));

/** Sums in cents, exactly: each is a number of two decimals. */
const sumOf = (cohorts: readonly { readonly revenue: number }[]) =>
  (cohorts.reduce((sum, { revenue }) => sum + Math.round(revenue * 100), 0) / 100).toFixed(2);

/** Customer, repeat purchase days, recency and age in weeks. */
async function answerKey(): Promise<number[][]> {
  const file = await readFile(new URL("../../examples/data/cdnow_customers_summary.csv", import.meta.url), "utf8");
  return file.trim().split(/\r?\n/).slice(1).map((line) => line.split(",").map(Number));
}

describe("the access log, as Webalizer 2.23 counts it", () => {
  let daybook: Daybook;
  beforeAll(async () => {
    daybook = await filled("access-log");
  });

  test("has 10,000 hits on four days", async () => {
    expect(await daybook.countEvents({ eventName: "pageview" })).toBe(10_000);
    const expected = { "2015-05-17": 1_632, "2015-05-18": 2_893, "2015-05-19": 2_896, "2015-05-20": 2_579 };
    expect(perDay(await daybook.countEventsPerDay())).toEqual(expected);
  });

  test("has 341, 627, 561 and 505 addresses a day", async () => {
    const expected = { "2015-05-17": 341, "2015-05-18": 627, "2015-05-19": 561, "2015-05-20": 505 };
    expect(perDay(await daybook.countUniqueUsersPerDay())).toEqual(expected);
  });
});

describe("CDNOW, as Fader and Hardie describe it", () => {
  test("has 69,659 purchases of 23,570 customers, 7,846, 8,476 and 7,248 of whom began in each month", async () => {
    const daybook = await filled("cdnow");
    expect(await daybook.countEvents({ eventName: "purchase" })).toBe(69_659);
    expect(await daybook.countUniqueUsers()).toBe(23_570);
    const until = (endDate: string) => daybook.countUniqueUsers({ endDate });
    const [january, february, march] = [await until("1997-01-31"), await until("1997-02-28"), await until("1997-03-31")];
    expect([january, february - january, march - february, await until("1998-06-30")]).toEqual([7_846, 8_476, 7_248, 23_570]);
  });

  test("earned 2,500,315.63 dollars", async () => {
    const daybook = await filled("cdnow");
    let cents = 0;
    for (const { property, count } of await daybook.aggregate({ metadataField: "revenue" })) cents += Math.round(Number(property) * 100) * count;
    expect(cents).toBe(250_031_563);
  });

  test("has cohorts of 7,846, 8,476 and 7,248 customers, who paid 2,500,315.63 dollars", async () => {
    const { cohorts, currency, unconverted } = await (await filled("cdnow")).ltvCohorts({ project: "default", level: "identity" });
    expect({ currency, unconverted }).toEqual({ currency: "USD", unconverted: [] });
    expect(cohorts.map(({ cohort, entities }) => [cohort, entities])).toEqual([["1997-03", 7_248], ["1997-02", 8_476], ["1997-01", 7_846]]);
    expect(sumOf(cohorts)).toBe("2500315.63");
    expect(cohorts.reduce((sum, { orders }) => sum + orders, 0)).toBeLessThanOrEqual(69_659);
  });

  test("gives each customer of the sample the repeat purchases, recency and age of the answer key, from their sessions and profile too", async () => {
    const daybook = await filled("cdnow-sample");
    const window = { startDate: "1970-01-01", endDate: "1997-09-30" };
    for (const [id = 0, frequency, , age = 0] of (await answerKey()).slice(0, 200)) {
      const { activeDays, firstSeen } = await daybook.identityProfile({ userId: String(id), ...window });
      expect([id, activeDays - 1]).toEqual([id, frequency]);
      expect((Date.UTC(1997, 8, 30) - Date.parse(firstSeen ?? "")) / 86_400_000 / 7).toBeCloseTo(age, 1);
    }
  });

  test("gives each customer of the sample the repeat purchases, recency and age of the answer key", async () => {
    const daybook = await filled("cdnow-sample");
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

describe("Online Retail, as its repository describes it", () => {
  let daybook: Daybook;
  beforeAll(async () => {
    daybook = await filled("online-retail");
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
