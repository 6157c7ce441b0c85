import type { Stickiness, StickinessBucket, StickinessInput } from "daybook";
import { expect } from "vitest";
import { example, refusalText } from "./example.js";

/** The number of people per number of active units. */
const spread = (bucket: StickinessBucket | undefined) => bucket?.units.map(({ units, entities }) => `${entities} on ${units}`).join(", ");

/** The name of each bucket and the number of people per number of active units. */
const byBucket = ({ buckets }: Stickiness) => buckets.map((bucket) => `${bucket.local}: ${spread(bucket)}`);

/** The number of people per number of active units in the only bucket. */
const overall = ({ buckets }: Stickiness) => spread(buckets[0]);

example(
  "Stickiness counts people by their number of active days.",
  `
  03-02 09:00 ann visit
  03-02 10:00 bob visit
  03-03 09:00 ann visit
  03-04 09:00 ann visit
  `,
  async (daybook) => overall(await daybook.stickiness({})),
  "1 on 1, 1 on 3",
);

example(
  "The answer has the number of people, their average, and the people per exact and per minimum number of days.",
  `
  03-02 09:00 ann  visit
  03-03 09:00 ann  visit
  03-04 09:00 ann  visit
  03-02 10:00 bob  visit
  03-02 11:00 cleo visit
  03-05 11:00 cleo visit
  `,
  (daybook) => daybook.stickiness({ startDate: "2026-03-02", endDate: "2026-03-05" }),
  {
    definition: expect.any(String),
    asOf: null,
    buckets: [
      {
        start: "2026-03-02T00:00:00.000Z",
        end: "2026-03-05T23:59:59.999Z",
        local: null,
        partial: false,
        entities: 3,
        avg: 2,
        units: [
          { units: 1, entities: 1, atLeast: 3 },
          { units: 2, entities: 1, atLeast: 2 },
          { units: 3, entities: 1, atLeast: 1 },
        ],
      },
    ],
  },
);

example(
  "Without activity, there is no average and no distribution of days.",
  `
  03-02 09:00 ann visit
  `,
  (daybook) => daybook.stickiness({ eventName: "buy", startDate: "2026-03-02", endDate: "2026-03-03" }),
  {
    definition: expect.any(String),
    asOf: null,
    buckets: [
      {
        start: "2026-03-02T00:00:00.000Z",
        end: "2026-03-03T23:59:59.999Z",
        local: null,
        partial: false,
        entities: 0,
        avg: null,
        units: [],
      },
    ],
  },
);

example(
  "Without dates, the single bucket is open on both sides and partial, because it is not over yet.",
  `
  03-02 09:00 ann visit
  `,
  (daybook) => daybook.stickiness({}),
  {
    definition: expect.any(String),
    asOf: null,
    buckets: [
      { start: null, end: null, local: null, partial: true, entities: 1, avg: 1, units: [{ units: 1, entities: 1, atLeast: 1 }] },
    ],
  },
);

example(
  "Numbers of days with no people are left out, and atLeast includes all higher numbers.",
  `
  03-02 09:00 ann visit
  03-03 09:00 ann visit
  03-04 09:00 ann visit
  03-02 10:00 bob visit
  `,
  async (daybook) => (await daybook.stickiness({})).buckets[0]?.units,
  [
    { units: 1, entities: 1, atLeast: 2 },
    { units: 3, entities: 1, atLeast: 1 },
  ],
);

example(
  "Several events on one day count as one day.",
  `
  03-02 09:00 ann visit
  03-02 10:00 ann visit
  03-02 11:00 ann buy
  `,
  async (daybook) => overall(await daybook.stickiness({})),
  "1 on 1",
);

example(
  "The average is the mean number of days per person, without rounding.",
  `
  03-02 09:00 ann  visit
  03-03 09:00 ann  visit
  03-02 10:00 bob  visit
  03-02 11:00 cleo visit
  `,
  async (daybook) => (await daybook.stickiness({})).buckets[0]?.avg,
  1.3333333333333333,
);

example(
  "With an interval, each bucket counts people by their days in that bucket.",
  `
  03-02 09:00 ann visit
  03-03 09:00 ann visit
  03-09 09:00 ann visit
  03-09 10:00 bob visit
  `,
  async (daybook) => byBucket(await daybook.stickiness({ interval: "week" })),
  ["2026-03-02: 1 on 2", "2026-03-09: 2 on 1"],
);

example(
  "A week without activity between active weeks is shown.",
  `
  02-23 09:00 ann visit
  03-09 09:00 ann visit
  `,
  async (daybook) =>
    (await daybook.stickiness({ interval: "week" })).buckets.map(({ local, entities, avg, units }) => ({ local, entities, avg, units })),
  [
    { local: "2026-02-23", entities: 1, avg: 1, units: [{ units: 1, entities: 1, atLeast: 1 }] },
    { local: "2026-03-02", entities: 0, avg: null, units: [] },
    { local: "2026-03-09", entities: 1, avg: 1, units: [{ units: 1, entities: 1, atLeast: 1 }] },
  ],
);

