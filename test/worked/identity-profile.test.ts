import type { DaybookError, IdentityProfile } from "daybook";
import { expect } from "vitest";
import { example } from "./example.js";

/** Revenue with its currency. */
const money = ({ revenue, currency }: IdentityProfile) => `${revenue} ${currency}`;
const refused = ({ code, details }: DaybookError) => [code, details.param];

example(
  "A profile sums up what one person did in the last 30 days.",
  `
  03-02 09:00 ann /
  03-02 09:01 ann /pricing
  03-03 10:00 ann /
  03-03 11:00 bob /
  `,
  (daybook) => daybook.identityProfile({ userId: "ann" }),
  {
    identityId: expect.any(String),
    events: 3,
    pageviews: 3,
    sessions: 2,
    durationAvgSec: 30,
    durationP90Sec: 54,
    bounceRate: 0.5,
    activeDays: 2,
    firstSeen: "2026-03-02T09:00:00.000Z",
    lastSeen: "2026-03-03T10:00:00.000Z",
    revenue: 0,
    currency: "USD",
  },
);

example(
  "A person who is known but did nothing has counts of 0, and null for what cannot be averaged or dated.",
  `
  03-02 09:00 ann identify email=ann@example.com
  `,
  (daybook) => daybook.identityProfile({ userId: "ann" }),
  {
    identityId: expect.any(String),
    events: 0,
    pageviews: 0,
    sessions: 0,
    durationAvgSec: null,
    durationP90Sec: null,
    bounceRate: null,
    activeDays: 0,
    firstSeen: null,
    lastSeen: null,
    revenue: 0,
    currency: "USD",
  },
);

example(
  "When a person was first and last seen is of all time, whatever the range; everything else is of the range.",
  `
  2025-12-31 23:00 ann /
  03-02 09:00 ann signup
  03-10 10:00 ann Payment value=50 url=/thanks
  `,
  (daybook) => daybook.identityProfile({ userId: "ann", startDate: "2026-03-01", endDate: "2026-03-09" }),
  {
    identityId: expect.any(String),
    events: 1,
    pageviews: 0,
    sessions: 1,
    durationAvgSec: 0,
    durationP90Sec: 0,
    bounceRate: 1,
    activeDays: 1,
    firstSeen: "2025-12-31T23:00:00.000Z",
    lastSeen: "2026-03-10T10:00:00.000Z",
    revenue: 0,
    currency: "USD",
  },
);

example(
  "Events count where they lie, sessions where they start: the second half of a visit is an event of the next day without a session.",
  `
  03-02 23:50 ann /
  03-03 00:10 ann /docs
  `,
  async (daybook) => {
    const { events, sessions, activeDays, durationAvgSec, bounceRate } = await daybook.identityProfile({ userId: "ann", startDate: "2026-03-03" });
    return { events, sessions, activeDays, durationAvgSec, bounceRate };
  },
  { events: 1, sessions: 0, activeDays: 1, durationAvgSec: null, bounceRate: null },
);

example(
  "A session that starts in the range has its full duration, beyond the end too.",
  `
  03-02 23:50 ann /
  03-03 00:10 ann /docs
  `,
  async (daybook) => {
    const { events, sessions, durationAvgSec } = await daybook.identityProfile({ userId: "ann", endDate: "2026-03-02" });
    return { events, sessions, durationAvgSec };
  },
  { events: 1, sessions: 1, durationAvgSec: 1_200 },
);

example(
  "A day as start begins at midnight UTC, and a day as end lasts until the millisecond before the next.",
  `
  03-01 23:59:59.999 ann click
  03-02 00:00 ann click
  03-03 23:59:59.999 ann click
  03-04 00:00 ann click
  `,
  async (daybook) => (await daybook.identityProfile({ userId: "ann", startDate: "2026-03-02", endDate: "2026-03-03" })).events,
  2,
);

example(
  "A timestamp as start or end includes its own millisecond, and an offset is taken into account.",
  `
  03-02 08:59:59.999 ann click
  03-02 09:00 ann click
  03-02 10:00 ann click
  03-02 10:00:00.001 ann click
  `,
  async (daybook) =>
    (await daybook.identityProfile({ userId: "ann", startDate: "2026-03-02T09:00:00Z", endDate: "2026-03-02T11:00:00+01:00" })).events,
  2,
);

