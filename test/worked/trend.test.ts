import type { DaybookError, InsightField, Trend, TrendAnswers, TrendInput, TrendMeasure } from "daybook";
import { expect } from "vitest";
import { example } from "./example.js";

const USERS: TrendMeasure = { type: "unique_users" };
const SESSIONS: TrendMeasure = { type: "sessions" };
const REVENUE: TrendMeasure = { type: "revenue" };

/** Per bucket its name and the figure of the only series. */
const byBucket = ({ buckets, series }: TrendAnswers) => buckets.map(({ local }, at) => `${local}: ${series[0]?.data[at]}`);

/** Per series its values and its total. */
const totals = ({ series }: TrendAnswers) => series.map(({ values, total }) => `${values.join(", ")}: ${total}`);

/** Per series its values and its figures, one a bucket. */
const lines = ({ series }: TrendAnswers) => series.map(({ values, data }) => `${values.join(", ")}: ${data.map(String).join(" ")}`);

/** The total of the only series. */
const total = ({ series }: TrendAnswers) => series[0]?.total;

/** Of the only series: the total, and from how many things it is. */
const counted = ({ series }: TrendAnswers) => [series[0]?.total, series[0]?.counted];

/** A filter of one condition. */
const where = (fieldName: InsightField, operator: string, value?: unknown) => [{ filters: [{ fieldName, operator, value }] }];

/** Code and parameter of the error. */
const refused = (answer: Promise<Trend>) =>
  answer.then(
    () => "no error",
    ({ code, details }: DaybookError) => `${code} ${details.param}`,
  );

example(
  "Events are counted per day; a day between without events has 0.",
  `
  03-02 09:00 ann visit
  03-02 10:00 bob visit
  03-04 09:00 ann visit
  `,
  async (daybook) => byBucket(await daybook.trend({})),
  ["2026-03-02: 2", "2026-03-03: 0", "2026-03-04: 1"],
);

example(
  "A trend without breakdown has one series, with a figure per bucket and a total.",
  `
  03-02 09:00 ann visit
  03-02 10:00 bob visit
  03-03 09:00 -   visit
  `,
  (daybook) => daybook.trend({}),
  {
    definition: expect.any(String),
    asOf: null,
    buckets: [
      { start: "2026-03-02T00:00:00.000Z", end: "2026-03-02T23:59:59.999Z", local: "2026-03-02", partial: false },
      { start: "2026-03-03T00:00:00.000Z", end: "2026-03-03T23:59:59.999Z", local: "2026-03-03", partial: false },
    ],
    series: [{ values: [], counted: 3, total: 3, data: [2, 1] }],
    rest: null,
    valueCount: 0,
    unconverted: [],
    previous: null,
    currency: null,
  },
);

example(
  "Of nothing and without dates there is no bucket, but still the one series.",
  `
  03-02 09:00 ann visit
  `,
  (daybook) => daybook.trend({ eventName: "signup" }),
  {
    definition: expect.any(String),
    asOf: null,
    buckets: [],
    series: [{ values: [], counted: 0, total: 0, data: [] }],
    rest: null,
    valueCount: 0,
    unconverted: [],
    previous: null,
    currency: null,
  },
);

example(
  "The buckets fill the range from date to date, also where nothing happened.",
  `
  03-03 09:00 ann visit
  `,
  async (daybook) => byBucket(await daybook.trend({ startDate: "2026-03-02", endDate: "2026-03-04" })),
  ["2026-03-02: 0", "2026-03-03: 1", "2026-03-04: 0"],
);

example(
  "Without fill, empty buckets are left out.",
  `
  03-02 09:00 ann visit
  03-04 09:00 ann visit
  `,
  async (daybook) => byBucket(await daybook.trend({ startDate: "2026-03-01", endDate: "2026-03-05", fill: false })),
  ["2026-03-02: 1", "2026-03-04: 1"],
);

example(
  "Without fill, a bucket stays if anything counts in any series, but not for events that the measure does not count.",
  `
  03-02 09:00 ann visit plan=a seconds=5
  03-03 09:00 ann visit plan=a
  03-04 09:00 bob visit plan=b seconds=7
  `,
  async (daybook) => {
    const trend = await daybook.trend({ measure: { type: "sum", field: "seconds" }, breakdown: { fields: ["plan"] }, fill: false });
    return [trend.buckets.map(({ local }) => local), lines(trend)];
  },
  [
    ["2026-03-02", "2026-03-04"],
    ["b: 0 7", "a: 5 0"],
  ],
);

example(
  "Dates cover whole days: from their first millisecond through their last.",
  `
  03-01 23:59:59.999 ann visit
  03-02 00:00:00.000 ann visit
  03-03 23:59:59.999 ann visit
  03-04 00:00:00.000 ann visit
  `,
  async (daybook) => byBucket(await daybook.trend({ startDate: "2026-03-02", endDate: "2026-03-03" })),
  ["2026-03-02: 1", "2026-03-03: 1"],
);

