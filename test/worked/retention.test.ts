import type { DaybookError, Retention, RetentionInput, RetentionPeriod } from "daybook";
import { expect } from "vitest";
import { example } from "./example.js";

/** How many of the cohort are there in each period, from period 0. */
const counts = (periods: readonly RetentionPeriod[] | null) => periods?.map(({ entities }) => String(entities)).join(" ");

/** Per cohort its bucket and how many are there in each period. */
const cohorts = (retention: Retention) => retention.cohorts.map(({ bucket, periods }) => `${bucket.local}: ${counts(periods)}`);

/** Per row of the breakdown its values and how many are there in each period, over all cohorts. */
const rows = (retention: Retention) => retention.rows?.map(({ values, total }) => `${values.join(", ")}: ${counts(total)}`);

/** Code and parameter of the error. */
const refused = (answer: Promise<Retention>) =>
  answer.then(
    () => "no error",
    ({ code, details }: DaybookError) => `${code} ${details.param}`,
  );

example(
  "Three come on a day, two of them come back the next day, and one the day after.",
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
  "Each period says how many there are, of how many, and whether it is still running; the total adds up all cohorts.",
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
  "Where nobody comes there is no cohort, and the total is 0 of 0.",
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
  "A day between without newcomers is a cohort of nobody, whose rates are null.",
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
  "A person belongs to the day of the first event of all time, even if that lies before the range.",
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
  "Recurring cohorts hold everybody who comes in the bucket, newcomer or not.",
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
  "On counts returns in the period itself, on or after also later ones.",
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
  "On or after has no end: a return later than the last period counts too.",
  `
  03-02 09:00 ann visit
  03-19 09:00 ann visit
  `,
  async (daybook) => cohorts(await daybook.retention({ periods: 1, returned: "on_or_after" })),
  ["2026-03-02: 1 1"],
);

example(
  "A second event on the first day is no return.",
  `
  03-02 09:00 ann visit
  03-02 18:00 ann visit
  `,
  async (daybook) => cohorts(await daybook.retention({ periods: 1 })),
  ["2026-03-02: 1 0"],
);

example(
  "One event may found the cohort and another be the return; period 0 is the whole cohort, although nobody bought that day.",
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
  "A return before the cohort's bucket is none.",
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
  "Of the first event only those count that match: who only visited before the first purchase is new on the day of the purchase.",
  `
  03-02 09:00 ann visit
  03-03 09:00 ann buy
  03-04 09:00 ann visit
  `,
  async (daybook) => cohorts(await daybook.retention({ cohortEvent: { eventName: "buy" }, periods: 1 })),
  ["2026-03-03: 1 1"],
);

example(
  "Cohort and return may be filters; a number may come as text.",
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
  "The question's own filter applies to cohort and return.",
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
  "In a project a person is new with the first event there.",
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
  "Periods are days of the calendar, not 24 hours: a millisecond over midnight is the next day.",
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
  "Days are those of the time zone: between 22:30 and 23:30 of UTC a new day begins in Berlin.",
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
  "A day that a zone skipped is no period: in Samoa the day after 29 December 2011 was the 31st.",
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
  "Months are those of the calendar: 1 February is one period after 31 January.",
  `
  01-31 23:00 ann visit
  02-01 01:00 ann visit
  `,
  async (daybook) => cohorts(await daybook.retention({ interval: "month", periods: 1 })),
  ["2026-01: 1 1"],
);

example(
  "The range is widened to whole buckets: a Wednesday stands for its week.",
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
  "Cohorts lie in the range; returns count after it.",
  `
  03-02 09:00 ann visit
  03-03 09:00 bob visit
  03-05 09:00 ann visit
  `,
  async (daybook) => cohorts(await daybook.retention({ startDate: "2026-03-02", endDate: "2026-03-02", periods: 3 })),
  ["2026-03-02: 1 0 0 1"],
);

example(
  "A range without newcomers still has its cohorts, of nobody.",
  `
  03-05 09:00 ann visit
  `,
  async (daybook) => cohorts(await daybook.retention({ startDate: "2026-03-02", endDate: "2026-03-03", periods: 1 })),
  ["2026-03-02: 0 0", "2026-03-03: 0 0"],
);

example(
  "A period that is running is incomplete, and one that has not begun is null.",
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
  "The total of a period leaves out the cohorts for which it is not over, and says so.",
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
  "The cohort of today may still grow, so it is incomplete from period 0 on, and in no total.",
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
  "Without a number there are 11 periods after the cohort's own.",
  `
  03-02 09:00 ann visit
  03-13 09:00 ann visit
  `,
  async (daybook) => cohorts(await daybook.retention({})),
  ["2026-03-02: 1 0 0 0 0 0 0 0 0 0 0 1"],
);

example(
  "What a visitor did before belongs to the person, so a later link moves the person into an earlier cohort.",
  `
  03-02 09:00 ~phone    visit
  03-04 09:00 ann~phone login
  03-04 09:00 ~tablet   visit
  `,
  async (daybook) => cohorts(await daybook.retention({ periods: 2 })),
  ["2026-03-02: 1 0 1", "2026-03-03: 0 0 0", "2026-03-04: 1 0 0"],
);

example(
  "Two users who are merged later are one who came back.",
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
  "At the level of accounts a company returns when any of its people does; whoever has no company stands alone.",
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
  "A breakdown has a row per value, the largest first, with totals over all cohorts; the rest is what the limit hides.",
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
  "A member stands under the value of the first cohort event in the bucket, so a recurring one may move from row to row.",
  `
  03-02 09:00 ann visit device=phone
  03-02 10:00 ann visit device=tablet
  03-03 09:00 ann visit device=desktop
  `,
  async (daybook) => rows(await daybook.retention({ periods: 1, cohort: "recurring", breakdown: { fields: ["device"] } })),
  ["desktop: 1 0", "phone: 1 1"],
);

example(
  "Rows of one size come in the order of their values; who has no value stands under an empty one.",
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
  "A member stands under each element of an array, and in the rest once.",
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
  "Two fields make a row per combination, also of a trait as it is known now.",
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
  "A segment selects whose retention is asked.",
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
  "With asOf, an answer names the newest event or record it counts, and can be asked again as of an earlier one.",
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
  "Numbers and names out of bounds are refused.",
  "",
  async (daybook) => [
    await refused(daybook.retention({ periods: 0 })),
    await refused(daybook.retention({ periods: 367 })),
    await refused(daybook.retention({ interval: "hour" } as unknown as RetentionInput)),
    await refused(daybook.retention({ cohort: "weekly" } as unknown as RetentionInput)),
    await refused(daybook.retention({ returned: "after" } as unknown as RetentionInput)),
    await refused(daybook.retention({ level: "session" } as unknown as RetentionInput)),
    await refused(daybook.retention({ breakdown: { fields: ["os"], at: "last" } } as unknown as RetentionInput)),
    await refused(daybook.retention({ userId: "ann" } as unknown as RetentionInput)),
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
  "An error in a filter names the place in the question.",
  "",
  (daybook) => refused(daybook.retention({ returnEvent: { filterGroups: [{ filters: [{ fieldName: "os", operator: "like", value: "a" }] }] } })),
  "invalid_operator returnEvent.filterGroups[0].filters[0].operator",
);