example(
  "Without dates, the range is the 30 times 24 hours before now, both ends included.",
  `
  02-18 11:59:59.999 ann click
  02-18 12:00 ann click
  03-20 12:00 ann click
  03-20 12:00:00.001 ann click
  `,
  async (daybook) => (await daybook.identityProfile({ userId: "ann" })).events,
  2,
);

example(
  "An end alone that lies before the default start is an empty range, not an error.",
  `
  01-05 09:00 ann click
  03-02 09:00 ann click
  `,
  async (daybook) => {
    const { events, firstSeen } = await daybook.identityProfile({ userId: "ann", endDate: "2026-01-10" });
    return [events, firstSeen];
  },
  [0, "2026-01-05T09:00:00.000Z"],
);

example(
  "An event dated more than five minutes ahead counts at its receipt; up to five minutes ahead it keeps its time.",
  `
  03-20 12:05 ann click
  03-20 12:05:00.001 bob click
  `,
  async (daybook) => [(await daybook.identityProfile({ userId: "ann" })).lastSeen, (await daybook.identityProfile({ userId: "bob" })).lastSeen],
  ["2026-03-20T12:05:00.000Z", "2026-03-20T12:00:00.000Z"],
);

example(
  "The bounce rate is the share of sessions with exactly one event, rounded to four decimals.",
  `
  03-02 09:00 ann /
  03-03 09:00 ann /
  03-04 09:00 ann /
  03-04 09:01 ann /docs
  `,
  async (daybook) => (await daybook.identityProfile({ userId: "ann" })).bounceRate,
  0.6667,
);

example(
  "Average and p90 are over all sessions, with those that last no time.",
  `
  03-02 09:00 ann /
  03-03 09:00 ann /
  03-04 09:00:00 ann /
  03-04 09:01:40 ann /docs
  `,
  async (daybook) => {
    const { durationAvgSec, durationP90Sec } = await daybook.identityProfile({ userId: "ann" });
    return { durationAvgSec, durationP90Sec };
  },
  { durationAvgSec: 33.333, durationP90Sec: 80 },
);

example(
  "The p90 lies between the neighboring durations in proportion: nine tenths of the way from 10 to 20 seconds.",
  `
  03-02 09:00:00 ann /
  03-02 09:00:10 ann /docs
  03-03 09:00:00 ann /
  03-03 09:00:20 ann /docs
  `,
  async (daybook) => (await daybook.identityProfile({ userId: "ann" })).durationP90Sec,
  19,
);

example(
  "The p90 of eleven sessions is exactly the tenth.",
  `
  03-01 09:00 ann /
  03-02 09:00 ann /
  03-03 09:00 ann /
  03-04 09:00 ann /
  03-05 09:00 ann /
  03-06 09:00 ann /
  03-07 09:00 ann /
  03-08 09:00 ann /
  03-09 09:00 ann /
  03-10 09:00:00 ann /
  03-10 09:00:10 ann /
  03-11 09:00:00 ann /
  03-11 09:01:00 ann /
  `,
  async (daybook) => (await daybook.identityProfile({ userId: "ann" })).durationP90Sec,
  10,
);

example(
  "Active days are days of UTC: a millisecond can lie between two of them.",
  `
  03-02 23:59:59.999 ann /
  03-03 00:00 ann /docs
  03-05 09:00 ann /
  03-05 18:00 ann /
  `,
  async (daybook) => (await daybook.identityProfile({ userId: "ann" })).activeDays,
  3,
);

example(
  "Which slugs are page views is an option.",
  `
  03-02 09:00 ann /
  03-02 09:01 ann "Slide shown"
  `,
  async (daybook) => (await daybook.identityProfile({ userId: "ann" })).pageviews,
  1,
  { pageviewSlugs: ["slide-shown"] },
);

example(
  "Events of all projects count together; sessions are formed per project.",
  `
  03-02 09:00 ann / project=shop
  03-02 09:01 ann / project=blog
  `,
  async (daybook) => {
    const { events, sessions, activeDays } = await daybook.identityProfile({ userId: "ann" });
    return { events, sessions, activeDays };
  },
  { events: 2, sessions: 2, activeDays: 1 },
);

