import type { CompanyTopUsers, DaybookError } from "daybook";
import { codeAndParam, example } from "./example.js";

/** The identifier and number of events of each person. */
const eventCounts = ({ users }: CompanyTopUsers) => users.map(({ resolvedIdentifier, events }) => `${resolvedIdentifier} ${events}`);

example(
  "A company's users are sorted by number of events.",
  `
  03-01 08:00 ann group:acme
  03-01 08:01 bob group:acme
  03-02 09:00 ann /
  03-02 09:01 bob /
  03-03 09:00 bob /pricing
  `,
  (daybook) => daybook.companyTopUsers({ companyId: "acme" }),
  {
    companyId: "acme",
    users: [
      { resolvedIdentifier: "bob", events: 2, lastSeen: "2026-03-03T09:00:00.000Z" },
      { resolvedIdentifier: "ann", events: 1, lastSeen: "2026-03-02T09:00:00.000Z" },
    ],
  },
);

example(
  "A company without activity in the range has an empty list.",
  `
  01-10 09:00 ann / company=acme
  `,
  (daybook) => daybook.companyTopUsers({ companyId: "acme" }),
  { companyId: "acme", users: [] },
);

example(
  "A company known only from a membership has an empty list.",
  `
  03-01 08:00 ann group:acme
  `,
  (daybook) => daybook.companyTopUsers({ companyId: "acme" }),
  { companyId: "acme", users: [] },
);

example(
  "An unknown company is an error, and company ids are case-sensitive.",
  `
  03-02 09:00 ann / company=acme
  `,
  (daybook) =>
    Promise.all(["globex", "Acme"].map((companyId) => daybook.companyTopUsers({ companyId }).catch(({ code }: DaybookError) => code))),
  ["company_not_found", "company_not_found"],
);

example(
  "People with the same number of events are sorted by last activity, newest first.",
  `
  03-02 09:00 ann / company=acme
  03-03 09:00 bob / company=acme
  03-02 10:00 cleo / company=acme
  `,
  async (daybook) => eventCounts(await daybook.companyTopUsers({ companyId: "acme" })),
  ["bob 1", "cleo 1", "ann 1"],
);

example(
  "People with equal events and last activity are sorted by identifier, upper case first.",
  `
  03-02 09:00 cleo / company=acme
  03-02 09:00 ann / company=acme
  03-02 09:00 Bob / company=acme
  `,
  async (daybook) => eventCounts(await daybook.companyTopUsers({ companyId: "acme" })),
  ["Bob 1", "ann 1", "cleo 1"],
);

example(
  "Ties are broken by the displayed identifier: the email, not the user id.",
  `
  03-01 09:00 ann identify email=zoe@example.com
  03-02 09:00 ann / company=acme
  03-02 09:00 bob / company=acme
  `,
  async (daybook) => eventCounts(await daybook.companyTopUsers({ companyId: "acme" })),
  ["bob 1", "zoe@example.com 1"],
);

example(
  "A person is shown with the latest email, trimmed and in lower case.",
  `
  03-01 09:00 ann identify email=old@example.com
  03-02 09:00 ann identify email=" Ann@Example.com "
  03-03 09:00 ann / company=acme
  `,
  async (daybook) => eventCounts(await daybook.companyTopUsers({ companyId: "acme" })),
  ["ann@example.com 1"],
);

example(
  "An email now assigned to another person is not shown for its former owner, who is shown with the user id.",
  `
  03-01 09:00 ann identify email=office@example.com
  03-02 09:00 bob identify email=office@example.com
  03-03 09:00 ann / company=acme
  03-04 09:00 bob / company=acme
  `,
  async (daybook) => eventCounts(await daybook.companyTopUsers({ companyId: "acme" })),
  ["office@example.com 1", "ann 1"],
);

example(
  "The displayed identifier can be used to look up the person.",
  `
  03-01 09:00 ann identify email=ann@example.com
  03-02 09:00 ann / company=acme
  03-02 09:01 ann / company=acme
  `,
  async (daybook) => {
    const [first] = (await daybook.companyTopUsers({ companyId: "acme" })).users;
    return (await daybook.identityProfile({ email: first?.resolvedIdentifier ?? "" })).events;
  },
  2,
);

