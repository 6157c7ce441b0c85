import type { DaybookError, IdentityReferrers } from "daybook";
import { expect } from "vitest";
import { codeAndParam, example } from "./example.js";

/** The number of events of each referrer. */
const counts = ({ referrers }: IdentityReferrers) => referrers.map(({ referrer, count }) => `${referrer} ${count}`);

example(
  "Referrers are sorted by number of events.",
  `
  03-02 09:00 ann / referrer=https://news.example/
  03-03 09:00 ann / referrer=https://forum.example/thread/7
  03-04 09:00 ann / referrer=https://forum.example/thread/7
  `,
  (daybook) => daybook.identityReferrers({ userId: "ann" }),
  {
    identityId: expect.any(String),
    referrers: [
      { referrer: "https://forum.example/thread/7", count: 2 },
      { referrer: "https://news.example/", count: 1 },
    ],
  },
);

example(
  "A person without referrers has an empty list.",
  `
  03-02 09:00 ann /
  `,
  (daybook) => daybook.identityReferrers({ userId: "ann" }),
  { identityId: expect.any(String), referrers: [] },
);

example(
  "Events without a referrer or with an empty one do not count.",
  `
  03-02 09:00 ann / referrer=https://news.example/
  03-02 09:01 ann /pricing referrer=""
  03-02 09:02 ann signup
  `,
  (daybook) => daybook.identityReferrers({ userId: "ann" }),
  { identityId: expect.any(String), referrers: [{ referrer: "https://news.example/", count: 1 }] },
);

example(
  "A metadata key is not a referrer.",
  `
  03-02 09:00 ann / $referrer=https://news.example/ referrer_domain=news.example
  03-02 09:05 ann / referrer=https://other.example
  `,
  async (daybook) => counts(await daybook.identityReferrers({ userId: "ann" })),
  ["https://other.example 1"],
);

example(
  "Referrers are compared exactly, including www, a trailing slash and the query.",
  `
  03-02 09:00 ann / referrer=https://news.example/
  03-02 09:01 ann / referrer=https://news.example
  03-02 09:02 ann / referrer=https://www.news.example/
  03-02 09:03 ann / referrer=https://news.example/?page=2
  `,
  async (daybook) => counts(await daybook.identityReferrers({ userId: "ann" })),
  ["https://news.example 1", "https://news.example/ 1", "https://news.example/?page=2 1", "https://www.news.example/ 1"],
);

example(
  "Referrers are case-sensitive, and upper case comes first among equal counts.",
  `
  03-02 09:00 ann / referrer=https://a.example/b
  03-02 09:01 ann / referrer=https://a.example/B
  `,
  async (daybook) => counts(await daybook.identityReferrers({ userId: "ann" })),
  ["https://a.example/B 1", "https://a.example/b 1"],
);

example(
  "Referrers with equal counts are sorted by code point, with emoji last.",
  `
  03-02 09:00 ann / referrer=https://a.example/😀
  03-02 09:01 ann / referrer=https://a.example/～
  03-02 09:02 ann / referrer=https://a.example/z
  `,
  async (daybook) => counts(await daybook.identityReferrers({ userId: "ann" })),
  ["https://a.example/z 1", "https://a.example/～ 1", "https://a.example/😀 1"],
);

example(
  "Events of any name count, not only page views.",
  `
  03-02 09:00 ann signup referrer=https://news.example/
  03-02 09:01 ann Payment value=50 referrer=https://news.example/
  `,
  async (daybook) => counts(await daybook.identityReferrers({ userId: "ann" })),
  ["https://news.example/ 2"],
);

example(
  "The site's own pages and payment pages count as referrers.",
  `
  03-02 09:00 ann /cart hostname=shop.example referrer=https://shop.example/shoes
  03-02 09:05 ann /thanks hostname=shop.example referrer=https://www.paypal.com/
  `,
  async (daybook) => counts(await daybook.identityReferrers({ userId: "ann" })),
  ["https://shop.example/shoes 1", "https://www.paypal.com/ 1"],
);

example(
  "A referrer does not have to be a web address.",
  `
  03-02 09:00 ann / referrer=android-app://com.example.mail/
  03-02 09:01 ann / referrer="the flyer"
  `,
  async (daybook) => counts(await daybook.identityReferrers({ userId: "ann" })),
  ["android-app://com.example.mail/ 1", "the flyer 1"],
);

example(
  "Events of all projects count together.",
  `
  03-02 09:00 ann / referrer=https://news.example/ project=shop
  03-02 09:01 ann / referrer=https://news.example/ project=blog
  `,
  async (daybook) => counts(await daybook.identityReferrers({ userId: "ann" })),
  ["https://news.example/ 2"],
);

