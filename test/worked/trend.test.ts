import type { InsightField, Trend, TrendAnswers, TrendInput, TrendMeasure } from "daybook";
import { expect } from "vitest";
import { example, refusalText } from "./example.js";

const USERS: TrendMeasure = { type: "unique_users" };
const SESSIONS: TrendMeasure = { type: "sessions" };
const REVENUE: TrendMeasure = { type: "revenue" };

/** The name of each bucket and its figure in the only series. */
const byBucket = ({ buckets, series }: TrendAnswers) => buckets.map(({ local }, at) => `${local}: ${series[0]?.data[at]}`);

/** The values and total of each series. */
const totals = ({ series }: TrendAnswers) => series.map(({ values, total }) => `${values.join(", ")}: ${total}`);

/** The values of each series and its figure per bucket. */
const lines = ({ series }: TrendAnswers) => series.map(({ values, data }) => `${values.join(", ")}: ${data.map(String).join(" ")}`);

/** The total of the only series. */
const total = ({ series }: TrendAnswers) => series[0]?.total;

/** The total of the only series and the number of items counted. */
const totalAndCounted = ({ series }: TrendAnswers) => [series[0]?.total, series[0]?.counted];

/** A filter group with one filter. */
const where = (fieldName: InsightField, operator: string, value?: unknown) => [{ filters: [{ fieldName, operator, value }] }];

example(
  "Events are counted per day, and a day without events in between has 0.",
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
  "Without dates and matching events, there are no buckets but still one series.",
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
  "The buckets cover the whole range, including days without events.",
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
  "Without fill, a bucket is kept if any series counts something in it; events the measure ignores do not count.",
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
  "Dates cover whole days, from the first to the last millisecond.",
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
  "Start and end times are inclusive, and days they cut are partial.",
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
  "Days follow the time zone: 23:30 UTC is the next day in Berlin.",
  `
  03-02 23:30 ann visit
  `,
  async (daybook) => [byBucket(await daybook.trend({})), byBucket(await daybook.trend({ timeZone: "Europe/Berlin" }))],
  [["2026-03-02: 1"], ["2026-03-03: 1"]],
);

example(
  "The dates of the range are days in the time zone.",
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
  "A date in a filter is a UTC day, regardless of the time zone.",
  `
  03-02 23:59 ann visit
  03-03 00:00 ann visit
  `,
  async (daybook) => byBucket(await daybook.trend({ filterGroups: where("created_at", ">=", "2026-03-03"), timeZone: "Europe/Berlin" })),
  ["2026-03-03: 1"],
);

example(
  "A day has 23 hours when daylight saving time begins and 25 when it ends.",
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
  "The hour that occurs twice is two buckets, distinguished by their offsets.",
  `
  2025-11-02 05:30 ann visit
  2025-11-02 06:30 ann visit
  2025-11-02 06:40 ann visit
  `,
  async (daybook) => byBucket(await daybook.trend({ interval: "hour", timeZone: "America/New_York" })),
  ["2025-11-02T01:00-04:00: 1", "2025-11-02T01:00-05:00: 2"],
);

example(
  "The hour skipped by the clock has no bucket.",
  `
  03-08 06:30 ann visit
  03-08 07:30 ann visit
  `,
  async (daybook) => byBucket(await daybook.trend({ interval: "hour", timeZone: "America/New_York" })),
  ["2026-03-08T01:00-05:00: 1", "2026-03-08T03:00-04:00: 1"],
);

example(
  "If the clock skips midnight, the day begins at 1:00.",
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
  "On Lord Howe Island, the hour extended by 30 minutes is one bucket.",
  `
  2025-04-05 14:10 ann visit
  2025-04-05 15:20 ann visit
  2025-04-05 15:30 ann visit
  `,
  async (daybook) => byBucket(await daybook.trend({ interval: "hour", timeZone: "Australia/Lord_Howe" })),
  ["2025-04-06T01:00+11:00: 2", "2025-04-06T02:00+10:30: 1"],
);

example(
  "A day skipped by the time zone has no bucket: in Samoa, December 31, 2011 followed December 29.",
  `
  2011-12-30 09:59 ann visit
  2011-12-30 10:00 ann visit
  `,
  async (daybook) => byBucket(await daybook.trend({ timeZone: "Pacific/Apia" })),
  ["2011-12-29: 1", "2011-12-31: 1"],
);