example(
  "Unidentified visitors are not listed.",
  `
  03-02 09:00 ~phone / company=acme
  03-02 09:01 ann / company=acme
  03-02 09:02 - / company=acme
  `,
  async (daybook) => eventCounts(await daybook.companyTopUsers({ companyId: "acme" })),
  ["ann 1"],
);

example(
  "A visitor with an email is listed by that email.",
  `
  03-01 09:00 ~phone identify email=cleo@example.com
  03-02 09:00 ~phone / company=acme
  `,
  async (daybook) => eventCounts(await daybook.companyTopUsers({ companyId: "acme" })),
  ["cleo@example.com 1"],
);

example(
  "A user's visits before the sign-up and all events before the first company count.",
  `
  03-02 09:00 ~phone /
  03-03 09:00 ann~phone signup
  03-04 09:00 ann group:acme
  `,
  (daybook) => daybook.companyTopUsers({ companyId: "acme" }),
  { companyId: "acme", users: [{ resolvedIdentifier: "ann", events: 2, lastSeen: "2026-03-03T09:00:00.000Z" }] },
);

example(
  "Merged users are one person, shown with the surviving id.",
  `
  03-02 09:00 anna / company=acme
  03-03 09:00 ann / company=acme
  03-10 09:00 anna alias:ann
  `,
  async (daybook) => eventCounts(await daybook.companyTopUsers({ companyId: "acme" })),
  ["ann 2"],
);

example(
  "After a merge is undone, the two users are listed separately.",
  `
  03-02 09:00 anna / company=acme
  03-03 09:00 ann / company=acme
  03-10 09:00 anna alias:ann id=00000000-0000-4000-8000-000000000001
  `,
  async (daybook) => {
    await daybook.unlink("00000000-0000-4000-8000-000000000001");
    return eventCounts(await daybook.companyTopUsers({ companyId: "acme" }));
  },
  ["ann 1", "anna 1"],
);

example(
  "The email of a merged id belongs to the merged person.",
  `
  03-01 09:00 anna identify email=anna@example.com
  03-02 09:00 ann / company=acme
  03-10 09:00 anna alias:ann
  `,
  async (daybook) => eventCounts(await daybook.companyTopUsers({ companyId: "acme" })),
  ["anna@example.com 1"],
);

example(
  "A person who left counts with the events up to then.",
  `
  03-01 09:00 ann group:acme
  03-02 09:00 ann /
  03-03 09:00 ann /
  03-10 09:00 ann group:globex
  03-11 09:00 ann /
  `,
  async (daybook) => [
    await daybook.companyTopUsers({ companyId: "acme" }),
    await daybook.companyTopUsers({ companyId: "globex" }),
  ],
  [
    { companyId: "acme", users: [{ resolvedIdentifier: "ann", events: 2, lastSeen: "2026-03-03T09:00:00.000Z" }] },
    { companyId: "globex", users: [{ resolvedIdentifier: "ann", events: 1, lastSeen: "2026-03-11T09:00:00.000Z" }] },
  ],
);

example(
  "A company on an event applies to that event and the person's later events.",
  `
  03-01 09:00 ann group:acme
  03-02 09:00 ann /
  03-03 09:00 ann / company=globex
  03-04 09:00 ann /
  `,
  async (daybook) => [
    eventCounts(await daybook.companyTopUsers({ companyId: "acme" })),
    eventCounts(await daybook.companyTopUsers({ companyId: "globex" })),
  ],
  [["ann 1"], ["ann 2"]],
);

example(
  "A membership in the same millisecond as an event applies to it only if the membership has the smaller id.",
  `
  03-01 09:00 ann group:acme
  03-05 09:00 ann group:globex id=00000000-0000-4000-8000-000000000002
  03-05 09:00 ann click id=00000000-0000-4000-8000-000000000001
  03-05 09:00 ann click id=00000000-0000-4000-8000-000000000003
  03-05 09:00 ann click id=00000000-0000-4000-8000-000000000004
  `,
  async (daybook) => [
    eventCounts(await daybook.companyTopUsers({ companyId: "acme" })),
    eventCounts(await daybook.companyTopUsers({ companyId: "globex" })),
  ],
  [["ann 1"], ["ann 2"]],
);