example(
  "Other people's events do not count.",
  `
  03-02 09:00 ann / referrer=https://news.example/
  03-02 09:00 bob / referrer=https://news.example/
  03-02 09:00 - / referrer=https://news.example/
  `,
  async (daybook) => counts(await daybook.identityReferrers({ userId: "ann" })),
  ["https://news.example/ 1"],
);

example(
  "An event sent twice with the same id counts once.",
  `
  03-02 09:00 ann / referrer=https://news.example/ id=v1
  03-02 09:00 ann / referrer=https://news.example/ id=v1
  `,
  async (daybook) => counts(await daybook.identityReferrers({ userId: "ann" })),
  ["https://news.example/ 1"],
);

example(
  "At most ten referrers are shown by default.",
  `
  03-02 09:00 ann / referrer=a
  03-02 09:01 ann / referrer=b
  03-02 09:02 ann / referrer=c
  03-02 09:03 ann / referrer=d
  03-02 09:04 ann / referrer=e
  03-02 09:05 ann / referrer=f
  03-02 09:06 ann / referrer=g
  03-02 09:07 ann / referrer=h
  03-02 09:08 ann / referrer=i
  03-02 09:09 ann / referrer=j
  03-02 09:10 ann / referrer=k
  `,
  async (daybook) => [
    counts(await daybook.identityReferrers({ userId: "ann" })),
    counts(await daybook.identityReferrers({ userId: "ann", limit: null })).length,
    counts(await daybook.identityReferrers({ userId: "ann", limit: 50 })).length,
  ],
  [["a 1", "b 1", "c 1", "d 1", "e 1", "f 1", "g 1", "h 1", "i 1", "j 1"], 10, 11],
);

example(
  "A limit keeps the referrers with the most events, and ties are sorted by text.",
  `
  03-02 09:00 ann / referrer=https://b.example/
  03-02 09:01 ann / referrer=https://a.example/
  03-02 09:02 ann / referrer=https://c.example/
  03-02 09:03 ann / referrer=https://c.example/
  `,
  async (daybook) => counts(await daybook.identityReferrers({ userId: "ann", limit: 2 })),
  ["https://c.example/ 2", "https://a.example/ 1"],
);

example(
  "A limit is a whole number from 1 to 50.",
  `
  03-02 09:00 ann / referrer=https://news.example/
  `,
  (daybook) => Promise.all([0, 51, 2.5, -1].map((limit) => daybook.identityReferrers({ userId: "ann", limit }).catch(codeAndParam))),
  [
    ["invalid_parameter", "limit"],
    ["invalid_parameter", "limit"],
    ["invalid_parameter", "limit"],
    ["invalid_parameter", "limit"],
  ],
);

example(
  "The default range is the 30 times 24 hours before now, both ends included.",
  `
  02-18 11:59:59.999 ann / referrer=before
  02-18 12:00 ann / referrer=first
  03-20 12:00 ann / referrer=last
  03-20 12:00:00.001 ann / referrer=after
  `,
  async (daybook) => counts(await daybook.identityReferrers({ userId: "ann" })),
  ["first 1", "last 1"],
);

example(
  "With only a start date, the range ends now; with only an end date, it begins 30 days before now.",
  `
  02-10 09:00 ann / referrer=february
  03-10 09:00 ann / referrer=march
  03-20 12:01 ann / referrer=soon
  `,
  async (daybook) => [
    counts(await daybook.identityReferrers({ userId: "ann", startDate: "2026-02-01" })),
    counts(await daybook.identityReferrers({ userId: "ann", endDate: "2026-03-20" })),
  ],
  [
    ["february 1", "march 1"],
    ["march 1", "soon 1"],
  ],
);

example(
  "Dates are whole UTC days.",
  `
  03-01 23:59:59.999 ann / referrer=before
  03-02 00:00 ann / referrer=first
  03-02 23:59:59.999 ann / referrer=last
  03-03 00:00 ann / referrer=after
  `,
  async (daybook) => counts(await daybook.identityReferrers({ userId: "ann", startDate: "2026-03-02", endDate: "2026-03-02" })),
  ["first 1", "last 1"],
);

example(
  "A time with an offset is converted to UTC.",
  `
  03-02 08:59:59.999 ann / referrer=before
  03-02 09:00 ann / referrer=first
  03-02 09:30 ann / referrer=last
  03-02 09:30:00.001 ann / referrer=after
  `,
  async (daybook) =>
    counts(
      await daybook.identityReferrers({ userId: "ann", startDate: "2026-03-02T14:30:00+05:30", endDate: new Date("2026-03-02T09:30:00Z") }),
    ),
  ["first 1", "last 1"],
);

