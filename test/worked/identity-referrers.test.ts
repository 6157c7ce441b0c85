import type { DaybookError, IdentityReferrers } from "daybook";
import { expect } from "vitest";
import { example } from "./example.js";

/** Per referrer how many events. */
const counted = ({ referrers }: IdentityReferrers) => referrers.map(({ referrer, count }) => `${referrer} ${count}`);
const refused = ({ code, details }: DaybookError) => [code, details.param];

example(
  "Events count by their referrer, the most frequent first.",
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
  "Events with no referrer, or with an empty one, do not count.",
  `
  03-02 09:00 ann / referrer=https://news.example/
  03-02 09:01 ann /pricing referrer=""
  03-02 09:02 ann signup
  `,
  (daybook) => daybook.identityReferrers({ userId: "ann" }),
  { identityId: expect.any(String), referrers: [{ referrer: "https://news.example/", count: 1 }] },
);

example(
  "A key in the metadata is no referrer.",
  `
  03-02 09:00 ann / $referrer=https://news.example/ referrer_domain=news.example
  03-02 09:05 ann / referrer=https://other.example
  `,
  async (daybook) => counted(await daybook.identityReferrers({ userId: "ann" })),
  ["https://other.example 1"],
);

example(
  "Referrers are compared as they were sent: with or without www, a final slash or a query they are different.",
  `
  03-02 09:00 ann / referrer=https://news.example/
  03-02 09:01 ann / referrer=https://news.example
  03-02 09:02 ann / referrer=https://www.news.example/
  03-02 09:03 ann / referrer=https://news.example/?page=2
  `,
  async (daybook) => counted(await daybook.identityReferrers({ userId: "ann" })),
  ["https://news.example 1", "https://news.example/ 1", "https://news.example/?page=2 1", "https://www.news.example/ 1"],
);

example(
  "Upper and lower case are different, and upper case comes first among equals.",
  `
  03-02 09:00 ann / referrer=https://a.example/b
  03-02 09:01 ann / referrer=https://a.example/B
  `,
  async (daybook) => counted(await daybook.identityReferrers({ userId: "ann" })),
  ["https://a.example/B 1", "https://a.example/b 1"],
);

example(
  "Equally frequent referrers come in the order of their code points, in which emoji are last.",
  `
  03-02 09:00 ann / referrer=https://a.example/😀
  03-02 09:01 ann / referrer=https://a.example/～
  03-02 09:02 ann / referrer=https://a.example/z
  `,
  async (daybook) => counted(await daybook.identityReferrers({ userId: "ann" })),
  ["https://a.example/z 1", "https://a.example/～ 1", "https://a.example/😀 1"],
);

example(
  "Events of any name count, not only page views.",
  `
  03-02 09:00 ann signup referrer=https://news.example/
  03-02 09:01 ann Payment value=50 referrer=https://news.example/
  `,
  async (daybook) => counted(await daybook.identityReferrers({ userId: "ann" })),
  ["https://news.example/ 2"],
);

example(
  "The site's own pages and payment pages are referrers like any others.",
  `
  03-02 09:00 ann /cart hostname=shop.example referrer=https://shop.example/shoes
  03-02 09:05 ann /thanks hostname=shop.example referrer=https://www.paypal.com/
  `,
  async (daybook) => counted(await daybook.identityReferrers({ userId: "ann" })),
  ["https://shop.example/shoes 1", "https://www.paypal.com/ 1"],
);

example(
  "A referrer need not be a web address.",
  `
  03-02 09:00 ann / referrer=android-app://com.example.mail/
  03-02 09:01 ann / referrer="the flyer"
  `,
  async (daybook) => counted(await daybook.identityReferrers({ userId: "ann" })),
  ["android-app://com.example.mail/ 1", "the flyer 1"],
);

example(
  "Events of all projects count together.",
  `
  03-02 09:00 ann / referrer=https://news.example/ project=shop
  03-02 09:01 ann / referrer=https://news.example/ project=blog
  `,
  async (daybook) => counted(await daybook.identityReferrers({ userId: "ann" })),
  ["https://news.example/ 2"],
);

