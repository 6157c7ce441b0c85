import type { Retention, RetentionInput, RetentionPeriod } from "daybook";
import { expect } from "vitest";
import { example, refusalText } from "./example.js";

/** The number of entities in each period, starting with period 0. */
const counts = (periods: readonly RetentionPeriod[] | null) => periods?.map(({ entities }) => String(entities)).join(" ");

/** The bucket of each cohort and the number of entities in each period. */
const cohorts = (retention: Retention) => retention.cohorts.map(({ bucket, periods }) => `${bucket.local}: ${counts(periods)}`);

/** The values of each breakdown row and the number of entities in each period, over all cohorts. */
const rows = (retention: Retention) => retention.rows?.map(({ values, total }) => `${values.join(", ")}: ${counts(total)}`);

example(
  "Each period counts the people of the cohort who return in it.",
  `
  03-02 09:00 ann  visit
  03-02 10:00 bob  visit
  03-02 11:00 cleo visit
  03-03 09:00 ann  visit
  03-03 10:00 bob  visit
  03-04 09:00 ann  visit
  `,
  async (daybook) => cohorts(await daybook.retention({ periods: 2 })),
  ["2026-03-02: 3 2 1"],
);

example(
  "Each period has its count, cohort size, rate and whether it is incomplete, and the total sums all cohorts.",
  `
  03-02 09:00 ann  visit
  03-02 10:00 bob  visit
  03-03 09:00 ann  visit
  03-03 10:00 cleo visit
  `,
  (daybook) => daybook.retention({ periods: 1 }),
  {
    definition: expect.any(String),
    asOf: null,
    cohorts: [
      {
        bucket: { start: "2026-03-02T00:00:00.000Z", end: "2026-03-02T23:59:59.999Z", local: "2026-03-02", partial: false },
        size: 2,
        periods: [
          { of: 2, entities: 2, rate: 1, incomplete: false },
          { of: 2, entities: 1, rate: 0.5, incomplete: false },
        ],
      },
      {
        bucket: { start: "2026-03-03T00:00:00.000Z", end: "2026-03-03T23:59:59.999Z", local: "2026-03-03", partial: false },
        size: 1,
        periods: [
          { of: 1, entities: 1, rate: 1, incomplete: false },
          { of: 1, entities: 0, rate: 0, incomplete: false },
        ],
      },
    ],
    total: [
      { of: 3, entities: 3, rate: 1, incomplete: false },
      { of: 3, entities: 1, rate: 0.3333, incomplete: false },
    ],
    rows: null,
    rest: null,
    valueCount: 0,
  },
);

example(
  "Without matching events, there are no cohorts, and the total is 0 of 0.",
  `
  03-02 09:00 ann visit
  `,
  (daybook) => daybook.retention({ eventName: "signup", periods: 1 }),
  {
    definition: expect.any(String),
    asOf: null,
    cohorts: [],
    total: [
      { of: 0, entities: 0, rate: null, incomplete: false },
      { of: 0, entities: 0, rate: null, incomplete: false },
    ],
    rows: null,
    rest: null,
    valueCount: 0,
  },
);

example(
  "A day without new people between other cohorts has an empty cohort with null rates.",
  `
  03-02 09:00 ann visit
  03-04 09:00 bob visit
  `,
  async (daybook) => {
    const retention = await daybook.retention({ periods: 1 });
    return [cohorts(retention), retention.cohorts[1]?.periods];
  },
  [
    ["2026-03-02: 1 0", "2026-03-03: 0 0", "2026-03-04: 1 0"],
    [
      { of: 0, entities: 0, rate: null, incomplete: false },
      { of: 0, entities: 0, rate: null, incomplete: false },
    ],
  ],
);

example(
  "A person belongs to the cohort of the first event of all time, even if it is before the range.",
  `
  02-10 09:00 ann visit
  03-02 09:00 ann visit
  03-02 10:00 bob visit
  03-03 09:00 ann visit
  03-03 10:00 bob visit
  `,
  async (daybook) => cohorts(await daybook.retention({ startDate: "2026-03-02", endDate: "2026-03-02", periods: 1 })),
  ["2026-03-02: 1 1"],
);

example(
  "Recurring cohorts contain everyone active in the bucket, new or not.",
  `
  03-02 09:00 ann visit
  03-02 10:00 bob visit
  03-03 09:00 ann visit
  03-04 09:00 ann visit
  03-04 10:00 bob visit
  `,
  async (daybook) => [
    cohorts(await daybook.retention({ periods: 2 })),
    cohorts(await daybook.retention({ periods: 2, cohort: "recurring" })),
  ],
  [["2026-03-02: 2 1 2"], ["2026-03-02: 2 1 2", "2026-03-03: 1 1 0", "2026-03-04: 2 0 0"]],
);