example(
  "An id that comes twice is one event within a project, and two in two projects.",
  `
  03-02 09:00 ann click id=c1
  03-02 09:00 ann click id=c1
  03-02 09:00 ann click id=c1 project=shop
  `,
  async (daybook) => (await daybook.identityProfile({ userId: "ann" })).events,
  2,
);

example(
  "A payment sent by a server counts as event and revenue, but makes no session.",
  `
  03-02 09:00 ann Payment value=50
  `,
  async (daybook) => {
    const { events, sessions, activeDays, revenue } = await daybook.identityProfile({ userId: "ann" });
    return { events, sessions, activeDays, revenue };
  },
  { events: 1, sessions: 0, activeDays: 1, revenue: 50 },
);

example(
  "Any event with a value is revenue; an amount in the metadata is so under the names of payments only.",
  `
  03-02 09:00 ann subscribed value=1
  03-02 09:01 ann Purchase amount=10
  03-02 09:02 ann order-completed amount=100
  03-02 09:03 ann clicked amount=1000
  `,
  async (daybook) => money(await daybook.identityProfile({ userId: "ann" })),
  "111 USD",
);

example(
  "A number in the metadata key revenue is revenue under any name and comes before amount.",
  `
  03-02 09:00 ann subscribed revenue=1
  03-02 09:01 ann Payment revenue=10 amount=500
  `,
  async (daybook) => money(await daybook.identityProfile({ userId: "ann" })),
  "11 USD",
);

example(
  "The value of an event comes before the amounts in its metadata.",
  `
  03-02 09:00 ann Payment value=20 revenue=300 amount=4000
  `,
  async (daybook) => money(await daybook.identityProfile({ userId: "ann" })),
  "20 USD",
);

example(
  "A number in quotes is no amount.",
  `
  03-02 09:00 ann Payment revenue="50"
  03-02 09:01 ann Payment amount="50"
  03-02 09:02 ann Payment revenue="50" amount=7
  `,
  async (daybook) => money(await daybook.identityProfile({ userId: "ann" })),
  "7 USD",
);

example(
  "Names of payments and refunds are an option and replace the usual ones.",
  `
  03-02 09:00 ann Rent amount=100
  03-02 09:01 ann Deposit-back amount=30
  03-02 09:02 ann Payment amount=5000
  `,
  async (daybook) => money(await daybook.identityProfile({ userId: "ann" })),
  "70 USD",
  { revenue: { paymentNames: ["rent"], refundNames: ["Deposit back"] } },
);

example(
  "Revenue is net: an event with the name of a refund is negative whatever its sign, and so is a negative amount.",
  `
  03-02 09:00 ann Payment value=100
  03-03 09:00 ann Refund value=10
  03-03 09:01 ann "Order Refunded" value=-10
  03-03 09:02 ann correction value=-5
  `,
  async (daybook) => money(await daybook.identityProfile({ userId: "ann" })),
  "75 USD",
);

example(
  "Of payments with one order key only the earliest counts, even if it lies before the range.",
  `
  01-10 09:00 ann Payment value=50 order=o1
  03-02 09:00 ann Payment value=50 order=o1
  03-03 09:00 ann Payment value=20 order=o2
  03-04 09:00 ann Payment value=30 order=o2
  `,
  async (daybook) => money(await daybook.identityProfile({ userId: "ann" })),
  "20 USD",
);

example(
  "An order key is the field, else order_id, else transaction_id of the metadata.",
  `
  03-02 09:00 ann Payment value=50 order=o1 order_id=o7
  03-02 09:01 ann Payment value=20 order_id=o1 transaction_id=o8
  03-02 09:02 ann Payment value=10 transaction_id=o1
  03-02 09:03 ann Payment value=3 transaction_id=o7
  `,
  async (daybook) => money(await daybook.identityProfile({ userId: "ann" })),
  "53 USD",
);

example(
  "The same order key in two projects means two orders.",
  `
  03-02 09:00 ann Payment value=50 order=o1 project=shop
  03-02 09:01 ann Payment value=20 order=o1 project=market
  `,
  async (daybook) => money(await daybook.identityProfile({ userId: "ann" })),
  "70 USD",
);