example(
  "Events of any name and of all projects count, also payments without a session.",
  `
  03-02 09:00 ann / company=acme project=shop
  03-02 09:01 ann click company=acme project=blog
  03-02 09:02 ann Payment value=50 company=acme project=shop
  `,
  async (daybook) => eventCounts(await daybook.companyTopUsers({ companyId: "acme" })),
  ["ann 3"],
);

example(
  "An event sent twice with the same id counts once.",
  `
  03-02 09:00 ann / company=acme id=v1
  03-02 09:00 ann / company=acme id=v1
  `,
  async (daybook) => eventCounts(await daybook.companyTopUsers({ companyId: "acme" })),
  ["ann 1"],
);

example(
  "The default range is the 30 times 24 hours before now, both ends included.",
  `
  02-18 11:59:59.999 dan / company=acme
  02-18 12:00 cleo / company=acme
  03-20 12:00 bob / company=acme
  03-20 12:00:00.001 ann / company=acme
  `,
  async (daybook) => eventCounts(await daybook.companyTopUsers({ companyId: "acme" })),
  ["bob 1", "cleo 1"],
);

example(
  "A range of two days is the 48 hours before now.",
  `
  03-18 11:59:59.999 ann / company=acme
  03-18 12:00 bob / company=acme
  03-19 23:00 bob / company=acme
  `,
  async (daybook) => eventCounts(await daybook.companyTopUsers({ companyId: "acme", rangeDays: 2 })),
  ["bob 2"],
);

example(
  "A limit keeps the people with the most events.",
  `
  03-02 09:00 ann / company=acme
  03-02 09:01 bob / company=acme
  03-02 09:02 bob / company=acme
  03-02 09:03 cleo / company=acme
  `,
  async (daybook) => eventCounts(await daybook.companyTopUsers({ companyId: "acme", limit: 2 })),
  ["bob 2", "cleo 1"],
);

example(
  "At most 20 people are listed by default.",
  "",
  async (daybook) => {
    const createdAt = "2026-03-02T09:00:00Z";
    await daybook.ingest(Array.from({ length: 21 }, (_, at) => ({ name: "visit", userId: `user ${at}`, companyId: "acme", createdAt })));
    const byDefault = await daybook.companyTopUsers({ companyId: "acme" });
    const all = await daybook.companyTopUsers({ companyId: "acme", limit: 100 });
    return [byDefault.users.length, all.users.length];
  },
  [20, 21],
);

example(
  "The list has as many people as the company ranking counts users.",
  `
  03-02 09:00 ann / company=acme
  03-02 09:01 bob / company=acme
  03-02 09:02 ~phone / company=acme
  `,
  async (daybook) => [
    (await daybook.topCompanies()).companies[0]?.users,
    eventCounts(await daybook.companyTopUsers({ companyId: "acme" })),
  ],
  [2, ["bob 1", "ann 1"]],
);

example(
  "The company is required, the range has 1 to 365 days, and the limit is 1 to 100.",
  `
  03-02 09:00 ann / company=acme
  `,
  (daybook) =>
    Promise.all(
      [
        {},
        { companyId: "acme", rangeDays: 0 },
        { companyId: "acme", rangeDays: 366 },
        { companyId: "acme", limit: 0 },
        { companyId: "acme", limit: 101 },
        { companyId: "acme", sort: "events" },
      ].map((input) => daybook.companyTopUsers(input as never).catch(codeAndParam)),
    ),
  [
    ["invalid_parameter", "companyId"],
    ["invalid_parameter", "rangeDays"],
    ["invalid_parameter", "rangeDays"],
    ["invalid_parameter", "limit"],
    ["invalid_parameter", "limit"],
    ["unknown_parameter", "sort"],
  ],
);