example(
  "With on, a return counts in its own period; with on_or_after, also in all earlier periods.",
  `
  03-02 09:00 ann visit
  03-02 10:00 bob visit
  03-03 09:00 bob visit
  03-05 09:00 ann visit
  `,
  async (daybook) => [
    cohorts(await daybook.retention({ periods: 3 })),
    cohorts(await daybook.retention({ periods: 3, returned: "on_or_after" })),
  ],
  [["2026-03-02: 2 1 0 1"], ["2026-03-02: 2 2 1 1"]],
);

example(
  "With on_or_after, a return after the last period also counts.",
  `
  03-02 09:00 ann visit
  03-19 09:00 ann visit
  `,
  async (daybook) => cohorts(await daybook.retention({ periods: 1, returned: "on_or_after" })),
  ["2026-03-02: 1 1"],
);

example(
  "A second event on the first day is not a return.",
  `
  03-02 09:00 ann visit
  03-02 18:00 ann visit
  `,
  async (daybook) => cohorts(await daybook.retention({ periods: 1 })),
  ["2026-03-02: 1 0"],
);

example(
  "Cohort and return events can differ, and period 0 contains the whole cohort even without return events.",
  `
  03-02 09:00 ann signup
  03-02 10:00 bob signup
  03-03 09:00 ann buy
  03-03 10:00 bob visit
  `,
  async (daybook) =>
    cohorts(await daybook.retention({ cohortEvent: { eventName: "signup" }, returnEvent: { eventName: "buy" }, periods: 1 })),
  ["2026-03-02: 2 1"],
);

example(
  "A return event before the cohort's bucket does not count.",
  `
  03-02 09:00 ann buy
  03-03 09:00 ann signup
  `,
  async (daybook) =>
    cohorts(
      await daybook.retention({
        cohortEvent: { eventName: "signup" },
        returnEvent: { eventName: "buy" },
        returned: "on_or_after",
        periods: 1,
      }),
    ),
  ["2026-03-03: 1 0"],
);

example(
  "The first matching event defines the cohort: an earlier visitor joins the buyers on the day of the first purchase.",
  `
  03-02 09:00 ann visit
  03-03 09:00 ann buy
  03-04 09:00 ann visit
  `,
  async (daybook) => cohorts(await daybook.retention({ cohortEvent: { eventName: "buy" }, periods: 1 })),
  ["2026-03-03: 1 1"],
);

example(
  "Cohort and return can be defined by filters, and number filters also match numeric text.",
  `
  03-02 09:00 ann  open  seconds=30
  03-02 10:00 bob  open  seconds="40"
  03-02 11:00 cleo open  seconds=5
  03-03 09:00 ann  share to=mail
  03-03 10:00 bob  share to=chat
  `,
  async (daybook) =>
    cohorts(
      await daybook.retention({
        cohortEvent: { filterGroups: [{ filters: [{ fieldName: "seconds", operator: ">=", value: 30 }] }] },
        returnEvent: { filterGroups: [{ filters: [{ fieldName: "to", operator: "=", value: "mail" }] }] },
        periods: 1,
      }),
    ),
  ["2026-03-02: 2 1"],
);

example(
  "The filters of the query apply to both cohort and return.",
  `
  03-02 09:00 ann signup country=DE
  03-02 10:00 bob signup country=DE
  03-03 09:00 ann buy    country=FR
  03-03 10:00 bob buy    country=DE
  `,
  async (daybook) =>
    cohorts(
      await daybook.retention({
        filterGroups: [{ filters: [{ fieldName: "country", operator: "=", value: "DE" }] }],
        cohortEvent: { eventName: "signup" },
        returnEvent: { eventName: "buy" },
        periods: 1,
      }),
    ),
  ["2026-03-02: 2 1"],
);

example(
  "With a project, a person is new on the first event in that project.",
  `
  03-02 09:00 ann visit project=site
  03-03 09:00 ann visit project=shop
  03-04 09:00 ann visit project=shop
  `,
  async (daybook) => [
    cohorts(await daybook.retention({ periods: 2 })),
    cohorts(await daybook.retention({ periods: 2, project: "shop" })),
  ],
  [["2026-03-02: 1 1 1"], ["2026-03-03: 1 1 0"]],
);