example(
  "Instants are inclusive on both sides, and the days that they cut are partial.",
  `
  03-02 08:59:59.999 ann visit
  03-02 09:00:00.000 ann visit
  03-03 10:00:00.000 ann visit
  03-03 10:00:00.001 ann visit
  `,
  async (daybook) => {
    const { buckets, series } = await daybook.trend({ startDate: "2026-03-02T09:00:00Z", endDate: "2026-03-03T11:00:00+01:00" });
    return [buckets, series[0]?.data];
  },
  [
    [
      { start: "2026-03-02T09:00:00.000Z", end: "2026-03-02T23:59:59.999Z", local: "2026-03-02", partial: true },
      { start: "2026-03-03T00:00:00.000Z", end: "2026-03-03T10:00:00.000Z", local: "2026-03-03", partial: true },
    ],
    [1, 1],
  ],
);

example(
  "The current day is partial, because it is not over.",
  `
  03-19 09:00 ann visit
  03-20 09:00 ann visit
  `,
  async (daybook) => (await daybook.trend({})).buckets.map(({ local, partial }) => [local, partial]),
  [
    ["2026-03-19", false],
    ["2026-03-20", true],
  ],
);

example(
  "Days are those of the time zone: 23:30 in London is the next day in Berlin.",
  `
  03-02 23:30 ann visit
  `,
  async (daybook) => [byBucket(await daybook.trend({})), byBucket(await daybook.trend({ timeZone: "Europe/Berlin" }))],
  [["2026-03-02: 1"], ["2026-03-03: 1"]],
);

example(
  "A date of the range is a day of the time zone.",
  `
  03-02 22:59:59.999 ann visit
  03-02 23:00:00.000 ann visit
  03-03 22:59:59.999 ann visit
  03-03 23:00:00.000 ann visit
  `,
  async (daybook) => {
    const { buckets, series } = await daybook.trend({ startDate: "2026-03-03", endDate: "2026-03-03", timeZone: "Europe/Berlin" });
    return [buckets, series[0]?.data];
  },
  [[{ start: "2026-03-02T23:00:00.000Z", end: "2026-03-03T22:59:59.999Z", local: "2026-03-03", partial: false }], [2]],
);

example(
  "A date in a filter remains a day of UTC, whatever the time zone.",
  `
  03-02 23:59 ann visit
  03-03 00:00 ann visit
  `,
  async (daybook) => byBucket(await daybook.trend({ filterGroups: where("created_at", ">=", "2026-03-03"), timeZone: "Europe/Berlin" })),
  ["2026-03-03: 1"],
);

example(
  "The day on which clocks go forward has 23 hours, the one on which they go back 25.",
  `
  2026-03-08 05:00 ann visit
  2025-11-02 04:00 ann visit
  `,
  async (daybook) => {
    const on = (day: string) => daybook.trend({ startDate: day, endDate: day, timeZone: "America/New_York" });
    return [(await on("2026-03-08")).buckets[0], (await on("2025-11-02")).buckets[0]];
  },
  [
    { start: "2026-03-08T05:00:00.000Z", end: "2026-03-09T03:59:59.999Z", local: "2026-03-08", partial: false },
    { start: "2025-11-02T04:00:00.000Z", end: "2025-11-03T04:59:59.999Z", local: "2025-11-02", partial: false },
  ],
);

example(
  "The hour that comes twice is two buckets, told apart by their offsets.",
  `
  2025-11-02 05:30 ann visit
  2025-11-02 06:30 ann visit
  2025-11-02 06:40 ann visit
  `,
  async (daybook) => byBucket(await daybook.trend({ interval: "hour", timeZone: "America/New_York" })),
  ["2025-11-02T01:00-04:00: 1", "2025-11-02T01:00-05:00: 2"],
);

example(
  "The hour that clocks skip has no bucket.",
  `
  03-08 06:30 ann visit
  03-08 07:30 ann visit
  `,
  async (daybook) => byBucket(await daybook.trend({ interval: "hour", timeZone: "America/New_York" })),
  ["2026-03-08T01:00-05:00: 1", "2026-03-08T03:00-04:00: 1"],
);

example(
  "Where midnight is skipped, the day begins at one o'clock.",
  `
  03-08 04:50 ann visit
  03-08 05:10 ann visit
  `,
  async (daybook) => [
    byBucket(await daybook.trend({ interval: "hour", timeZone: "America/Havana" })),
    byBucket(await daybook.trend({ interval: "day", timeZone: "America/Havana" })),
  ],
  [
    ["2026-03-07T23:00-05:00: 1", "2026-03-08T01:00-04:00: 1"],
    ["2026-03-07: 1", "2026-03-08: 1"],
  ],
);

example(
  "The hour that Lord Howe Island prolongs by half an hour is one bucket.",
  `
  2025-04-05 14:10 ann visit
  2025-04-05 15:20 ann visit
  2025-04-05 15:30 ann visit
  `,
  async (daybook) => byBucket(await daybook.trend({ interval: "hour", timeZone: "Australia/Lord_Howe" })),
  ["2025-04-06T01:00+11:00: 2", "2025-04-06T02:00+10:30: 1"],
);

example(
  "A day that a zone skipped does not exist: in Samoa Thursday, 29 December 2011 was followed by Saturday.",
  `
  2011-12-30 09:59 ann visit
  2011-12-30 10:00 ann visit
  `,
  async (daybook) => byBucket(await daybook.trend({ timeZone: "Pacific/Apia" })),
  ["2011-12-29: 1", "2011-12-31: 1"],
);

