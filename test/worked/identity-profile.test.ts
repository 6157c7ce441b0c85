import type { DaybookError, IdentityProfile } from "daybook";
import { expect } from "vitest";
import { codeAndParam, example } from "./example.js";

/** Revenue with its currency. */
const money = ({ revenue, currency }: IdentityProfile) => `${revenue} ${currency}`;

example(
  "A profile summarizes a person's activity of the last 30 days.",
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
  "A known person without events has counts of 0, and null averages and dates.",
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
  "First seen and last seen cover all time; all other values cover only the range.",
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
  "Events count by their own time and sessions by their start, so a session that started before the range adds only events.",
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
  "A session that starts in the range counts with its full duration, even after the end of the range.",
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
  "A start date begins at midnight UTC, and an end date includes its last millisecond.",
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
  "Start and end times are inclusive to the millisecond, and offsets are respected.",
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
  "The default range is the 30 times 24 hours before now, both ends included.",
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
  "An end date before the default start gives an empty range, not an error.",
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
  "An event more than five minutes in the future is dated at its receipt; otherwise it keeps its time.",
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
  "The average and p90 durations include sessions of zero duration.",
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
  "The p90 is interpolated: for 10 and 20 seconds it is 19.",
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
  "The p90 of eleven sessions is exactly the tenth-shortest duration.",
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
  "Active days are UTC days, so events one millisecond apart can be on two days.",
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
  "The slugs that count as page views are configurable.",
  `
  03-02 09:00 ann /
  03-02 09:01 ann "Slide shown"
  `,
  async (daybook) => (await daybook.identityProfile({ userId: "ann" })).pageviews,
  1,
  { pageviewSlugs: ["slide-shown"] },
);

example(
  "Events of all projects count together, but sessions are separate per project.",
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
  "An id sent twice is one event in a project, but two events in different projects.",
  `
  03-02 09:00 ann click id=c1
  03-02 09:00 ann click id=c1
  03-02 09:00 ann click id=c1 project=shop
  `,
  async (daybook) => (await daybook.identityProfile({ userId: "ann" })).events,
  2,
);

example(
  "A server-side payment counts as an event and as revenue, but starts no session.",
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
  "The value of any event is revenue, but a metadata amount is revenue only on payment events.",
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
  "A number in the metadata key revenue is revenue on any event and takes precedence over amount.",
  `
  03-02 09:00 ann subscribed revenue=1
  03-02 09:01 ann Payment revenue=10 amount=500
  `,
  async (daybook) => money(await daybook.identityProfile({ userId: "ann" })),
  "11 USD",
);

example(
  "The value of an event takes precedence over amounts in its metadata.",
  `
  03-02 09:00 ann Payment value=20 revenue=300 amount=4000
  `,
  async (daybook) => money(await daybook.identityProfile({ userId: "ann" })),
  "20 USD",
);

example(
  "A number in quotes is not an amount.",
  `
  03-02 09:00 ann Payment revenue="50"
  03-02 09:01 ann Payment amount="50"
  03-02 09:02 ann Payment revenue="50" amount=7
  `,
  async (daybook) => money(await daybook.identityProfile({ userId: "ann" })),
  "7 USD",
);

example(
  "Configured payment and refund names replace the default ones.",
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
  "Revenue is net: refund events are negative regardless of sign, and so are negative amounts.",
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
  "Only the earliest of several payments with the same order key counts, even if it is before the range.",
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
  "The order key is the order field, the metadata order_id or the metadata transaction_id, in that order.",
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
  "The same order key in two projects is two orders.",
  `
  03-02 09:00 ann Payment value=50 order=o1 project=shop
  03-02 09:01 ann Payment value=20 order=o1 project=market
  `,
  async (daybook) => money(await daybook.identityProfile({ userId: "ann" })),
  "70 USD",
);

example(
  "If payments with the same order key have the same millisecond, the one with the smallest id counts.",
  `
  03-02 09:00 ann Payment value=20 order=o1 id=00000000-0000-4000-8000-000000000002
  03-02 09:00 ann Payment value=10 order=o1 id=00000000-0000-4000-8000-000000000001
  `,
  async (daybook) => money(await daybook.identityProfile({ userId: "ann" })),
  "10 USD",
);

example(
  "All refunds of an order count, except those with a repeated refund_id.",
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
  "Amounts are added exactly and rounded once, half to even: 0.1 and 0.025 give 0.12.",
  `
  03-02 09:00 ann Payment value=0.1
  03-02 09:01 ann Payment value=0.025
  `,
  async (daybook) => money(await daybook.identityProfile({ userId: "ann" })),
  "0.12 USD",
);

example(
  "Revenue is rounded to the decimals of the configured reporting currency, which is none for yen.",
  `
  03-02 09:00 ann Payment value=100.5
  03-02 09:01 ann Payment value=3 currency=jpy
  `,
  async (daybook) => money(await daybook.identityProfile({ userId: "ann" })),
  "104 JPY",
  { currency: "JPY" },
);

example(
  "Amounts in other currencies are converted at the rate of their day, and left out if there is no rate.",
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
  "A visitor's events before the sign-up belong to the user, and both ids find the same person.",
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
  "An identify links a device, like an event with both ids.",
  `
  03-02 09:00 ~phone /
  03-04 09:00 ann~phone identify plan=pro
  `,
  async (daybook) => (await daybook.identityProfile({ userId: "ann" })).events,
  1,
);

example(
  "A user id takes precedence over an anonymous id with the same text.",
  `
  03-02 09:00 ~ann /
  03-02 09:01 ~ann /
  03-02 09:02 ann /
  `,
  async (daybook) => (await daybook.identityProfile({ userId: "ann" })).events,
  1,
);

example(
  "A device belongs to the user of its earliest link, regardless of the order of arrival.",
  `
  03-02 09:00 ~tablet /
  03-05 09:00 ann~tablet login
  03-04 09:00 bob~tablet login
  `,
  async (daybook) => [(await daybook.identityProfile({ userId: "ann" })).events, (await daybook.identityProfile({ userId: "bob" })).events],
  [1, 2],
);

example(
  "If two links of a device have the same millisecond, the smaller user id gets the device.",
  `
  03-02 09:00 ~tablet /
  03-04 09:00 bob~tablet login
  03-04 09:00 ann~tablet login
  `,
  async (daybook) => [(await daybook.identityProfile({ userId: "ann" })).events, (await daybook.identityProfile({ userId: "bob" })).events],
  [2, 1],
);

example(
  "A chain of aliases is resolved to its end, and every id of the chain finds the person.",
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
  "An alias that would create a cycle has no effect, so the target of the first alias remains.",
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
  "Two users with the same email are two people, and the email finds the one identified last.",
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
  "An email finds the user with that text as user id, unless someone was identified with it.",
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
  "A person's earlier email still finds that person.",
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
  "Exactly one of user id and email is required, and an empty string counts as missing.",
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
  "An unknown person is an error, not a profile of zeros.",
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
  "A profile has no limit parameter, and its dates must be valid.",
  `
  03-02 09:00 ann click
  `,
  (daybook) =>
    Promise.all(
      [{ limit: 5 }, { startDate: "2026-02-29" }, { endDate: "yesterday" }].map((input) =>
        daybook.identityProfile({ userId: "ann", ...input } as never).catch(codeAndParam),
      ),
    ),
  [
    ["unknown_parameter", "limit"],
    ["invalid_date", "startDate"],
    ["invalid_date", "endDate"],
  ],
);