example(
  "Periods are calendar days, not 24 hours: an event one millisecond after midnight is on the next day.",
  `
  03-02 23:59:59.999 ann visit
  03-03 00:00:00.000 ann visit
  03-02 00:00:00.000 bob visit
  03-03 23:59:59.999 bob visit
  `,
  async (daybook) => cohorts(await daybook.retention({ periods: 1 })),
  ["2026-03-02: 2 2"],
);

example(
  "Days follow the time zone: in Berlin, a new day begins between 22:30 and 23:30 UTC.",
  `
  03-02 22:30 ann visit
  03-02 23:30 ann visit
  `,
  async (daybook) => [
    cohorts(await daybook.retention({ periods: 1 })),
    cohorts(await daybook.retention({ periods: 1, timeZone: "Europe/Berlin" })),
  ],
  [["2026-03-02: 1 0"], ["2026-03-02: 1 1"]],
);

example(
  "The day on which clocks go forward has 23 hours, and is still one period.",
  `
  03-08 04:30 ann visit
  03-09 03:30 ann visit
  03-08 05:30 bob visit
  03-09 04:30 bob visit
  `,
  async (daybook) => cohorts(await daybook.retention({ periods: 1, timeZone: "America/New_York" })),
  ["2026-03-07: 1 1", "2026-03-08: 1 1"],
);

example(
  "A day skipped by the time zone is not a period: in Samoa, December 31, 2011 followed December 29.",
  `
  2011-12-30 09:59 ann visit
  2011-12-30 10:00 ann visit
  `,
  async (daybook) => cohorts(await daybook.retention({ periods: 1, timeZone: "Pacific/Apia" })),
  ["2011-12-29: 1 1"],
);

example(
  "Weeks begin on Monday unless another day is given, which moves people between cohorts.",
  `
  03-02 09:00 ann visit
  03-08 09:00 ann visit
  03-08 10:00 bob visit
  03-09 10:00 bob visit
  `,
  async (daybook) => [
    cohorts(await daybook.retention({ interval: "week", periods: 1 })),
    cohorts(await daybook.retention({ interval: "week", periods: 1, weekStart: "sunday" })),
  ],
  [["2026-03-02: 2 1"], ["2026-03-01: 1 1", "2026-03-08: 1 0"]],
);

example(
  "Months are calendar months: February 1 is one period after January 31.",
  `
  01-31 23:00 ann visit
  02-01 01:00 ann visit
  `,
  async (daybook) => cohorts(await daybook.retention({ interval: "month", periods: 1 })),
  ["2026-01: 1 1"],
);

example(
  "The range is extended to whole buckets: a Wednesday covers its whole week.",
  `
  03-02 09:00 ann visit
  03-08 09:00 bob visit
  03-09 09:00 cleo visit
  `,
  async (daybook) => {
    const retention = await daybook.retention({ interval: "week", startDate: "2026-03-04", endDate: "2026-03-04", periods: 1 });
    return retention.cohorts.map(({ bucket, size }) => [bucket, size]);
  },
  [[{ start: "2026-03-02T00:00:00.000Z", end: "2026-03-08T23:59:59.999Z", local: "2026-03-02", partial: false }, 2]],
);

example(
  "Cohorts are in the range, but returns after it count.",
  `
  03-02 09:00 ann visit
  03-03 09:00 bob visit
  03-05 09:00 ann visit
  `,
  async (daybook) => cohorts(await daybook.retention({ startDate: "2026-03-02", endDate: "2026-03-02", periods: 3 })),
  ["2026-03-02: 1 0 0 1"],
);

example(
  "A range without new people has empty cohorts.",
  `
  03-05 09:00 ann visit
  `,
  async (daybook) => cohorts(await daybook.retention({ startDate: "2026-03-02", endDate: "2026-03-03", periods: 1 })),
  ["2026-03-02: 0 0", "2026-03-03: 0 0"],
);

example(
  "A period in progress is incomplete, and a future period is null.",
  `
  03-18 09:00 ann visit
  03-20 09:00 ann visit
  `,
  async (daybook) => (await daybook.retention({ periods: 3 })).cohorts[0]?.periods,
  [
    { of: 1, entities: 1, rate: 1, incomplete: false },
    { of: 1, entities: 0, rate: 0, incomplete: false },
    { of: 1, entities: 1, rate: 1, incomplete: true },
    { of: 1, entities: null, rate: null, incomplete: true },
  ],
);

