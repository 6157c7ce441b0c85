import type { DaybookError, LtvCohorts } from "daybook";
import { codeAndParam, example } from "./example.js";

const PROJECT = { project: "default" } as const;
const BY_IDENTITY = { project: "default", level: "identity" } as const;
/** The number of entities and the revenue of each cohort. */
const revenues = ({ cohorts }: LtvCohorts) => cohorts.map(({ cohort, entities, revenue }) => `${cohort}: ${entities} paid ${revenue}`);

example(
  "People are grouped by the month of their first event, with their total revenue of all time.",
  `
  01-10 09:00 ann signup
  01-20 09:00 bob signup
  03-02 09:00 ann Payment value=50
  03-03 09:00 cleo Payment value=30
  `,
  (daybook) => daybook.ltvCohorts(PROJECT),
  {
    currency: "USD",
    cohorts: [
      { cohort: "2026-03", entities: 1, revenue: 30, orders: 1, ltv: 30 },
      { cohort: "2026-01", entities: 2, revenue: 50, orders: 1, ltv: 25 },
    ],
    unconverted: [],
  },
);

example(
  "Without events there are no cohorts.",
  "",
  (daybook) => daybook.ltvCohorts(PROJECT),
  { currency: "USD", cohorts: [], unconverted: [] },
);

example(
  "People without payments count with a value of 0.",
  `
  02-10 09:00 ann signup
  02-11 09:00 ~phone /
  `,
  (daybook) => daybook.ltvCohorts(PROJECT),
  { currency: "USD", cohorts: [{ cohort: "2026-02", entities: 2, revenue: 0, orders: 0, ltv: 0 }], unconverted: [] },
);

example(
  "Months without new people are left out, and the newest month comes first.",
  `
  2024-12-10 09:00 ann signup
  02-10 09:00 bob signup
  2025-12-10 09:00 cleo signup
  `,
  async (daybook) => revenues(await daybook.ltvCohorts(PROJECT)),
  ["2026-02: 1 paid 0", "2025-12: 1 paid 0", "2024-12: 1 paid 0"],
);

example(
  "A month begins at midnight UTC.",
  `
  02-28 23:59:59.999 ann signup
  03-01 00:00 bob signup
  `,
  async (daybook) => revenues(await daybook.ltvCohorts(PROJECT)),
  ["2026-03: 1 paid 0", "2026-02: 1 paid 0"],
);

example(
  "Payments in later months and years count in the cohort of the payer's first month.",
  `
  2024-01-10 09:00 ann Payment value=10
  2025-01-10 09:00 ann Payment value=20
  03-10 09:00 ann Payment value=30
  `,
  (daybook) => daybook.ltvCohorts(PROJECT),
  { currency: "USD", cohorts: [{ cohort: "2024-01", entities: 1, revenue: 60, orders: 3, ltv: 60 }], unconverted: [] },
);

example(
  "A refund reduces the revenue of the payer's cohort, but not its number of orders.",
  `
  01-10 09:00 ann Payment value=100 order=o1
  03-10 09:00 ann Refund value=30 order=o1
  `,
  (daybook) => daybook.ltvCohorts(PROJECT),
  { currency: "USD", cohorts: [{ cohort: "2026-01", entities: 1, revenue: 70, orders: 1, ltv: 70 }], unconverted: [] },
);

example(
  "A cohort with only refunds has a negative value.",
  `
  02-10 09:00 ann Refund value=30
  `,
  (daybook) => daybook.ltvCohorts(PROJECT),
  { currency: "USD", cohorts: [{ cohort: "2026-02", entities: 1, revenue: -30, orders: 0, ltv: -30 }], unconverted: [] },
);

example(
  "An order paid twice counts for the earliest payer.",
  `
  01-10 09:00 ann signup
  02-10 09:00 bob signup
  03-02 09:00 bob Payment value=50 order=o1
  03-01 09:00 ann Payment value=50 order=o1
  `,
  async (daybook) => (await daybook.ltvCohorts(PROJECT)).cohorts.map(({ cohort, revenue, orders }) => [cohort, revenue, orders]),
  [
    ["2026-02", 0, 0],
    ["2026-01", 50, 1],
  ],
);

example(
  "At level account, the default, a company starts with its members' first event; people without a company count separately.",
  `
  01-01 08:00 ann group:acme
  01-01 08:01 bob group:acme
  01-10 09:00 ann signup
  02-10 09:00 bob Payment value=50
  02-20 09:00 cleo Payment value=30
  `,
  async (daybook) => [
    revenues(await daybook.ltvCohorts({ project: "default" })),
    revenues(await daybook.ltvCohorts({ project: "default", level: "account" })),
  ],
  [
    ["2026-02: 1 paid 30", "2026-01: 1 paid 50"],
    ["2026-02: 1 paid 30", "2026-01: 1 paid 50"],
  ],
);

example(
  "At level identity, each person is an entity, regardless of company.",
  `
  01-01 08:00 ann group:acme
  01-01 08:01 bob group:acme
  01-10 09:00 ann signup
  02-10 09:00 bob Payment value=50
  `,
  async (daybook) => revenues(await daybook.ltvCohorts({ project: "default", level: "identity" })),
  ["2026-02: 1 paid 50", "2026-01: 1 paid 0"],
);