example(
  "In a zone with a half-hour offset, hours begin at half past of UTC.",
  `
  03-02 09:29 ann visit
  03-02 09:30 ann visit
  `,
  async (daybook) => byBucket(await daybook.trend({ interval: "hour", timeZone: "Asia/Kolkata" })),
  ["2026-03-02T14:00+05:30: 1", "2026-03-02T15:00+05:30: 1"],
);

example(
  "A minute ends with its last millisecond.",
  `
  03-02 09:00:00.000 ann visit
  03-02 09:00:59.999 ann visit
  03-02 09:02:00.000 ann visit
  `,
  async (daybook) => byBucket(await daybook.trend({ interval: "minute" })),
  ["2026-03-02T09:00+00:00: 2", "2026-03-02T09:01+00:00: 0", "2026-03-02T09:02+00:00: 1"],
);

example(
  "Months, quarters and years are those of the calendar.",
  `
  2025-12-31 23:59 ann visit
  2026-01-01 00:00 ann visit
  2026-03-02 09:00 ann visit
  `,
  async (daybook) => [
    byBucket(await daybook.trend({ interval: "month" })),
    byBucket(await daybook.trend({ interval: "quarter" })),
    byBucket(await daybook.trend({ interval: "year" })),
  ],
  [
    ["2025-12: 1", "2026-01: 1", "2026-02: 0", "2026-03: 1"],
    ["2025-Q4: 1", "2026-Q1: 2"],
    ["2025: 1", "2026: 2"],
  ],
);

example(
  "A week is named by its first day, which is Monday unless another one is given.",
  `
  03-01 09:00 ann visit
  03-02 09:00 ann visit
  `,
  async (daybook) => [
    byBucket(await daybook.trend({ interval: "week" })),
    byBucket(await daybook.trend({ interval: "week", weekStart: "sunday" })),
  ],
  [["2026-02-23: 1", "2026-03-02: 1"], ["2026-03-01: 2"]],
);

example(
  "A week that the range cuts keeps its name, begins with the range, and is partial.",
  `
  03-03 09:00 ann visit
  03-04 09:00 ann visit
  `,
  async (daybook) => {
    const { buckets, series } = await daybook.trend({ interval: "week", startDate: "2026-03-04", endDate: "2026-03-08" });
    return [buckets, series[0]?.data];
  },
  [[{ start: "2026-03-04T00:00:00.000Z", end: "2026-03-08T23:59:59.999Z", local: "2026-03-02", partial: true }], [1]],
);

example(
  "The interval total is one bucket: the range, open where no date is given.",
  `
  03-02 09:00 ann visit
  03-04 09:00 ann visit
  `,
  async (daybook) => [
    (await daybook.trend({ interval: "total" })).buckets,
    (await daybook.trend({ interval: "total", startDate: "2026-03-01", endDate: "2026-03-04" })).buckets,
  ],
  [
    [{ start: null, end: null, local: null, partial: true }],
    [{ start: "2026-03-01T00:00:00.000Z", end: "2026-03-04T23:59:59.999Z", local: null, partial: false }],
  ],
);

example(
  "Unique users are counted per bucket and, in the total, once over the range.",
  `
  03-02 09:00 ann visit
  03-02 10:00 ann visit
  03-02 11:00 bob visit
  03-03 09:00 ann visit
  `,
  async (daybook) => lines(await daybook.trend({ measure: USERS })).concat(totals(await daybook.trend({ measure: USERS }))),
  [": 2 1", ": 2"],
);

example(
  "A visitor who is linked to a user is the same person from the start; another visitor counts as one.",
  `
  03-02 09:00 ~phone    visit
  03-03 09:00 ann~phone login
  03-03 09:00 ~tablet   visit
  `,
  async (daybook) => {
    const trend = await daybook.trend({ measure: USERS });
    return [byBucket(trend), total(trend)];
  },
  [["2026-03-02: 1", "2026-03-03: 2"], 2],
);

example(
  "Two users who are merged later are one person in every bucket.",
  `
  03-02 09:00 ann  visit
  03-02 10:00 anna visit
  03-10 09:00 ann  alias:anna
  `,
  async (daybook) => byBucket(await daybook.trend({ measure: USERS })),
  ["2026-03-02: 1"],
);

example(
  "An event of nobody counts as an event, but not for unique users.",
  `
  03-02 09:00 ann visit
  03-02 10:00 ann visit
  03-02 11:00 -   visit
  `,
  async (daybook) => [counted(await daybook.trend({})), counted(await daybook.trend({ measure: USERS }))],
  [
    [3, 3],
    [1, 2],
  ],
);

example(
  "An event that is sent again under its id counts once.",
  `
  03-02 09:00 ann buy id=order-1
  03-02 09:00 ann buy id=order-1
  `,
  async (daybook) => byBucket(await daybook.trend({})),
  ["2026-03-02: 1"],
);

example(
  "Cumulative events grow from bucket to bucket up to the total.",
  `
  03-02 09:00 ann visit
  03-02 10:00 ann visit
  03-04 09:00 ann visit
  `,
  async (daybook) => byBucket(await daybook.trend({ cumulative: true })),
  ["2026-03-02: 2", "2026-03-03: 2", "2026-03-04: 3"],
);

