import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { createGunzip } from "node:zlib";
import { memoryStorage, openDaybook, type Daybook, type EventInput } from "daybook";
import { afterAll, describe, expect, test } from "vitest";
import type { FunnelInput } from "../../src/query/plan/input.js";
import { ONLINE_RETAIL_RETURNS } from "./online-retail-returns.js";
import { closeAll, filled } from "./published.js";

afterAll(closeAll);

describe("the CDNOW sample", () => {
  test("has customers who bought on so many days as lifetimes counts them", async () => {
    const daybook = await filled("cdnow-sample");
    const [bucket] = (await daybook.stickiness({ endDate: "1997-09-30" })).buckets;
    expect(bucket?.entities).toBe(2_357);
    expect(bucket?.units.slice(0, 7).map(({ units, entities }) => [units, entities])).toEqual([1_411, 439, 214, 100, 62, 38, 29].map((entities, at) => [at + 1, entities]));
    expect(bucket?.units[7]?.atLeast).toBe(64);
  });

  test("has repeat purchases that grow from week to week as BTYD tracks them", async () => {
    const daybook = await filled("cdnow-sample");
    const scope = { startDate: "1997-01-01", endDate: "1998-06-30", weekStart: "wednesday" } as const;
    const buyers = (await daybook.trend({ ...scope, interval: "week", measure: { type: "unique_users" }, cumulative: true })).series[0]?.data ?? [];
    const daysOfWeeks = (await daybook.stickiness({ ...scope, interval: "week" })).buckets.map(({ units }) => units.reduce((sum, row) => sum + row.units * row.entities, 0));
    let days = 0;
    const repeats = daysOfWeeks.map((own, week) => (days += own) - (buyers[week] ?? NaN));
    expect(repeats).toHaveLength(78);
    expect([...repeats.slice(0, 6), ...repeats.slice(-2)]).toEqual([0, 19, 42, 81, 119, 192, 4_311, 4_339]);
  });

  test("has as many lifecycles as customers, and states that follow from each other", async () => {
    const daybook = await filled("cdnow-sample");
    const { buckets } = await daybook.lifecycle({ interval: "month" });
    expect(buckets.reduce((sum, bucket) => sum + bucket.new, 0)).toBe(2_357);
    for (const [at, { returning, dormant }] of buckets.entries()) {
      const before = buckets[at - 1];
      expect(returning + dormant).toBe(before === undefined ? 0 : before.new + before.returning + before.resurrecting);
    }
  });
});

describe("the order lines of a British gift shop", () => {
  test("have the monthly cohorts, and who of them came back, that public notebooks show", async () => {
    await using daybook = await openDaybook({ storage: memoryStorage() });
    const { rejected } = await daybook.ingest(await ordersByDay());
    expect(rejected).toEqual([]);
    await daybook.seal();
    const { cohorts, total } = await daybook.retention({ interval: "month", periods: 12 });
    expect(cohorts.map(({ bucket, size }) => [bucket.local, size])).toEqual(ONLINE_RETAIL_RETURNS.map(([month, [size]]) => [month, size]));
    for (const [at, [month, returns]] of ONLINE_RETAIL_RETURNS.entries()) {
      const shown = cohorts[at]?.periods.map(({ entities }) => entities) ?? [];
      expect([month, shown.slice(0, returns.length), shown.slice(returns.length)]).toEqual([month, returns, Array<number>(13 - returns.length).fill(0)]);
    }
    expect([total[0]?.of, total[0]?.entities]).toEqual([4_372, 4_372]);
    const { rows } = await daybook.retention({ interval: "month", periods: 1, cohort: "recurring", returned: "on_or_after", breakdown: { fields: ["project"] } });
    expect(rows?.[0]?.size).toBe(ONLINE_RETAIL_RETURNS.reduce((sum, [, returns]) => sum + returns.reduce((all, count) => all + count, 0), 0));
  });
});

