import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openClickHouse, type ClickHouseDaybook } from "daybook/clickhouse";
import { DATA_SETS } from "../../src/cli/demo/data-sets.js";
import { BATCH_ROWS_OF_SERVER, load } from "../../src/cli/load.js";
import { sumOf } from "../examples/published.js";
import { newDatabase, type Layout } from "./kit.js";

const open: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const close of open.reverse()) await close();
});

async function filled(organization: string, layout: Layout): Promise<ClickHouseDaybook> {
  const set = DATA_SETS.find((candidate) => candidate.organization === organization);
  if (set === undefined) throw new Error(`no data set ${organization}`);
  const { options, drop } = await newDatabase(layout, { currency: set.currency });
  const daybook = await openClickHouse(options);
  open.push(drop, () => daybook.close());
  const outcome = await load(daybook, set.rows(), { rowsAtOnce: BATCH_ROWS_OF_SERVER });
  expect(outcome).toEqual({ accepted: set.eventCount, duplicates: 0, records: 0, rejected: 0, rejections: [] });
  return daybook;
}

const countsOf = (items: readonly { readonly count: number }[]) => items.map(({ count }) => count);

describe("the access log on two shards, as Webalizer 2.23 counts it", () => {
  let daybook: ClickHouseDaybook;
  beforeAll(async () => {
    daybook = await filled("access-log", "two shards");
  });

  test("has 10,000 hits on four days", async () => {
    expect(await daybook.countEvents({ eventName: "pageview" })).toBe(10_000);
    expect(countsOf(await daybook.countEventsPerDay())).toEqual([1_632, 2_893, 2_896, 2_579]);
  });

  test("has 341, 627, 561 and 505 addresses a day", async () => {
    expect(countsOf(await daybook.countUniqueUsersPerDay())).toEqual([341, 627, 561, 505]);
  });
});

describe("CDNOW, as Fader and Hardie describe it", () => {
  let daybook: ClickHouseDaybook;
  beforeAll(async () => {
    daybook = await filled("cdnow", "one server");
  });

  test("has 69,659 purchases of 23,570 customers, 7,846, 8,476 and 7,248 of whom began in each month", async () => {
    expect(await daybook.countEvents({ eventName: "purchase" })).toBe(69_659);
    const until = (endDate: string) => daybook.countUniqueUsers({ endDate });
    const [january, february, march] = [await until("1997-01-31"), await until("1997-02-28"), await until("1997-03-31")];
    expect([january, february - january, march - february, await until("1998-06-30")]).toEqual([7_846, 8_476, 7_248, 23_570]);
  });

  test("has cohorts of 7,846, 8,476 and 7,248 customers, who paid 2,500,315.63 dollars", async () => {
    const { cohorts, currency, unconverted } = await daybook.ltvCohorts({ project: "default", level: "identity" });
    expect({ currency, unconverted }).toEqual({ currency: "USD", unconverted: [] });
    expect(cohorts.map(({ cohort, entities }) => [cohort, entities])).toEqual([["1997-03", 7_248], ["1997-02", 8_476], ["1997-01", 7_846]]);
    expect(sumOf(cohorts)).toBe("2500315.63");
  });
});