example(
  "The total of a period excludes cohorts for which it is not over, and is then incomplete.",
  `
  03-18 09:00 ann  visit
  03-18 10:00 bob  visit
  03-19 09:00 ann  visit
  03-19 10:00 cleo visit
  03-20 10:00 cleo visit
  `,
  async (daybook) => {
    const retention = await daybook.retention({ periods: 1 });
    return [cohorts(retention), retention.total];
  },
  [
    ["2026-03-18: 2 1", "2026-03-19: 1 1"],
    [
      { of: 3, entities: 3, rate: 1, incomplete: false },
      { of: 2, entities: 1, rate: 0.5, incomplete: true },
    ],
  ],
);

example(
  "The cohort of the current day is incomplete in every period, and no total includes it.",
  `
  03-20 09:00 ann visit
  `,
  async (daybook) => {
    const retention = await daybook.retention({ periods: 1 });
    return [retention.cohorts[0]?.periods, retention.total];
  },
  [
    [
      { of: 1, entities: 1, rate: 1, incomplete: true },
      { of: 1, entities: null, rate: null, incomplete: true },
    ],
    [
      { of: 0, entities: 0, rate: null, incomplete: true },
      { of: 0, entities: 0, rate: null, incomplete: true },
    ],
  ],
);

example(
  "By default, there are 11 periods after period 0.",
  `
  03-02 09:00 ann visit
  03-13 09:00 ann visit
  `,
  async (daybook) => cohorts(await daybook.retention({})),
  ["2026-03-02: 1 0 0 0 0 0 0 0 0 0 0 1"],
);

example(
  "A visitor's earlier events belong to the linked person, so a later link moves the person to an earlier cohort.",
  `
  03-02 09:00 ~phone    visit
  03-04 09:00 ann~phone login
  03-04 09:00 ~tablet   visit
  `,
  async (daybook) => cohorts(await daybook.retention({ periods: 2 })),
  ["2026-03-02: 1 0 1", "2026-03-03: 0 0 0", "2026-03-04: 1 0 0"],
);

example(
  "Two users who are merged later are one returning person.",
  `
  03-02 09:00 ann  visit
  03-03 09:00 anna visit
  03-10 09:00 ann  alias:anna
  `,
  async (daybook) => cohorts(await daybook.retention({ periods: 1 })),
  ["2026-03-02: 1 1"],
);

example(
  "Events without an identity start no cohort.",
  `
  03-02 09:00 - visit
  03-03 09:00 - visit
  03-03 09:05 ann visit
  `,
  async (daybook) => cohorts(await daybook.retention({ periods: 1 })),
  ["2026-03-03: 1 0"],
);

example(
  "At level account, a company returns when any of its members does; a person without a company counts separately.",
  `
  03-02 09:00 ann  visit company=acme
  03-03 09:00 bob  visit company=acme
  03-02 09:00 cleo visit
  `,
  async (daybook) => [
    cohorts(await daybook.retention({ periods: 1 })),
    cohorts(await daybook.retention({ periods: 1, level: "account" })),
  ],
  [["2026-03-02: 2 0", "2026-03-03: 1 0"], ["2026-03-02: 2 1"]],
);

example(
  "A breakdown has a row per value, sorted by size, with totals over all cohorts; the rest covers values above the limit.",
  `
  03-02 09:00 ann  visit country=DE
  03-02 10:00 bob  visit country=DE
  03-02 11:00 cleo visit country=FR
  03-03 09:00 ann  visit country=FR
  03-03 10:00 cleo visit country=FR
  `,
  (daybook) => daybook.retention({ periods: 1, breakdown: { fields: ["country"], limit: 1, rest: true } }),
  {
    definition: expect.any(String),
    asOf: null,
    cohorts: [
      {
        bucket: { start: "2026-03-02T00:00:00.000Z", end: "2026-03-02T23:59:59.999Z", local: "2026-03-02", partial: false },
        size: 3,
        periods: [
          { of: 3, entities: 3, rate: 1, incomplete: false },
          { of: 3, entities: 2, rate: 0.6667, incomplete: false },
        ],
      },
    ],
    total: [
      { of: 3, entities: 3, rate: 1, incomplete: false },
      { of: 3, entities: 2, rate: 0.6667, incomplete: false },
    ],
    rows: [
      {
        values: ["DE"],
        size: 2,
        total: [
          { of: 2, entities: 2, rate: 1, incomplete: false },
          { of: 2, entities: 1, rate: 0.5, incomplete: false },
        ],
      },
    ],
    rest: [
      { of: 1, entities: 1, rate: 1, incomplete: false },
      { of: 1, entities: 1, rate: 1, incomplete: false },
    ],
    valueCount: 2,
  },
);