/** An event for each day on which a customer has order lines: of which there are more does not matter to who came when. */
async function ordersByDay(): Promise<EventInput[]> {
  const file = new URL("../../examples/data/online_retail_uk_2010-12_2011-12.csv.gz", import.meta.url);
  const days = new Set<string>();
  for await (const line of createInterface({ input: createReadStream(file).pipe(createGunzip()) })) {
    const [, date, customer] = /,(\d{4}-\d\d-\d\d) [\d:]+,[^,]*,(\d+)\.0,/.exec(line) ?? [];
    if (date !== undefined && customer !== undefined) days.add(`${date} ${customer}`);
  }
  return Array.from(days, (day) => ({ id: day, name: "order-line", createdAt: `${day.slice(0, 10)}T00:00:00Z`, userId: day.slice(11) }));
}

const startMs = Date.UTC(2026, 2, 1);
const by = (...tests: readonly [operator: string, value: number][]) => tests.map(([operator, value]) => ({ filterGroups: [{ filters: [{ fieldName: "code", operator, value }] }] }));
const named = (letters: string) => [...letters].map((eventName) => ({ eventName }));
const codes = (first: number, last: number, seconds?: readonly number[]) => Array.from({ length: last - first + 1 }, (_, at): EventInput => ({ name: "event", createdAt: startMs + (seconds?.[at] ?? at) * 1_000, metadata: { code: first + at } }));
const letters = (text: string, seconds?: readonly number[]) => [...text].map((name, at): EventInput => ({ name, createdAt: startMs + (seconds?.[at] ?? at) * 1_000 }));

/** How far the one who did these things gets: of the test `00632_aggregation_window_funnel` of ClickHouse, but one event is one step. */
const DEPTHS: readonly (readonly [events: readonly EventInput[], funnel: FunnelInput, depth: number])[] = [
  [codes(1_000, 1_008), { steps: by(["=", 1_000], ["=", 1_001], ["=", 1_002], ["=", 1_008]) }, 4],
  ...([[2, 3], [3, 4], [4, 5]] as const).map(([conversionWindowSec, depth]) => [codes(1_000, 1_008), { steps: by(["=", 1_003], ["=", 1_004], ["=", 1_005], ["=", 1_006], ["=", 1_007]), conversionWindowSec }, depth] as const),
  [codes(1_000, 1_008), { steps: by(["=", 1_008], ["=", 1_001]) }, 1],
  [codes(1_001, 1_008), { steps: by(["<=", 1_007], [">=", 1_002], ["<=", 1_006], [">=", 1_004]), conversionWindowSec: 4 }, 4],
  [codes(1_000, 1_004, [0, 1, 1, 1, 2]), { steps: by(["=", 1_000], ["=", 1_001], ["=", 1_002], ["=", 1_003], ["=", 1_004]) }, 5],
  [codes(1_000, 1_004, [0, 1, 1, 1, 2]), { steps: by(["=", 1_004], ["=", 1_004], ["=", 1_004]) }, 1],
  ...([["abc", 3, 3], ["adbc", 3, 1], ["aabbcc", 3, 2], ["aaaabbcc", 3, 2], ["aabbdcc", 3, 2], ["ccbbaa", 1, 1]] as const).flatMap(([text, depth, strict]) => [
    [letters(text), { steps: named("abc") }, depth] as const,
    [letters(text), { steps: named("abc"), order: "strict" }, strict] as const,
  ]),
  [letters("abcbd"), { steps: named("abcd"), order: "strict" }, 3],
  [letters("acb"), { steps: named("abc"), order: "strict" }, 1],
  [letters("ffs", [180, 220, 250]), { steps: named("ffs"), conversionWindowSec: 200 }, 3],
  [letters("ff", [100, 250]), { steps: named("ffs"), conversionWindowSec: 200 }, 2],
  [letters("sfs", [200, 210, 230]), { steps: named("ffs"), conversionWindowSec: 200 }, 1],
];

test("People get as far through funnels as ClickHouse's windowFunnel says, sealed or not", async () => {
  await using daybook: Daybook = await openDaybook({ storage: memoryStorage() });
  await daybook.ingest(DEPTHS.flatMap(([events], at) => events.map((event) => ({ ...event, userId: "ann", project: `case ${at}` }))));
  for (const seals of [false, true]) {
    if (seals) await daybook.seal();
    const depths: number[] = [];
    for (const [at, [, funnel]] of DEPTHS.entries()) {
      const { steps } = await daybook.funnel({ ...funnel, project: `case ${at}` });
      depths.push(steps.filter(({ entities }) => entities > 0).length);
    }
    expect(depths).toEqual(DEPTHS.map(([, , depth]) => depth));
  }
});