example(
  "With an interval but no activity, there are no buckets.",
  `
  03-02 09:00 ann visit
  `,
  async (daybook) => byBucket(await daybook.stickiness({ interval: "week", eventName: "buy" })),
  [],
);

example(
  "Weeks begin on Monday unless another day is given.",
  `
  03-01 09:00 ann visit
  03-02 09:00 ann visit
  `,
  async (daybook) => [
    byBucket(await daybook.stickiness({ interval: "week" })),
    byBucket(await daybook.stickiness({ interval: "week", weekStart: "sunday" })),
  ],
  [["2026-02-23: 1 on 1", "2026-03-02: 1 on 1"], ["2026-03-01: 1 on 2"]],
);

example(
  "If the range cuts a bucket, days outside the range do not count.",
  `
  03-03 09:00 ann visit
  03-04 09:00 ann visit
  03-05 09:00 ann visit
  03-06 09:00 ann visit
  `,
  async (daybook) => {
    const { buckets } = await daybook.stickiness({ interval: "week", startDate: "2026-03-04", endDate: "2026-03-05" });
    return buckets.map(({ start, end, local, partial, units }) => ({ start, end, local, partial, units }));
  },
  [
    {
      start: "2026-03-04T00:00:00.000Z",
      end: "2026-03-05T23:59:59.999Z",
      local: "2026-03-02",
      partial: true,
      units: [{ units: 2, entities: 1, atLeast: 1 }],
    },
  ],
);

example(
  "The unit can be a clock hour.",
  `
  03-02 09:10:00.000 ann visit
  03-02 09:59:59.999 ann visit
  03-02 10:00:00.000 ann visit
  `,
  async (daybook) => overall(await daybook.stickiness({ unit: "hour" })),
  "1 on 2",
);

example(
  "The hour that occurs twice when daylight saving time ends counts as two hours.",
  `
  2025-11-02 05:30 ann visit
  2025-11-02 06:30 ann visit
  `,
  async (daybook) => overall(await daybook.stickiness({ unit: "hour", timeZone: "America/New_York" })),
  "1 on 2",
);

example(
  "The unit can be a week: three days in one week count as one.",
  `
  03-02 09:00 ann visit
  03-05 09:00 ann visit
  03-08 09:00 ann visit
  03-09 09:00 bob visit
  03-16 09:00 bob visit
  `,
  async (daybook) => overall(await daybook.stickiness({ unit: "week" })),
  "1 on 1, 1 on 2",
);

example(
  "A week that spans two months counts in both if there is activity in each part.",
  `
  02-27 09:00 ann visit
  03-01 09:00 ann visit
  02-27 10:00 bob visit
  `,
  async (daybook) => [
    byBucket(await daybook.stickiness({ interval: "month", unit: "week" })),
    overall(await daybook.stickiness({ interval: "total", unit: "week" })),
  ],
  [["2026-02: 2 on 1", "2026-03: 1 on 1"], "2 on 1"],
);

example(
  "Quarters and years can be counted in months.",
  `
  2025-12-31 23:00 ann visit
  2026-01-01 01:00 ann visit
  2026-01-31 09:00 ann visit
  2026-02-01 09:00 ann visit
  `,
  async (daybook) => [
    byBucket(await daybook.stickiness({ interval: "quarter", unit: "month" })),
    byBucket(await daybook.stickiness({ interval: "year", unit: "month" })),
  ],
  [
    ["2025-Q4: 1 on 1", "2026-Q1: 1 on 2"],
    ["2025: 1 on 1", "2026: 1 on 2"],
  ],
);

example(
  "Days follow the time zone: in Berlin, a new day begins between 22:30 and 23:30 UTC.",
  `
  03-02 22:30 ann visit
  03-02 23:30 ann visit
  `,
  async (daybook) => [overall(await daybook.stickiness({})), overall(await daybook.stickiness({ timeZone: "Europe/Berlin" }))],
  ["1 on 1", "1 on 2"],
);

example(
  "The day on which clocks go forward is one day of 23 hours.",
  `
  03-08 05:00 ann visit
  03-09 03:59 ann visit
  03-09 04:00 ann visit
  `,
  async (daybook) => overall(await daybook.stickiness({ timeZone: "America/New_York" })),
  "1 on 2",
);

example(
  "The current month is partial, because it is not over.",
  `
  02-10 09:00 ann visit
  03-02 09:00 ann visit
  `,
  async (daybook) => (await daybook.stickiness({ interval: "month" })).buckets.map(({ local, partial }) => [local, partial]),
  [
    ["2026-02", false],
    ["2026-03", true],
  ],
);