example(
  "Other people's events do not count.",
  `
  03-02 09:00 ann / referrer=https://news.example/
  03-02 09:00 bob / referrer=https://news.example/
  03-02 09:00 - / referrer=https://news.example/
  `,
  async (daybook) => counted(await daybook.identityReferrers({ userId: "ann" })),
  ["https://news.example/ 1"],
);

example(
  "An event that is sent twice with one id counts once.",
  `
  03-02 09:00 ann / referrer=https://news.example/ id=v1
  03-02 09:00 ann / referrer=https://news.example/ id=v1
  `,
  async (daybook) => counted(await daybook.identityReferrers({ userId: "ann" })),
  ["https://news.example/ 1"],
);

example(
  "At most ten referrers are shown unless asked otherwise.",
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
    counted(await daybook.identityReferrers({ userId: "ann" })),
    counted(await daybook.identityReferrers({ userId: "ann", limit: null })).length,
    counted(await daybook.identityReferrers({ userId: "ann", limit: 50 })).length,
  ],
  [["a 1", "b 1", "c 1", "d 1", "e 1", "f 1", "g 1", "h 1", "i 1", "j 1"], 10, 11],
);

example(
  "A limit keeps the most frequent, and of equals the first by text.",
  `
  03-02 09:00 ann / referrer=https://b.example/
  03-02 09:01 ann / referrer=https://a.example/
  03-02 09:02 ann / referrer=https://c.example/
  03-02 09:03 ann / referrer=https://c.example/
  `,
  async (daybook) => counted(await daybook.identityReferrers({ userId: "ann", limit: 2 })),
  ["https://c.example/ 2", "https://a.example/ 1"],
);

example(
  "A limit is a whole number from 1 to 50.",
  `
  03-02 09:00 ann / referrer=https://news.example/
  `,
  (daybook) => Promise.all([0, 51, 2.5, -1].map((limit) => daybook.identityReferrers({ userId: "ann", limit }).catch(refused))),
  [
    ["invalid_parameter", "limit"],
    ["invalid_parameter", "limit"],
    ["invalid_parameter", "limit"],
    ["invalid_parameter", "limit"],
  ],
);

example(
  "Without dates, the 30 times 24 hours before now count, both ends included.",
  `
  02-18 11:59:59.999 ann / referrer=before
  02-18 12:00 ann / referrer=first
  03-20 12:00 ann / referrer=last
  03-20 12:00:00.001 ann / referrer=after
  `,
  async (daybook) => counted(await daybook.identityReferrers({ userId: "ann" })),
  ["first 1", "last 1"],
);

example(
  "With a start alone, the range ends now; with an end alone, it begins 30 days before now.",
  `
  02-10 09:00 ann / referrer=february
  03-10 09:00 ann / referrer=march
  03-20 12:01 ann / referrer=soon
  `,
  async (daybook) => [
    counted(await daybook.identityReferrers({ userId: "ann", startDate: "2026-02-01" })),
    counted(await daybook.identityReferrers({ userId: "ann", endDate: "2026-03-20" })),
  ],
  [
    ["february 1", "march 1"],
    ["march 1", "soon 1"],
  ],
);

example(
  "Days as dates are whole days of UTC.",
  `
  03-01 23:59:59.999 ann / referrer=before
  03-02 00:00 ann / referrer=first
  03-02 23:59:59.999 ann / referrer=last
  03-03 00:00 ann / referrer=after
  `,
  async (daybook) => counted(await daybook.identityReferrers({ userId: "ann", startDate: "2026-03-02", endDate: "2026-03-02" })),
  ["first 1", "last 1"],
);