example(
  "The referrer of a visit before the sign-up belongs to the user.",
  `
  03-02 09:00 ~phone / referrer=https://news.example/
  03-04 09:00 ann~phone signup
  `,
  async (daybook) => [counts(await daybook.identityReferrers({ userId: "ann" })), counts(await daybook.identityReferrers({ userId: "phone" }))],
  [["https://news.example/ 1"], ["https://news.example/ 1"]],
);

example(
  "Two devices of one user count together.",
  `
  03-02 09:00 ~phone / referrer=https://news.example/
  03-02 10:00 ~laptop / referrer=https://news.example/
  03-03 09:00 ann~phone login
  03-03 09:01 ann~laptop login
  `,
  async (daybook) => counts(await daybook.identityReferrers({ userId: "ann" })),
  ["https://news.example/ 2"],
);

example(
  "Anonymous events on a shared device count only for its first user.",
  `
  03-02 09:00 ann~tablet / referrer=https://a.example/
  03-03 09:00 bob~tablet / referrer=https://b.example/
  03-04 09:00 ~tablet / referrer=https://c.example/
  `,
  async (daybook) => [counts(await daybook.identityReferrers({ userId: "ann" })), counts(await daybook.identityReferrers({ userId: "bob" }))],
  [["https://a.example/ 1", "https://c.example/ 1"], ["https://b.example/ 1"]],
);

example(
  "Merged users share their referrers until the merge is undone.",
  `
  03-02 09:00 ann / referrer=https://news.example/
  03-02 10:00 anna / referrer=https://news.example/
  03-10 09:00 anna alias:ann id=00000000-0000-4000-8000-000000000001
  `,
  async (daybook) => {
    const merged = counts(await daybook.identityReferrers({ userId: "ann" }));
    await daybook.unlink("00000000-0000-4000-8000-000000000001");
    return [merged, counts(await daybook.identityReferrers({ userId: "ann" }))];
  },
  [["https://news.example/ 2"], ["https://news.example/ 1"]],
);

example(
  "An alias can also merge a visitor into a user.",
  `
  03-02 09:00 ~phone / referrer=https://news.example/
  03-10 09:00 ~phone alias:ann
  `,
  async (daybook) => counts(await daybook.identityReferrers({ userId: "ann" })),
  ["https://news.example/ 1"],
);

example(
  "An email finds the person most recently identified with it.",
  `
  03-01 08:00 ann identify email=office@example.com
  03-01 09:00 bob identify email=office@example.com
  03-02 09:00 ann / referrer=https://a.example/
  03-02 09:00 bob / referrer=https://b.example/
  `,
  async (daybook) => counts(await daybook.identityReferrers({ email: "Office@Example.com" })),
  ["https://b.example/ 1"],
);

example(
  "If two people are identified with an email in the same millisecond, it belongs to the smaller user id.",
  `
  03-01 09:00 bob identify email=office@example.com
  03-01 09:00 ann identify email=office@example.com
  03-02 09:00 ann / referrer=https://a.example/
  03-02 09:00 bob / referrer=https://b.example/
  `,
  async (daybook) => counts(await daybook.identityReferrers({ email: "office@example.com" })),
  ["https://a.example/ 1"],
);

example(
  "Exactly one of email and user id is required, and the person must exist.",
  `
  03-02 09:00 ann identify email=ann@example.com
  `,
  (daybook) =>
    Promise.all(
      [{}, { email: "ann@example.com", userId: "ann" }, { userId: "bob" }, { email: "bob@example.com" }].map((input) =>
        daybook.identityReferrers(input as never).catch(({ code }: DaybookError) => code),
      ),
    ),
  ["exactly_one_required", "exactly_one_required", "identity_not_found", "identity_not_found"],
);

example(
  "Invalid dates, a start after the end and unknown members are codeAndParam.",
  `
  03-02 09:00 ann / referrer=https://news.example/
  `,
  async (daybook) => [
    await daybook.identityReferrers({ userId: "ann", endDate: "2026-04-31" }).catch(codeAndParam),
    await daybook.identityReferrers({ userId: "ann", project: "shop" } as never).catch(codeAndParam),
    await daybook
      .identityReferrers({ userId: "ann", startDate: "2026-03-03", endDate: "2026-03-02" })
      .catch(({ code }: DaybookError) => code),
  ],
  [["invalid_date", "endDate"], ["unknown_parameter", "project"], "invalid_date_range"],
);