example(
  "Only days with matching events count, as selected by filter and project.",
  `
  03-02 09:00 ann visit plan=pro  project=site
  03-03 09:00 ann visit plan=free project=site
  03-04 09:00 ann visit plan=pro  project=shop
  03-05 09:00 ann visit
  `,
  async (daybook) => {
    const filterGroups = [{ filters: [{ fieldName: "plan", operator: "=", value: "pro" }] }];
    return [
      overall(await daybook.stickiness({})),
      overall(await daybook.stickiness({ filterGroups })),
      overall(await daybook.stickiness({ filterGroups, project: "site" })),
    ];
  },
  ["1 on 4", "1 on 2", "1 on 1"],
);

example(
  "A filter on an array matches if any element does, and its complement if none does.",
  `
  03-02 09:00 ann read topics=["news","sport"]
  03-03 09:00 ann read topics=["news"]
  03-04 09:00 ann read topics=["sport"]
  03-05 09:00 ann read
  03-06 09:00 ann read topics=["art"]
  `,
  async (daybook) => {
    const reading = (operator: string) => daybook.stickiness({ filterGroups: [{ filters: [{ fieldName: "topics", operator, value: "news" }] }] });
    return [overall(await reading("=")), overall(await reading("!="))];
  },
  ["1 on 2", "1 on 3"],
);

example(
  "A visitor's days count for the user who is linked later.",
  `
  03-02 09:00 ~phone    visit
  03-04 09:00 ann~phone login
  03-04 09:00 ~tablet   visit
  `,
  async (daybook) => overall(await daybook.stickiness({})),
  "1 on 1, 1 on 2",
);

example(
  "Two users who are merged later share their days, and each day counts once.",
  `
  03-02 09:00 ann  visit
  03-02 10:00 anna visit
  03-03 09:00 anna visit
  03-10 09:00 ann  alias:anna
  `,
  async (daybook) => overall(await daybook.stickiness({})),
  "1 on 2",
);

example(
  "Events without an identity do not count.",
  `
  03-02 09:00 -   visit
  03-03 09:00 ann visit
  `,
  async (daybook) => overall(await daybook.stickiness({})),
  "1 on 1",
);

example(
  "At level account, the days of all members of a company count together; a person without a company counts separately.",
  `
  03-02 09:00 ann  visit company=acme
  03-03 09:00 bob  visit company=acme
  03-03 10:00 cleo visit
  `,
  async (daybook) => [overall(await daybook.stickiness({})), overall(await daybook.stickiness({ level: "account" }))],
  ["3 on 1", "1 on 1, 1 on 2"],
);

example(
  "A segment restricts the count to the people in it.",
  `
  03-02 09:00 ann visit
  03-03 09:00 ann buy
  03-02 10:00 bob visit
  `,
  async (daybook) =>
    overall(
      await daybook.stickiness({
        filterGroups: [{ filters: [{ fieldName: "identity_id", operator: "in_segment", value: "buyers" }] }],
        segments: { buyers: { groups: [{ conditions: [{ type: "did", eventName: "buy" }] }] } },
      }),
    ),
  "1 on 2",
);

example(
  "With asOf, the answer returns the sequence of the newest event or record, and a query can use an earlier sequence.",
  `
  03-01 09:00 ann identify plan=pro
  03-02 09:00 ann visit
  03-03 09:00 ann visit
  `,
  async (daybook) => {
    const latest = await daybook.stickiness({ asOf: "latest" });
    const early = await daybook.stickiness({ asOf: 0 });
    return [latest.asOf, overall(latest), early.asOf, early.buckets[0]?.entities];
  },
  [3, "1 on 2", 0, 0],
);

example(
  "A unit that is not shorter than the interval is refused.",
  "",
  async (daybook) => [
    await refusalText(daybook.stickiness({ interval: "week", unit: "week" })),
    await refusalText(daybook.stickiness({ interval: "month", unit: "month" })),
    await refusalText(daybook.stickiness({ interval: "week", unit: "month" })),
    await refusalText(daybook.stickiness({ interval: "month", unit: "week" })),
  ],
  ["invalid_parameter unit", "invalid_parameter unit", "invalid_parameter unit", "no error"],
);

example(
  "Unknown members and values are refused.",
  "",
  async (daybook) => [
    await refusalText(daybook.stickiness({ interval: "day" } as unknown as StickinessInput)),
    await refusalText(daybook.stickiness({ unit: "minute" } as unknown as StickinessInput)),
    await refusalText(daybook.stickiness({ level: "session" } as unknown as StickinessInput)),
    await refusalText(daybook.stickiness({ periods: 3 } as unknown as StickinessInput)),
  ],
  ["invalid_parameter interval", "invalid_parameter unit", "invalid_parameter level", "unknown_parameter periods"],
);