example(
  "A person who changes company counts in both, each with the payments made while in it.",
  `
  01-10 09:00 ann Payment value=10 company=acme
  02-10 09:00 ann Payment value=20 company=globex
  03-10 09:00 ann Payment value=40
  `,
  async (daybook) => revenues(await daybook.ltvCohorts({ project: "default", level: "account" })),
  ["2026-02: 1 paid 60", "2026-01: 1 paid 10"],
);

example(
  "A member's events before joining also count for the company's first month.",
  `
  01-10 09:00 ann /
  03-01 09:00 ann group:acme
  03-02 09:00 ann Payment value=50
  `,
  async (daybook) => revenues(await daybook.ltvCohorts(PROJECT)),
  ["2026-01: 1 paid 50"],
);

example(
  "After a membership is undone, the person counts separately.",
  `
  03-01 09:00 ann group:acme id=00000000-0000-4000-8000-000000000001
  03-01 09:00 bob group:acme
  03-02 09:00 ann signup
  03-02 09:00 bob signup
  `,
  async (daybook) => {
    const together = revenues(await daybook.ltvCohorts(PROJECT));
    await daybook.unlink("00000000-0000-4000-8000-000000000001");
    return [together, revenues(await daybook.ltvCohorts(PROJECT))];
  },
  [["2026-03: 1 paid 0"], ["2026-03: 2 paid 0"]],
);

example(
  "Only entities with an event in the project count, but their first event in any project determines the month.",
  `
  01-10 09:00 ann / project=blog
  01-11 09:00 bob / project=blog
  03-02 09:00 ann signup project=shop
  `,
  async (daybook) => revenues(await daybook.ltvCohorts({ project: "shop" })),
  ["2026-01: 1 paid 0"],
);

example(
  "Only payments in the project count.",
  `
  03-02 09:00 ann Payment value=10 project=shop
  03-02 09:01 ann Payment value=700 project=market
  `,
  async (daybook) => revenues(await daybook.ltvCohorts({ project: "shop" })),
  ["2026-03: 1 paid 10"],
);

example(
  "The same order key in two projects is two orders.",
  `
  03-02 09:00 ann Payment value=700 order=o1 project=market
  03-02 09:01 ann Payment value=10 order=o1 project=shop
  `,
  async (daybook) => revenues(await daybook.ltvCohorts({ project: "shop" })),
  ["2026-03: 1 paid 10"],
);

example(
  "A visit before the sign-up counts as the user's first event.",
  `
  01-31 23:00 ~phone /
  02-01 01:00 ann~phone signup
  02-02 09:00 ann Payment value=50
  `,
  async (daybook) => revenues(await daybook.ltvCohorts(BY_IDENTITY)),
  ["2026-01: 1 paid 50"],
);

example(
  "Merged users are one entity in the cohort of the earlier user, until the merge is undone.",
  `
  01-10 09:00 anna signup
  02-10 09:00 ann Payment value=50
  03-10 09:00 anna alias:ann id=00000000-0000-4000-8000-000000000001
  `,
  async (daybook) => {
    const merged = revenues(await daybook.ltvCohorts(BY_IDENTITY));
    await daybook.unlink("00000000-0000-4000-8000-000000000001");
    return [merged, revenues(await daybook.ltvCohorts(BY_IDENTITY))];
  },
  [["2026-01: 1 paid 50"], ["2026-02: 1 paid 50", "2026-01: 1 paid 0"]],
);

example(
  "Anonymous events on a shared device belong to its first user.",
  `
  01-10 09:00 ~tablet /
  02-10 09:00 ann~tablet login
  02-11 09:00 bob~tablet login
  `,
  async (daybook) => revenues(await daybook.ltvCohorts(BY_IDENTITY)),
  ["2026-02: 1 paid 0", "2026-01: 1 paid 0"],
);

example(
  "A payment with neither a user id nor an anonymous id does not count.",
  `
  03-02 09:00 - Payment value=700
  03-02 09:01 ann Payment value=10
  `,
  async (daybook) => [revenues(await daybook.ltvCohorts(BY_IDENTITY)), revenues(await daybook.ltvCohorts({ project: "default", level: "account" }))],
  [["2026-03: 1 paid 10"], ["2026-03: 1 paid 10"]],
);

example(
  "A payment with neither a user id nor an anonymous id does not count for a company, even if it names one.",
  `
  02-10 09:00 ann signup company=acme
  03-02 09:00 - Payment value=700 company=acme
  `,
  async (daybook) => revenues(await daybook.ltvCohorts({ project: "default", level: "account" })),
  ["2026-02: 1 paid 0"],
);

example(
  "A person with traits but no events is in no cohort.",
  `
  01-10 09:00 ann identify plan=pro
  02-10 09:00 bob signup
  `,
  async (daybook) => revenues(await daybook.ltvCohorts(BY_IDENTITY)),
  ["2026-02: 1 paid 0"],
);