example(
  "Cumulative unique users are the people so far, not a sum of daily people.",
  `
  03-02 09:00 ann visit
  03-03 09:00 ann visit
  03-03 10:00 bob visit
  03-04 09:00 bob visit
  `,
  async (daybook) => [byBucket(await daybook.trend({ measure: USERS })), byBucket(await daybook.trend({ measure: USERS, cumulative: true }))],
  [
    ["2026-03-02: 1", "2026-03-03: 2", "2026-03-04: 1"],
    ["2026-03-02: 1", "2026-03-03: 2", "2026-03-04: 2"],
  ],
);

example(
  "A cumulative average is that of all numbers up to the end of the bucket.",
  `
  03-02 09:00 ann visit seconds=10
  03-03 09:00 ann visit seconds=20
  03-05 09:00 ann visit seconds=60
  `,
  async (daybook) => byBucket(await daybook.trend({ measure: { type: "avg", field: "seconds" }, cumulative: true })),
  ["2026-03-02: 10", "2026-03-03: 15", "2026-03-04: 15", "2026-03-05: 30"],
);

example(
  "Unique values are distinct texts: elements of arrays count, the number 3 equals the text 3, and what is not set does not count.",
  `
  03-02 09:00 ann visit tag=a
  03-02 09:01 ann visit tag=["a","b"]
  03-02 09:02 ann visit tag=3
  03-02 09:03 ann visit tag="3"
  03-02 09:04 ann visit tag=null
  03-02 09:05 ann visit tag=[]
  03-02 09:06 ann visit
  `,
  async (daybook) => counted(await daybook.trend({ measure: { type: "unique_values", field: "tag" } })),
  [3, 4],
);

example(
  "A sum adds numbers and texts in the form of numbers; other texts, booleans and arrays have none.",
  `
  03-02 09:00 ann visit seconds=10
  03-02 09:01 ann visit seconds="2.5"
  03-02 09:02 ann visit seconds=many
  03-02 09:03 ann visit seconds=true
  03-02 09:04 ann visit seconds=[5]
  03-02 09:05 ann visit
  `,
  async (daybook) => counted(await daybook.trend({ measure: { type: "sum", field: "seconds" } })),
  [12.5, 2],
);

example(
  "Sums are those of the decimals as they are written: 0.1 and 0.2 are 0.3.",
  `
  03-02 09:00 ann visit price=0.1
  03-02 09:01 ann visit price=0.2
  `,
  async (daybook) => total(await daybook.trend({ measure: { type: "sum", field: "price" } })),
  0.3,
);

example(
  "Percentiles lie between neighbours: the 90th of 10, 20, 30, 40 and 50 is 46.",
  `
  03-02 09:00 ann visit seconds=50
  03-02 09:01 ann visit seconds=10
  03-02 09:02 ann visit seconds=30
  03-02 09:03 ann visit seconds=20
  03-02 09:04 ann visit seconds=40
  `,
  async (daybook) => {
    const of = async (type: "avg" | "min" | "p25" | "median" | "p75" | "p90" | "p95" | "p99" | "max") =>
      total(await daybook.trend({ measure: { type, field: "seconds" } }));
    return {
      avg: await of("avg"),
      min: await of("min"),
      p25: await of("p25"),
      median: await of("median"),
      p75: await of("p75"),
      p90: await of("p90"),
      p95: await of("p95"),
      p99: await of("p99"),
      max: await of("max"),
    };
  },
  { avg: 30, min: 10, p25: 20, median: 30, p75: 40, p90: 46, p95: 48, p99: 49.6, max: 50 },
);

example(
  "Of no numbers the sum is 0; average, extremes and percentiles are null.",
  `
  03-02 09:00 ann visit seconds=5
  03-03 09:00 ann visit
  `,
  async (daybook) => {
    const of = async (type: "sum" | "avg" | "min" | "median") =>
      byBucket(await daybook.trend({ measure: { type, field: "seconds" }, startDate: "2026-03-02", endDate: "2026-03-03" }));
    return { sum: await of("sum"), avg: await of("avg"), min: await of("min"), median: await of("median") };
  },
  {
    sum: ["2026-03-02: 5", "2026-03-03: 0"],
    avg: ["2026-03-02: 5", "2026-03-03: null"],
    min: ["2026-03-02: 5", "2026-03-03: null"],
    median: ["2026-03-02: 5", "2026-03-03: null"],
  },
);

example(
  "Without dates the buckets reach from the first thing that counts to the last one: events without a number add none.",
  `
  03-01 09:00 ann visit
  03-02 09:00 ann visit seconds=5
  03-04 09:00 ann visit seconds=7
  03-05 09:00 ann visit
  `,
  async (daybook) => byBucket(await daybook.trend({ measure: { type: "sum", field: "seconds" } })),
  ["2026-03-02: 5", "2026-03-03: 0", "2026-03-04: 7"],
);

example(
  "A measure may read a number inside an object.",
  `
  03-02 09:00 ann buy cart={"items":2}
  03-02 09:01 bob buy cart={"items":3}
  `,
  async (daybook) => total(await daybook.trend({ measure: { type: "sum", field: "metadata.cart.items" } })),
  5,
);