example(
  "In a time zone with a half-hour offset, hours begin at half past the hour UTC.",
  `
  03-02 09:29 ann visit
  03-02 09:30 ann visit
  `,
  async (daybook) => byBucket(await daybook.trend({ interval: "hour", timeZone: "Asia/Kolkata" })),
  ["2026-03-02T14:00+05:30: 1", "2026-03-02T15:00+05:30: 1"],
);

example(
  "A minute includes its last millisecond.",
  `
  03-02 09:00:00.000 ann visit
  03-02 09:00:59.999 ann visit
  03-02 09:02:00.000 ann visit
  `,
  async (daybook) => byBucket(await daybook.trend({ interval: "minute" })),
  ["2026-03-02T09:00+00:00: 2", "2026-03-02T09:01+00:00: 0", "2026-03-02T09:02+00:00: 1"],
);

example(
  "Months, quarters and years follow the calendar.",
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
  "A week cut by the range keeps its name, begins with the range and is partial.",
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
  "The interval total has one bucket for the whole range, which is open without dates.",
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
  "Unique users count once per bucket and once in the total.",
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
  "A visitor linked to a user is the same person from the start, and another visitor is a separate person.",
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
  "An event without an identity counts as an event but not as a unique user.",
  `
  03-02 09:00 ann visit
  03-02 10:00 ann visit
  03-02 11:00 -   visit
  `,
  async (daybook) => [totalAndCounted(await daybook.trend({})), totalAndCounted(await daybook.trend({ measure: USERS }))],
  [
    [3, 3],
    [1, 2],
  ],
);

example(
  "An event sent twice with the same id counts once.",
  `
  03-02 09:00 ann buy id=order-1
  03-02 09:00 ann buy id=order-1
  `,
  async (daybook) => byBucket(await daybook.trend({})),
  ["2026-03-02: 1"],
);

example(
  "Cumulative event counts increase per bucket up to the total.",
  `
  03-02 09:00 ann visit
  03-02 10:00 ann visit
  03-04 09:00 ann visit
  `,
  async (daybook) => byBucket(await daybook.trend({ cumulative: true })),
  ["2026-03-02: 2", "2026-03-03: 2", "2026-03-04: 3"],
);

example(
  "Cumulative unique users are the distinct people so far, not a sum of daily counts.",
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
  "A cumulative average covers all numbers up to the end of the bucket.",
  `
  03-02 09:00 ann visit seconds=10
  03-03 09:00 ann visit seconds=20
  03-05 09:00 ann visit seconds=60
  `,
  async (daybook) => byBucket(await daybook.trend({ measure: { type: "avg", field: "seconds" }, cumulative: true })),
  ["2026-03-02: 10", "2026-03-03: 15", "2026-03-04: 15", "2026-03-05: 30"],
);

example(
  "Unique values are distinct texts: array elements count separately, 3 equals the text 3, and unset values are ignored.",
  `
  03-02 09:00 ann visit tag=a
  03-02 09:01 ann visit tag=["a","b"]
  03-02 09:02 ann visit tag=3
  03-02 09:03 ann visit tag="3"
  03-02 09:04 ann visit tag=null
  03-02 09:05 ann visit tag=[]
  03-02 09:06 ann visit
  `,
  async (daybook) => totalAndCounted(await daybook.trend({ measure: { type: "unique_values", field: "tag" } })),
  [3, 4],
);

example(
  "A sum adds numbers and numeric texts, and ignores other texts, booleans and arrays.",
  `
  03-02 09:00 ann visit seconds=10
  03-02 09:01 ann visit seconds="2.5"
  03-02 09:02 ann visit seconds=many
  03-02 09:03 ann visit seconds=true
  03-02 09:04 ann visit seconds=[5]
  03-02 09:05 ann visit
  `,
  async (daybook) => totalAndCounted(await daybook.trend({ measure: { type: "sum", field: "seconds" } })),
  [12.5, 2],
);

example(
  "Sums are exact decimals: 0.1 and 0.2 give 0.3.",
  `
  03-02 09:00 ann visit price=0.1
  03-02 09:01 ann visit price=0.2
  `,
  async (daybook) => total(await daybook.trend({ measure: { type: "sum", field: "price" } })),
  0.3,
);