example(
  "The value is revenue per entity, rounded half to even: 0.25 for two is 0.12, and 0.75 is 0.38.",
  `
  01-10 09:00 ann Payment value=0.25
  01-11 09:00 bob signup
  02-10 09:00 cleo Payment value=0.75
  02-11 09:00 dan signup
  `,
  async (daybook) => (await daybook.ltvCohorts(BY_IDENTITY)).cohorts.map(({ cohort, ltv }) => `${cohort} ${ltv}`),
  ["2026-02 0.38", "2026-01 0.12"],
);

example(
  "The value is computed from the unrounded revenue: 0.014 is shown as 0.01, and half of it rounds up to 0.01.",
  `
  01-10 09:00 ann Payment value=0.014
  01-11 09:00 bob signup
  `,
  async (daybook) => (await daybook.ltvCohorts(BY_IDENTITY)).cohorts.map(({ revenue, ltv }) => [revenue, ltv]),
  [[0.01, 0.01]],
);

example(
  "The value is revenue divided by all people of the cohort, paying or not: 100 for three is 33.33.",
  `
  01-10 09:00 ann Payment value=100
  01-11 09:00 bob signup
  01-12 09:00 cleo signup
  `,
  (daybook) => daybook.ltvCohorts(BY_IDENTITY),
  { currency: "USD", cohorts: [{ cohort: "2026-01", entities: 3, revenue: 100, orders: 1, ltv: 33.33 }], unconverted: [] },
);

example(
  "Values in yen have no decimals: 5 for two is 2, and 7 is 4.",
  `
  01-10 09:00 ann Payment value=5
  01-11 09:00 bob signup
  02-10 09:00 cleo Payment value=7
  02-11 09:00 dan signup
  `,
  async (daybook) => (await daybook.ltvCohorts(BY_IDENTITY)).cohorts.map(({ cohort, ltv }) => `${cohort} ${ltv}`),
  ["2026-02 4", "2026-01 2"],
  { currency: "JPY" },
);

example(
  "Amounts without an exchange rate are in no cohort and are listed separately.",
  `
  01-10 09:00 ann Payment value=10 currency=CHF
  02-10 09:00 bob Payment value=20 currency=CHF
  02-10 09:01 bob Payment value=5
  `,
  (daybook) => daybook.ltvCohorts(BY_IDENTITY),
  {
    currency: "USD",
    cohorts: [
      { cohort: "2026-02", entities: 1, revenue: 5, orders: 1, ltv: 5 },
      { cohort: "2026-01", entities: 1, revenue: 0, orders: 0, ltv: 0 },
    ],
    unconverted: [{ currency: "CHF", revenue: 30, orders: 2 }],
  },
);

example(
  "Amounts are converted at the rate of the day of payment.",
  `
  01-10 09:00 ann Payment value=10 currency=EUR
  02-10 09:00 ann Payment value=10 currency=EUR
  `,
  async (daybook) => revenues(await daybook.ltvCohorts(BY_IDENTITY)),
  ["2026-01: 1 paid 50"],
  { rates: (_from, _to, day) => (day === "2026-01-10" ? 2 : 3) },
);

example(
  "A limit keeps the newest months that have people.",
  `
  01-10 09:00 ann signup
  02-10 09:00 bob signup
  2025-01-10 09:00 cleo signup
  `,
  async (daybook) => revenues(await daybook.ltvCohorts({ project: "default", limit: 2 })),
  ["2026-02: 1 paid 0", "2026-01: 1 paid 0"],
);

example(
  "At most 24 months are shown by default.",
  "",
  async (daybook) => {
    const months = Array.from({ length: 25 }, (_, at) => new Date(Date.UTC(2024, at, 10)));
    await daybook.ingest(months.map((createdAt, at) => ({ name: "signup", userId: `user ${at}`, createdAt })));
    const byDefault = (await daybook.ltvCohorts(PROJECT)).cohorts.map(({ cohort }) => cohort);
    const all = (await daybook.ltvCohorts({ project: "default", limit: 60 })).cohorts.map(({ cohort }) => cohort);
    return [byDefault.length, byDefault.at(-1), all.length, all.at(-1)];
  },
  [24, "2024-02", 25, "2024-01"],
);

example(
  "The project is required and must exist.",
  `
  03-02 09:00 ann signup project=shop
  `,
  async (daybook) => [
    await daybook.ltvCohorts({} as never).catch(codeAndParam),
    await daybook.ltvCohorts({ project: "blog" }).catch(({ code }: DaybookError) => code),
  ],
  [["invalid_parameter", "project"], "project_not_found"],
);

example(
  "The report has no dates, its limit is 1 to 60, and its levels are account and identity.",
  "",
  (daybook) =>
    Promise.all(
      [{ startDate: "2026-01-01" }, { limit: 0 }, { limit: 61 }, { level: "company" }].map((input) =>
        daybook.ltvCohorts({ ...PROJECT, ...input } as never).catch(codeAndParam),
      ),
    ),
  [
    ["unknown_parameter", "startDate"],
    ["invalid_parameter", "limit"],
    ["invalid_parameter", "limit"],
    ["invalid_parameter", "level"],
  ],
);