example(
  "A session counts in the bucket of its start, and ends after more than 30 minutes without events.",
  `
  03-02 23:50:00.000 ann visit
  03-03 00:20:00.000 ann visit
  03-03 00:50:00.001 ann visit
  `,
  async (daybook) => [byBucket(await daybook.trend({})), byBucket(await daybook.trend({ measure: SESSIONS }))],
  [
    ["2026-03-02: 1", "2026-03-03: 2"],
    ["2026-03-02: 1", "2026-03-03: 1"],
  ],
);

example(
  "A filter selects the sessions with a matching event, even if that lies after the range.",
  `
  03-02 23:50 ann /
  03-03 00:10 ann /pricing
  03-02 12:00 bob /
  `,
  async (daybook) => {
    const onPricing = { filterGroups: where("path", "=", "/pricing"), startDate: "2026-03-02", endDate: "2026-03-02" };
    return [total(await daybook.trend({ ...onPricing, measure: SESSIONS })), total(await daybook.trend(onPricing))];
  },
  [1, 0],
);

example(
  "A session stands under the value of its first event, whether or not that matches.",
  `
  03-02 09:00 ann /        country=DE
  03-02 09:10 ann /pricing country=FR
  `,
  async (daybook) =>
    lines(await daybook.trend({ measure: SESSIONS, filterGroups: where("path", "=", "/pricing"), breakdown: { fields: ["country"] } })),
  ["DE: 1"],
);

example(
  "A refund lowers the revenue of the day of the refund, whatever its sign.",
  `
  03-02 09:00 ann Payment value=100 order=A1
  03-03 09:00 bob Payment value=40  order=A2
  03-04 09:00 ann Refund  value=30  order=A1
  03-04 10:00 bob Refund  value=-5  order=A2
  `,
  async (daybook) => {
    const trend = await daybook.trend({ measure: REVENUE });
    return [byBucket(trend), total(trend)];
  },
  [["2026-03-02: 100", "2026-03-03: 40", "2026-03-04: -35"], 105],
);

example(
  "Amounts are converted into the reporting currency; those without a rate are left out and listed.",
  `
  03-02 09:00 ann Payment value=10 currency=EUR
  03-02 10:00 bob Payment value=5  currency=USD
  03-02 11:00 bob Payment value=1
  03-02 12:00 bob Payment value=7  currency=GBP
  `,
  (daybook) => daybook.trend({ measure: REVENUE }),
  {
    definition: expect.any(String),
    asOf: null,
    buckets: [{ start: "2026-03-02T00:00:00.000Z", end: "2026-03-02T23:59:59.999Z", local: "2026-03-02", partial: false }],
    series: [{ values: [], counted: 3, total: 26, data: [26] }],
    rest: null,
    valueCount: 0,
    unconverted: [{ currency: "GBP", revenue: 7, orders: 1 }],
    previous: null,
    currency: "USD",
  },
  { rates: (from) => (from === "EUR" ? 2 : undefined) },
);

example(
  "Each amount is converted at the rate of its own day in UTC.",
  `
  03-02 23:59 ann Payment value=10 currency=USD
  03-03 00:00 ann Payment value=10 currency=USD
  `,
  async (daybook) => {
    const trend = await daybook.trend({ measure: REVENUE });
    return [byBucket(trend), trend.currency];
  },
  [["2026-03-02: 20", "2026-03-03: 30"], "EUR"],
  { currency: "EUR", rates: (_from, _to, day) => (day === "2026-03-02" ? 2 : 3) },
);

example(
  "A payment with the order key of an earlier one does not count, even if the earlier one lies outside the range.",
  `
  03-02 09:00 ann Payment value=10 order=A1
  03-03 09:00 ann Payment value=10 order=A1
  03-03 10:00 ann Payment value=7  order=A2
  `,
  async (daybook) => [
    byBucket(await daybook.trend({ measure: REVENUE })),
    counted(await daybook.trend({ measure: REVENUE, startDate: "2026-03-03", endDate: "2026-03-03" })),
  ],
  [
    ["2026-03-02: 10", "2026-03-03: 7"],
    [7, 1],
  ],
);

example(
  "Order keys are per project: the same key in two projects is two orders.",
  `
  03-02 09:00 ann Payment value=10 order=A1 project=shop
  03-02 10:00 ann Payment value=10 order=A1 project=club
  `,
  async (daybook) => counted(await daybook.trend({ measure: REVENUE })),
  [20, 2],
);

example(
  "Revenue is the value of any event, the revenue in its metadata, or the amount of a payment; quoted numbers are none.",
  `
  03-02 09:00 ann donate  value=5
  03-02 09:01 ann donate  revenue=20
  03-02 09:02 ann Payment amount=300
  03-02 09:03 ann donate  amount=4000
  03-02 09:04 ann Payment amount="50000"
  `,
  async (daybook) => counted(await daybook.trend({ measure: REVENUE })),
  [325, 3],
);

example(
  "Each figure of revenue is rounded by itself, half to even, from the exact amounts.",
  `
  03-02 09:00 ann Payment value=0.125
  03-03 09:00 ann Payment value=0.375
  03-04 09:00 ann Payment value=0.125
  `,
  async (daybook) => {
    const trend = await daybook.trend({ measure: REVENUE });
    return [byBucket(trend), total(trend)];
  },
  [["2026-03-02: 0.12", "2026-03-03: 0.38", "2026-03-04: 0.12"], 0.62],
);