example(
  "Percentiles are interpolated: for 10, 20, 30, 40 and 50, the 90th is 46.",
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
  "Without numbers, the sum is 0, and the average, extremes and percentiles are null.",
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
  "Without dates, the buckets run from the first to the last event that the measure counts.",
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
  "A measure can read a number in a nested object.",
  `
  03-02 09:00 ann buy cart={"items":2}
  03-02 09:01 bob buy cart={"items":3}
  `,
  async (daybook) => total(await daybook.trend({ measure: { type: "sum", field: "metadata.cart.items" } })),
  5,
);

example(
  "A session counts in the bucket it starts in, and ends after more than 30 minutes without events.",
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
  "A filter selects sessions with a matching event, even if that event is after the range.",
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
  "A breakdown uses the first event of a session, even if that event does not match the filter.",
  `
  03-02 09:00 ann /        country=DE
  03-02 09:10 ann /pricing country=FR
  `,
  async (daybook) =>
    lines(await daybook.trend({ measure: SESSIONS, filterGroups: where("path", "=", "/pricing"), breakdown: { fields: ["country"] } })),
  ["DE: 1"],
);

example(
  "A refund reduces the revenue of the day of the refund, regardless of the sign of its value.",
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
  "Amounts are converted into the reporting currency, and amounts without a rate are left out and listed separately.",
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
  "A payment with the order key of an earlier payment does not count, even if the earlier one is outside the range.",
  `
  03-02 09:00 ann Payment value=10 order=A1
  03-03 09:00 ann Payment value=10 order=A1
  03-03 10:00 ann Payment value=7  order=A2
  `,
  async (daybook) => [
    byBucket(await daybook.trend({ measure: REVENUE })),
    totalAndCounted(await daybook.trend({ measure: REVENUE, startDate: "2026-03-03", endDate: "2026-03-03" })),
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
  async (daybook) => totalAndCounted(await daybook.trend({ measure: REVENUE })),
  [20, 2],
);

example(
  "Revenue is an event's value, its metadata revenue or a payment's amount; numbers in quotes are ignored.",
  `
  03-02 09:00 ann donate  value=5
  03-02 09:01 ann donate  revenue=20
  03-02 09:02 ann Payment amount=300
  03-02 09:03 ann donate  amount=4000
  03-02 09:04 ann Payment amount="50000"
  `,
  async (daybook) => totalAndCounted(await daybook.trend({ measure: REVENUE })),
  [325, 3],
);

example(
  "Each revenue figure is rounded separately, half to even, from the exact amounts.",
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
  "A breakdown has a series per value, sorted by total, then by value.",
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
  "A series with a null total comes last.",
  `
  03-02 09:00 ann  visit plan=a
  03-02 10:00 bob  visit plan=b seconds=-5
  03-02 11:00 cleo visit plan=c seconds=7
  `,
  async (daybook) => totals(await daybook.trend({ measure: { type: "avg", field: "seconds" }, breakdown: { fields: ["plan"] } })),
  ["c: 7", "b: -5", "a: null"],
);

example(
  "The limit keeps the largest series, and the rest covers all others, counting each person once.",
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
  "An event counts once for each distinct element of an array, and once in the rest if any element is not shown.",
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
  "A breakdown by two fields has a series per combination.",
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
  "A breakdown by a person's trait uses its current value, including for earlier events.",
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
  "A company's trait applies to the company's events and to those of its members.",
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
  "Revenue can be broken down by the payer's first or last touch.",
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
  "Every value of a matching event has a series, even if the measure counts nothing in it.",
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
  "With compare, a trend of two days also has the two days before.",
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

/** The first and last millisecond of the previous period. */
const previousBounds = ({ previous }: Trend) => [previous?.buckets.at(0)?.start, previous?.buckets.at(-1)?.end];

example(
  "The previous period of February is January with the interval month, and 28 days with the interval day.",
  `
  02-10 09:00 ann visit
  `,
  async (daybook) => {
    const by = (interval: "month" | "day") => daybook.trend({ startDate: "2026-02-01", endDate: "2026-02-28", interval, compare: "previous_period" });
    return [previousBounds(await by("month")), previousBounds(await by("day"))];
  },
  [
    ["2026-01-01T00:00:00.000Z", "2026-01-31T23:59:59.999Z"],
    ["2026-01-04T00:00:00.000Z", "2026-01-31T23:59:59.999Z"],
  ],
);

example(
  "A range that cuts weeks is compared with the same number of days, and a range of hours with the same number of milliseconds.",
  `
  03-10 09:00 ann visit
  `,
  async (daybook) => {
    const before = (startDate: string, endDate: string) => daybook.trend({ startDate, endDate, interval: "week", compare: "previous_period" });
    return [
      previousBounds(await before("2026-03-09", "2026-03-15")),
      previousBounds(await before("2026-03-10", "2026-03-12")),
      previousBounds(await before("2026-03-10T09:00:00.000Z", "2026-03-10T10:59:59.999Z")),
    ];
  },
  [
    ["2026-03-02T00:00:00.000Z", "2026-03-08T23:59:59.999Z"],
    ["2026-03-07T00:00:00.000Z", "2026-03-09T23:59:59.999Z"],
    ["2026-03-10T07:00:00.000Z", "2026-03-10T08:59:59.999Z"],
  ],
);

example(
  "The previous period of a day is a whole day in the time zone, even if it has 23 hours.",
  `
  03-09 09:00 ann visit
  `,
  async (daybook) =>
    previousBounds(
      await daybook.trend({ startDate: "2026-03-09", endDate: "2026-03-09", timeZone: "America/New_York", compare: "previous_period" }),
    ),
  ["2026-03-08T05:00:00.000Z", "2026-03-09T03:59:59.999Z"],
);

example(
  "The previous year has the same dates, and February 29 becomes February 28.",
  `
  2025-03-02 09:00 ann visit
  2026-03-02 09:00 ann visit
  2026-03-02 10:00 bob visit
  `,
  async (daybook) => {
    const on = (day: string) => daybook.trend({ startDate: day, endDate: day, compare: "previous_year" });
    const { previous } = await on("2026-03-02");
    return [previous === null ? null : byBucket(previous), previousBounds(await on("2024-02-29"))];
  },
  [["2025-03-02: 1"], ["2023-02-28T00:00:00.000Z", "2023-02-28T23:59:59.999Z"]],
);

example(
  "The previous year of whole months has the same whole months: for February 2025, all of February 2024.",
  `
  2024-02-28 09:00 ann visit
  2024-02-29 09:00 ann visit
  `,
  async (daybook) => previousBounds(await daybook.trend({ startDate: "2025-02-01", endDate: "2025-02-28", compare: "previous_year" })),
  ["2024-02-01T00:00:00.000Z", "2024-02-29T23:59:59.999Z"],
);

example(
  "The previous period has the same values as the current one, with 0 for values it lacks.",
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
  "The project, event name and filters must all match.",
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
  "All filters of a group and at least one group must match, and != matches unset values.",
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
  "A segment selects people by their events of all time, and its complement selects all other events.",
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
  "With asOf, the answer returns the sequence of the newest event or record, and a query can use an earlier sequence.",
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
  "Numeric measures require a field, counts accept none, and an unknown type is refused.",
  "",
  async (daybook) => {
    const measured = (measure: object) => refusalText(daybook.trend({ measure } as TrendInput));
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
    const by = (fields: InsightField[], limit = 25) => refusalText(daybook.trend({ breakdown: { fields, limit } }));
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
  "A touch has only a source, a medium and a campaign, and a trait requires a key.",
  "",
  async (daybook) => {
    const by = (field: InsightField) => refusalText(daybook.trend({ breakdown: { fields: [field] } }));
    return [await by("first_touch.color"), await by("person.")];
  },
  ["invalid_parameter breakdown.fields[0]", "invalid_parameter breakdown.fields[0]"],
);

example(
  "A comparison needs both dates.",
  "",
  async (daybook) => [
    await refusalText(daybook.trend({ compare: "previous_period" })),
    await refusalText(daybook.trend({ compare: "previous_year", startDate: "2026-03-02" })),
  ],
  ["invalid_parameter compare", "invalid_parameter compare"],
);

example(
  "A trend has at most 10,000 buckets, so a week of minutes is refused.",
  "",
  async (daybook) => [
    await refusalText(daybook.trend({ interval: "minute", startDate: "2026-03-02", endDate: "2026-03-07" })),
    await refusalText(daybook.trend({ interval: "minute", startDate: "2026-03-02", endDate: "2026-03-08" })),
  ],
  ["no error", "invalid_parameter interval"],
);

example(
  "A range that is empty in its time zone is refused: December 30, 2011 did not exist in Samoa.",
  "",
  (daybook) => refusalText(daybook.trend({ startDate: "2011-12-30", endDate: "2011-12-30", timeZone: "Pacific/Apia" })),
  expect.stringMatching(/^invalid_date_range /),
);