example(
  "A member's row comes from the first cohort event in the bucket, so a recurring member can be in several rows.",
  `
  03-02 09:00 ann visit device=phone
  03-02 10:00 ann visit device=tablet
  03-03 09:00 ann visit device=desktop
  `,
  async (daybook) => rows(await daybook.retention({ periods: 1, cohort: "recurring", breakdown: { fields: ["device"] } })),
  ["desktop: 1 0", "phone: 1 1"],
);

example(
  "Rows of equal size are sorted by value, and a missing value is the empty string.",
  `
  03-02 09:00 ann  visit plan=pro
  03-02 10:00 bob  visit plan=free
  03-02 11:00 cleo visit
  03-02 12:00 dora visit plan=free
  03-02 13:00 emil visit plan=Pro
  `,
  async (daybook) => rows(await daybook.retention({ periods: 1, breakdown: { fields: ["plan"] } })),
  ["free: 2 0", ": 1 0", "Pro: 1 0", "pro: 1 0"],
);

example(
  "A member counts once for each element of an array, and once in the rest.",
  `
  03-02 09:00 ann visit tags=["a","b","c"]
  03-02 10:00 bob visit tags=["a"]
  03-03 09:00 ann visit
  `,
  async (daybook) => {
    const all = await daybook.retention({ periods: 1, breakdown: { fields: ["tags"] } });
    const first = await daybook.retention({ periods: 1, breakdown: { fields: ["tags"], limit: 1, rest: true } });
    return [rows(all), rows(first), counts(first.rest)];
  },
  [["a: 2 1", "b: 1 1", "c: 1 1"], ["a: 2 1"], "1 1"],
);

example(
  "A breakdown by two fields has a row per combination, and traits have their current value.",
  `
  03-02 09:00 ann  visit device=phone
  03-02 10:00 bob  visit device=phone
  03-02 11:00 cleo visit device=desktop
  03-03 09:00 ann  visit
  03-05 09:00 ann  identify plan=pro
  `,
  async (daybook) => rows(await daybook.retention({ periods: 1, breakdown: { fields: ["device", "person.plan"] } })),
  ["desktop, : 1 0", "phone, : 1 0", "phone, pro: 1 1"],
);

example(
  "A segment restricts the retention to the people it selects.",
  `
  03-02 09:00 ann visit
  03-02 10:00 bob visit
  03-03 09:00 ann buy
  03-03 10:00 bob visit
  `,
  async (daybook) =>
    cohorts(
      await daybook.retention({
        periods: 1,
        filterGroups: [{ filters: [{ fieldName: "identity_id", operator: "not_in_segment", value: "buyers" }] }],
        segments: { buyers: { groups: [{ conditions: [{ type: "did", eventName: "buy" }] }] } },
      }),
    ),
  ["2026-03-02: 1 1"],
);

example(
  "With asOf, the answer returns the sequence of the newest event or record, and a query can use an earlier sequence.",
  `
  03-01 09:00 ann identify plan=pro
  03-02 09:00 ann visit
  03-03 09:00 ann visit
  `,
  async (daybook) => {
    const latest = await daybook.retention({ periods: 1, asOf: "latest" });
    const early = await daybook.retention({ periods: 1, asOf: 0 });
    return [latest.asOf, cohorts(latest), early.asOf, cohorts(early)];
  },
  [3, ["2026-03-02: 1 1"], 0, []],
);

example(
  "Invalid parameter values and unknown members are refused.",
  "",
  async (daybook) => [
    await refusalText(daybook.retention({ periods: 0 })),
    await refusalText(daybook.retention({ periods: 367 })),
    await refusalText(daybook.retention({ interval: "hour" } as unknown as RetentionInput)),
    await refusalText(daybook.retention({ cohort: "weekly" } as unknown as RetentionInput)),
    await refusalText(daybook.retention({ returned: "after" } as unknown as RetentionInput)),
    await refusalText(daybook.retention({ level: "session" } as unknown as RetentionInput)),
    await refusalText(daybook.retention({ breakdown: { fields: ["os"], at: "last" } } as unknown as RetentionInput)),
    await refusalText(daybook.retention({ userId: "ann" } as unknown as RetentionInput)),
  ],
  [
    "invalid_parameter periods",
    "invalid_parameter periods",
    "invalid_parameter interval",
    "invalid_parameter cohort",
    "invalid_parameter returned",
    "invalid_parameter level",
    "unknown_parameter breakdown.at",
    "unknown_parameter userId",
  ],
);

example(
  "A filter error names the position of the filter in the query.",
  "",
  (daybook) => refusalText(daybook.retention({ returnEvent: { filterGroups: [{ filters: [{ fieldName: "os", operator: "like", value: "a" }] }] } })),
  "invalid_operator returnEvent.filterGroups[0].filters[0].operator",
);