example(
  "A breakdown has a series per value, the largest total first, then in the order of values.",
  `
  03-02 09:00 ann visit country=FR
  03-02 10:00 bob visit country=AT
  03-02 11:00 bob visit
  03-03 09:00 ann visit country=DE
  03-03 10:00 ann visit country=DE
  `,
  (daybook) => daybook.trend({ breakdown: { fields: ["country"] } }),
  {
    definition: expect.any(String),
    asOf: null,
    buckets: [
      { start: "2026-03-02T00:00:00.000Z", end: "2026-03-02T23:59:59.999Z", local: "2026-03-02", partial: false },
      { start: "2026-03-03T00:00:00.000Z", end: "2026-03-03T23:59:59.999Z", local: "2026-03-03", partial: false },
    ],
    series: [
      { values: ["DE"], counted: 2, total: 2, data: [0, 2] },
      { values: [""], counted: 1, total: 1, data: [1, 0] },
      { values: ["AT"], counted: 1, total: 1, data: [1, 0] },
      { values: ["FR"], counted: 1, total: 1, data: [1, 0] },
    ],
    rest: null,
    valueCount: 4,
    unconverted: [],
    previous: null,
    currency: null,
  },
);

example(
  "A series without a figure comes last.",
  `
  03-02 09:00 ann  visit plan=a
  03-02 10:00 bob  visit plan=b seconds=-5
  03-02 11:00 cleo visit plan=c seconds=7
  `,
  async (daybook) => totals(await daybook.trend({ measure: { type: "avg", field: "seconds" }, breakdown: { fields: ["plan"] } })),
  ["c: 7", "b: -5", "a: null"],
);

example(
  "The limit keeps the largest series; the rest is measured over all others, each person once.",
  `
  03-02 09:00 ann  visit country=DE
  03-02 10:00 bob  visit country=DE
  03-02 11:00 cleo visit country=FR
  03-03 11:00 cleo visit country=IT
  `,
  async (daybook) => {
    const trend = await daybook.trend({ measure: USERS, breakdown: { fields: ["country"], limit: 1, rest: true } });
    return { series: lines(trend), rest: trend.rest, valueCount: trend.valueCount };
  },
  { series: ["DE: 2 0"], rest: { values: [], counted: 2, total: 1, data: [1, 1] }, valueCount: 3 },
);

example(
  "An event stands under each element of an array, and in the rest once if any of its elements is not shown.",
  `
  03-02 09:00 ann visit tags=["a"]
  03-02 10:00 bob visit tags=["a","b","c"]
  03-02 11:00 bob visit tags=["a","a"]
  `,
  async (daybook) => {
    const all = await daybook.trend({ breakdown: { fields: ["tags"] } });
    const first = await daybook.trend({ breakdown: { fields: ["tags"], limit: 1, rest: true } });
    return [totals(all), totals(first), first.rest?.total];
  },
  [["a: 3", "b: 1", "c: 1"], ["a: 3"], 1],
);

example(
  "Two fields make a series per combination.",
  `
  03-02 09:00 ann  visit country=DE device=phone
  03-02 09:01 ann  visit country=DE device=phone
  03-02 10:00 bob  visit country=DE device=desktop
  03-02 11:00 cleo visit country=AT device=phone
  `,
  async (daybook) => totals(await daybook.trend({ breakdown: { fields: ["device", "country"] } })),
  ["phone, DE: 2", "desktop, DE: 1", "phone, AT: 1"],
);

example(
  "A trait of a person is taken as it is known now, also for events before it was known.",
  `
  03-02 09:00 ann visit
  03-03 09:00 ann identify email=Ann@Acme.example plan=free
  03-04 09:00 ann identify plan=pro
  03-02 10:00 bob visit
  `,
  async (daybook) => totals(await daybook.trend({ breakdown: { fields: ["person.plan", "person.email"] } })),
  [", : 1", "pro, ann@acme.example: 1"],
);

example(
  "A trait of a company holds for the events of the company, its members' too.",
  `
  03-01 09:00 ann group:acme tier=gold
  03-02 09:00 ann visit
  03-02 10:00 bob visit company=acme
  03-02 11:00 cleo visit
  `,
  async (daybook) => totals(await daybook.trend({ breakdown: { fields: ["company.tier"] } })),
  ["gold: 2", ": 1"],
);

example(
  "Revenue by first and by last touch shows what brought the payer.",
  `
  03-01 09:00 ann /?utm_source=mail
  03-02 09:00 ann /?utm_source=news
  03-03 09:00 ann Payment value=10
  03-03 10:00 bob Payment value=5
  `,
  async (daybook) => {
    const by = (field: InsightField) => daybook.trend({ eventName: "Payment", measure: REVENUE, breakdown: { fields: [field] } });
    return [totals(await by("first_touch.source")), totals(await by("last_touch.source"))];
  },
  [
    ["mail: 10", "(direct): 5"],
    ["news: 10", "(direct): 5"],
  ],
);

example(
  "Every value of a matching event has a series, also where nothing counts for the measure.",
  `
  03-02 09:00 ann visit   country=DE
  03-02 09:10 bob Payment country=FR value=5
  `,
  async (daybook) => {
    const trend = await daybook.trend({ measure: REVENUE, breakdown: { fields: ["country"] } });
    return [totals(trend), trend.valueCount];
  },
  [["FR: 5", "DE: 0"], 2],
);