example(
  "Of payments with one order key at one millisecond, the one with the smallest id counts.",
  `
  03-02 09:00 ann Payment value=20 order=o1 id=00000000-0000-4000-8000-000000000002
  03-02 09:00 ann Payment value=10 order=o1 id=00000000-0000-4000-8000-000000000001
  `,
  async (daybook) => money(await daybook.identityProfile({ userId: "ann" })),
  "10 USD",
);

example(
  "All refunds of an order count, except those that repeat a refund_id.",
  `
  03-02 09:00 ann Payment value=100 order=o1
  03-03 09:00 ann Refund value=10 order=o1
  03-03 09:01 ann Refund value=10 order=o1
  03-04 09:00 ann Refund value=20 order=o1 refund_id=r1
  03-04 09:01 ann Refund value=20 order=o1 refund_id=r1
  `,
  async (daybook) => money(await daybook.identityProfile({ userId: "ann" })),
  "60 USD",
);

example(
  "Amounts are added exactly and rounded once, half to even: 0.1 and 0.025 make 0.12.",
  `
  03-02 09:00 ann Payment value=0.1
  03-02 09:01 ann Payment value=0.025
  `,
  async (daybook) => money(await daybook.identityProfile({ userId: "ann" })),
  "0.12 USD",
);

example(
  "Revenue has the decimals of the reporting currency, which is an option: yen have none.",
  `
  03-02 09:00 ann Payment value=100.5
  03-02 09:01 ann Payment value=3 currency=jpy
  `,
  async (daybook) => money(await daybook.identityProfile({ userId: "ann" })),
  "104 JPY",
  { currency: "JPY" },
);

example(
  "Amounts in other currencies are converted by the rate of their day, or left out where there is none.",
  `
  03-02 09:00 ann Payment value=10 currency=EUR
  03-03 09:00 ann Payment value=10 currency=EUR
  03-03 09:01 ann Payment value=1000 currency=CHF
  `,
  async (daybook) => money(await daybook.identityProfile({ userId: "ann" })),
  "50 USD",
  { rates: (from, to, day) => (from === "EUR" && to === "USD" ? (day === "2026-03-02" ? 2 : 3) : undefined) },
);

example(
  "What a visitor did before signing up belongs to the user, under either id.",
  `
  03-02 09:00 ~phone /
  03-04 09:00 ann~phone signup
  03-05 09:00 ann /
  `,
  async (daybook) => {
    const byUser = await daybook.identityProfile({ userId: "ann" });
    const byVisitor = await daybook.identityProfile({ userId: "phone" });
    return [byUser.events, byUser.firstSeen, byVisitor.events, byVisitor.identityId === byUser.identityId];
  },
  [3, "2026-03-02T09:00:00.000Z", 3, true],
);

example(
  "An identify call links a device as an event with both ids does.",
  `
  03-02 09:00 ~phone /
  03-04 09:00 ann~phone identify plan=pro
  `,
  async (daybook) => (await daybook.identityProfile({ userId: "ann" })).events,
  1,
);

example(
  "A user id comes before an anonymous id of the same text.",
  `
  03-02 09:00 ~ann /
  03-02 09:01 ~ann /
  03-02 09:02 ann /
  `,
  async (daybook) => (await daybook.identityProfile({ userId: "ann" })).events,
  1,
);

example(
  "A device belongs to the user of its earliest link, in whatever order the links arrive.",
  `
  03-02 09:00 ~tablet /
  03-05 09:00 ann~tablet login
  03-04 09:00 bob~tablet login
  `,
  async (daybook) => [(await daybook.identityProfile({ userId: "ann" })).events, (await daybook.identityProfile({ userId: "bob" })).events],
  [1, 2],
);

example(
  "Of two links of a device at one millisecond, that of the smaller user id counts.",
  `
  03-02 09:00 ~tablet /
  03-04 09:00 bob~tablet login
  03-04 09:00 ann~tablet login
  `,
  async (daybook) => [(await daybook.identityProfile({ userId: "ann" })).events, (await daybook.identityProfile({ userId: "bob" })).events],
  [2, 1],
);