example(
  "A timestamp with an offset means its instant.",
  `
  03-02 08:59:59.999 ann / referrer=before
  03-02 09:00 ann / referrer=first
  03-02 09:30 ann / referrer=last
  03-02 09:30:00.001 ann / referrer=after
  `,
  async (daybook) =>
    counted(
      await daybook.identityReferrers({ userId: "ann", startDate: "2026-03-02T14:30:00+05:30", endDate: new Date("2026-03-02T09:30:00Z") }),
    ),
  ["first 1", "last 1"],
);

example(
  "The referrer of the first visit, before anybody signed up, is the user's.",
  `
  03-02 09:00 ~phone / referrer=https://news.example/
  03-04 09:00 ann~phone signup
  `,
  async (daybook) => [counted(await daybook.identityReferrers({ userId: "ann" })), counted(await daybook.identityReferrers({ userId: "phone" }))],
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
  async (daybook) => counted(await daybook.identityReferrers({ userId: "ann" })),
  ["https://news.example/ 2"],
);

example(
  "What is anonymous on a shared device counts for its first user only.",
  `
  03-02 09:00 ann~tablet / referrer=https://a.example/
  03-03 09:00 bob~tablet / referrer=https://b.example/
  03-04 09:00 ~tablet / referrer=https://c.example/
  `,
  async (daybook) => [counted(await daybook.identityReferrers({ userId: "ann" })), counted(await daybook.identityReferrers({ userId: "bob" }))],
  [["https://a.example/ 1", "https://c.example/ 1"], ["https://b.example/ 1"]],
);

example(
  "Merged users have their referrers together, until the merge is taken back.",
  `
  03-02 09:00 ann / referrer=https://news.example/
  03-02 10:00 anna / referrer=https://news.example/
  03-10 09:00 anna alias:ann id=00000000-0000-4000-8000-000000000001
  `,
  async (daybook) => {
    const merged = counted(await daybook.identityReferrers({ userId: "ann" }));
    await daybook.unlink("00000000-0000-4000-8000-000000000001");
    return [merged, counted(await daybook.identityReferrers({ userId: "ann" }))];
  },
  [["https://news.example/ 2"], ["https://news.example/ 1"]],
);

example(
  "A visitor can be merged into a user by an alias as well.",
  `
  03-02 09:00 ~phone / referrer=https://news.example/
  03-10 09:00 ~phone alias:ann
  `,
  async (daybook) => counted(await daybook.identityReferrers({ userId: "ann" })),
  ["https://news.example/ 1"],
);

example(
  "An email selects the person most recently identified with it.",
  `
  03-01 08:00 ann identify email=office@example.com
  03-01 09:00 bob identify email=office@example.com
  03-02 09:00 ann / referrer=https://a.example/
  03-02 09:00 bob / referrer=https://b.example/
  `,
  async (daybook) => counted(await daybook.identityReferrers({ email: "Office@Example.com" })),
  ["https://b.example/ 1"],
);

example(
  "Of two people identified with an email at one millisecond, the one with the smaller user id has it.",
  `
  03-01 09:00 bob identify email=office@example.com
  03-01 09:00 ann identify email=office@example.com
  03-02 09:00 ann / referrer=https://a.example/
  03-02 09:00 bob / referrer=https://b.example/
  `,
  async (daybook) => counted(await daybook.identityReferrers({ email: "office@example.com" })),
  ["https://a.example/ 1"],
);

example(
  "A person is selected by one of email and user id, and must be known.",
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
  "A date that does not exist, a start after the end and an unknown member are errors that name the member.",
  `
  03-02 09:00 ann / referrer=https://news.example/
  `,
  async (daybook) => [
    await daybook.identityReferrers({ userId: "ann", endDate: "2026-04-31" }).catch(refused),
    await daybook.identityReferrers({ userId: "ann", project: "shop" } as never).catch(refused),
    await daybook
      .identityReferrers({ userId: "ann", startDate: "2026-03-03", endDate: "2026-03-02" })
      .catch(({ code }: DaybookError) => code),
  ],
  [["invalid_date", "endDate"], ["unknown_parameter", "project"], "invalid_date_range"],
);