example(
  "Compared with the previous period, a trend of two days also has the two days before.",
  `
  03-02 09:00 ann  visit
  03-04 09:00 ann  visit
  03-04 10:00 bob  visit
  03-05 09:00 cleo visit
  `,
  (daybook) => daybook.trend({ startDate: "2026-03-04", endDate: "2026-03-05", compare: "previous_period" }),
  {
    definition: expect.any(String),
    asOf: null,
    buckets: [
      { start: "2026-03-04T00:00:00.000Z", end: "2026-03-04T23:59:59.999Z", local: "2026-03-04", partial: false },
      { start: "2026-03-05T00:00:00.000Z", end: "2026-03-05T23:59:59.999Z", local: "2026-03-05", partial: false },
    ],
    series: [{ values: [], counted: 3, total: 3, data: [2, 1] }],
    rest: null,
    valueCount: 0,
    unconverted: [],
    previous: {
      buckets: [
        { start: "2026-03-02T00:00:00.000Z", end: "2026-03-02T23:59:59.999Z", local: "2026-03-02", partial: false },
        { start: "2026-03-03T00:00:00.000Z", end: "2026-03-03T23:59:59.999Z", local: "2026-03-03", partial: false },
      ],
      series: [{ values: [], counted: 1, total: 1, data: [1, 0] }],
      rest: null,
      valueCount: 0,
      unconverted: [],
    },
    currency: null,
  },
);

/** First and last millisecond of the period before. */
const previousSides = ({ previous }: Trend) => [previous?.buckets.at(0)?.start, previous?.buckets.at(-1)?.end];

example(
  "The period before February is January for months, and 28 days for days.",
  `
  02-10 09:00 ann visit
  `,
  async (daybook) => {
    const by = (interval: "month" | "day") => daybook.trend({ startDate: "2026-02-01", endDate: "2026-02-28", interval, compare: "previous_period" });
    return [previousSides(await by("month")), previousSides(await by("day"))];
  },
  [
    ["2026-01-01T00:00:00.000Z", "2026-01-31T23:59:59.999Z"],
    ["2026-01-04T00:00:00.000Z", "2026-01-31T23:59:59.999Z"],
  ],
);

example(
  "A range that cuts weeks is compared with as many days, one of hours with as many milliseconds.",
  `
  03-10 09:00 ann visit
  `,
  async (daybook) => {
    const before = (startDate: string, endDate: string) => daybook.trend({ startDate, endDate, interval: "week", compare: "previous_period" });
    return [
      previousSides(await before("2026-03-09", "2026-03-15")),
      previousSides(await before("2026-03-10", "2026-03-12")),
      previousSides(await before("2026-03-10T09:00:00.000Z", "2026-03-10T10:59:59.999Z")),
    ];
  },
  [
    ["2026-03-02T00:00:00.000Z", "2026-03-08T23:59:59.999Z"],
    ["2026-03-07T00:00:00.000Z", "2026-03-09T23:59:59.999Z"],
    ["2026-03-10T07:00:00.000Z", "2026-03-10T08:59:59.999Z"],
  ],
);

example(
  "The day before a day is a whole day of the zone, even if that has 23 hours.",
  `
  03-09 09:00 ann visit
  `,
  async (daybook) =>
    previousSides(
      await daybook.trend({ startDate: "2026-03-09", endDate: "2026-03-09", timeZone: "America/New_York", compare: "previous_period" }),
    ),
  ["2026-03-08T05:00:00.000Z", "2026-03-09T03:59:59.999Z"],
);

example(
  "The previous year has the same dates; 29 February becomes the 28th.",
  `
  2025-03-02 09:00 ann visit
  2026-03-02 09:00 ann visit
  2026-03-02 10:00 bob visit
  `,
  async (daybook) => {
    const on = (day: string) => daybook.trend({ startDate: day, endDate: day, compare: "previous_year" });
    const { previous } = await on("2026-03-02");
    return [previous === null ? null : byBucket(previous), previousSides(await on("2024-02-29"))];
  },
  [["2025-03-02: 1"], ["2023-02-28T00:00:00.000Z", "2023-02-28T23:59:59.999Z"]],
);

example(
  "A year before whole months are the same months: before February 2025, all of February 2024.",
  `
  2024-02-28 09:00 ann visit
  2024-02-29 09:00 ann visit
  `,
  async (daybook) => previousSides(await daybook.trend({ startDate: "2025-02-01", endDate: "2025-02-28", compare: "previous_year" })),
  ["2024-02-01T00:00:00.000Z", "2024-02-29T23:59:59.999Z"],
);

example(
  "The earlier period shows the values that are shown now, with 0 for those it does not have.",
  `
  03-02 09:00 ann visit country=FR
  03-02 10:00 bob visit country=FR
  03-02 11:00 ann visit country=DE
  03-03 09:00 ann visit country=DE
  03-03 10:00 bob visit country=DE
  03-03 11:00 bob visit country=IT
  `,
  async (daybook) => {
    const trend = await daybook.trend({
      startDate: "2026-03-03",
      endDate: "2026-03-03",
      breakdown: { fields: ["country"] },
      compare: "previous_period",
    });
    return [totals(trend), trend.previous === null ? null : totals(trend.previous)];
  },
  [
    ["DE: 2", "IT: 1"],
    ["DE: 1", "IT: 0"],
  ],
);