example(
  "Aliases are followed along a chain, and every id of the chain finds the person at its end.",
  `
  03-02 09:00 a1 click
  03-02 09:01 a2 click
  03-02 09:02 a3 click
  03-03 09:00 a1 alias:a2
  03-04 09:00 a2 alias:a3
  `,
  async (daybook) => Promise.all(["a1", "a2", "a3"].map(async (userId) => (await daybook.identityProfile({ userId })).events)),
  [3, 3, 3],
);

example(
  "An alias that would close a cycle has no effect: the first one still decides who remains.",
  `
  03-02 09:00 ann click company=acme
  03-03 09:00 ann alias:bob
  03-04 09:00 bob alias:ann
  `,
  async (daybook) => {
    const { users } = await daybook.companyTopUsers({ companyId: "acme" });
    return [(await daybook.identityProfile({ userId: "ann" })).events, users.map(({ resolvedIdentifier }) => resolvedIdentifier)];
  },
  [1, ["bob"]],
);

example(
  "Two users with the same email stay two people; the email finds the one identified last.",
  `
  03-01 09:00 ann identify email=office@example.com
  03-02 09:00 bob identify email=office@example.com
  03-03 09:00 ann click
  03-03 09:01 ann click
  03-04 09:00 bob click
  `,
  async (daybook) => [
    (await daybook.identityProfile({ userId: "ann" })).events,
    (await daybook.identityProfile({ userId: "bob" })).events,
    (await daybook.identityProfile({ email: "office@example.com" })).events,
  ],
  [2, 1, 1],
);

example(
  "An email finds the user whose id it is, unless somebody was identified with it.",
  `
  03-02 09:00 ann@example.com click
  03-02 09:00 bob@example.com click
  03-02 09:00 robert click
  03-02 09:01 robert click
  03-03 09:00 robert identify email=bob@example.com
  `,
  async (daybook) => [
    (await daybook.identityProfile({ email: "ann@example.com" })).events,
    (await daybook.identityProfile({ email: "bob@example.com" })).events,
  ],
  [1, 2],
);

example(
  "An earlier email of a person goes on finding that person.",
  `
  03-01 09:00 ann identify email=ann@old.example
  03-02 09:00 ann identify email=ann@new.example
  03-03 09:00 ann click
  `,
  async (daybook) => (await daybook.identityProfile({ email: "ann@old.example" })).events,
  1,
);

example(
  "A visitor without a user can have an email.",
  `
  03-02 09:00 ~phone /
  03-02 09:01 ~phone identify email=cleo@example.com
  `,
  async (daybook) => (await daybook.identityProfile({ email: "cleo@example.com" })).events,
  1,
);

example(
  "Exactly one of user id and email is required; an empty text is none.",
  `
  03-02 09:00 ann identify email=ann@example.com
  `,
  (daybook) =>
    Promise.all(
      [{}, { userId: "ann", email: "ann@example.com" }, { userId: "" }, { email: "" }].map((input) =>
        daybook.identityProfile(input as never).catch(({ code }: DaybookError) => code),
      ),
    ),
  ["exactly_one_required", "exactly_one_required", "exactly_one_required", "exactly_one_required"],
);

example(
  "A person nobody has heard of is an error, not a profile of zeros.",
  `
  03-02 09:00 ann identify email=ann@example.com
  `,
  (daybook) =>
    Promise.all(
      [daybook.identityProfile({ userId: "bob" }), daybook.identityProfile({ email: "bob@example.com" })].map((profile) =>
        profile.catch(({ code }: DaybookError) => code),
      ),
    ),
  ["identity_not_found", "identity_not_found"],
);

example(
  "A profile takes no limit, and its dates must exist and be in order.",
  `
  03-02 09:00 ann click
  `,
  (daybook) =>
    Promise.all(
      [{ limit: 5 }, { startDate: "2026-02-29" }, { endDate: "yesterday" }].map((input) =>
        daybook.identityProfile({ userId: "ann", ...input } as never).catch(refused),
      ),
    ),
  [
    ["unknown_parameter", "limit"],
    ["invalid_date", "startDate"],
    ["invalid_date", "endDate"],
  ],
);