example(
  "The project, the event's name and the filters select events together.",
  `
  03-02 09:00 ann  visit  project=site country=DE
  03-02 09:01 bob  visit  project=site country=FR
  03-02 09:02 cleo visit  project=shop country=DE
  03-02 09:03 dora signup project=site country=DE
  `,
  async (daybook) => [
    total(await daybook.trend({})),
    total(await daybook.trend({ project: "site" })),
    total(await daybook.trend({ project: "site", eventName: "visit" })),
    total(await daybook.trend({ project: "site", eventName: "visit", filterGroups: where("country", "=", "DE") })),
  ],
  [4, 3, 2, 1],
);

example(
  "Filters of a group are joined by and, groups by or; what is not set differs from every value.",
  `
  03-02 09:00 ann  visit plan=pro  seats=5
  03-02 09:01 bob  visit plan=pro  seats=1
  03-02 09:02 cleo visit plan=free seats=9
  03-02 09:03 dora visit
  `,
  async (daybook) => {
    const bigPro = {
      filters: [
        { fieldName: "plan", operator: "=", value: "pro" },
        { fieldName: "seats", operator: ">", value: 3 },
      ],
    };
    return [
      total(await daybook.trend({ filterGroups: [bigPro] })),
      total(await daybook.trend({ filterGroups: [bigPro, ...where("plan", "=", "free")] })),
      total(await daybook.trend({ filterGroups: where("plan", "!=", "pro") })),
    ];
  },
  [1, 2, 2],
);

example(
  "A segment selects people by what they did at any time, and its complement selects everybody else.",
  `
  02-02 09:00 ann signup
  03-02 09:00 ann visit
  03-02 10:00 bob visit
  03-02 11:00 -   visit
  `,
  async (daybook) => {
    const segments = { members: { groups: [{ conditions: [{ type: "did" as const, eventName: "signup" }] }] } };
    const of = (operator: string) => daybook.trend({ startDate: "2026-03-01", segments, filterGroups: where("identity_id", operator, "members") });
    return [total(await of("in_segment")), total(await of("not_in_segment"))];
  },
  [1, 2],
);

example(
  "With asOf, an answer names the newest event or record it counts, and can be asked again as of an earlier one.",
  `
  03-01 09:00 ann identify plan=pro
  03-02 09:00 ann visit
  03-02 10:00 bob visit
  `,
  async (daybook) => {
    const latest = await daybook.trend({ asOf: "latest" });
    const early = await daybook.trend({ asOf: 0 });
    return [latest.asOf, total(latest), early.asOf, total(early)];
  },
  [3, 2, 0, 0],
);

example(
  "Numeric measures need a field, counts take none, and the type is one of the named ones.",
  "",
  async (daybook) => {
    const measured = (measure: object) => refused(daybook.trend({ measure } as TrendInput));
    return [
      await measured({ type: "sum" }),
      await measured({ type: "events", field: "seconds" }),
      await measured({ type: "mode", field: "seconds" }),
    ];
  },
  ["invalid_parameter measure.field", "unknown_parameter measure.field", "invalid_parameter measure.type"],
);

example(
  "A breakdown has one or two different fields and a limit of 1 to 1,000.",
  "",
  async (daybook) => {
    const by = (fields: InsightField[], limit = 25) => refused(daybook.trend({ breakdown: { fields, limit } }));
    return [await by([]), await by(["os", "device", "browser"]), await by(["os", "os"]), await by(["os"], 0), await by(["os"], 1001)];
  },
  [
    "invalid_parameter breakdown.fields",
    "invalid_parameter breakdown.fields",
    expect.stringMatching(/^invalid_parameter breakdown\.fields/),
    "invalid_parameter breakdown.limit",
    "invalid_parameter breakdown.limit",
  ],
);

example(
  "A touch has a source, a medium and a campaign and nothing else, and a trait needs a key.",
  "",
  async (daybook) => {
    const by = (field: InsightField) => refused(daybook.trend({ breakdown: { fields: [field] } }));
    return [await by("first_touch.color"), await by("person.")];
  },
  ["invalid_parameter breakdown.fields[0]", "invalid_parameter breakdown.fields[0]"],
);

example(
  "A comparison needs both dates.",
  "",
  async (daybook) => [
    await refused(daybook.trend({ compare: "previous_period" })),
    await refused(daybook.trend({ compare: "previous_year", startDate: "2026-03-02" })),
  ],
  ["invalid_parameter compare", "invalid_parameter compare"],
);

example(
  "A trend has at most 10,000 buckets: a week of minutes is too long.",
  "",
  async (daybook) => [
    await refused(daybook.trend({ interval: "minute", startDate: "2026-03-02", endDate: "2026-03-07" })),
    await refused(daybook.trend({ interval: "minute", startDate: "2026-03-02", endDate: "2026-03-08" })),
  ],
  ["no error", "invalid_parameter interval"],
);

example(
  "A range that is empty in its zone is refused: Samoa had no 30 December 2011.",
  "",
  (daybook) => refused(daybook.trend({ startDate: "2011-12-30", endDate: "2011-12-30", timeZone: "Pacific/Apia" })),
  expect.stringMatching(/^invalid_date_range /),
);
