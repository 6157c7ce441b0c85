import type { TopCompanies } from "daybook";
import { codeAndParam, example } from "./example.js";

/** The number of users and events of each company. */
const ranked = ({ companies }: TopCompanies) => companies.map(({ companyId, users, events }) => `${companyId} ${users} users ${events} events`);
const ids = ({ companies }: TopCompanies) => companies.map(({ companyId }) => companyId);
const revenues = ({ companies }: TopCompanies) => companies.map(({ companyId, revenue }) => `${companyId} ${revenue}`);
const labels = ({ companies }: TopCompanies) => companies.map(({ name, domain }) => [name, domain]);

example(
  "Companies are ranked by their users of the last 30 days.",
  `
  03-01 08:00 ann group:acme name="Acme Inc" domain=acme.example
  03-01 08:01 bob group:acme
  03-01 08:02 cleo group:globex
  03-02 09:00 ann /
  03-02 09:01 bob /
  03-03 09:00 cleo /
  03-03 09:01 cleo /
  03-03 09:02 cleo Payment value=50
  `,
  (daybook) => daybook.topCompanies(),
  {
    currency: "USD",
    companies: [
      { companyId: "acme", name: "Acme Inc", domain: "acme.example", events: 2, users: 2, lastSeen: "2026-03-02T09:01:00.000Z", revenue: 0 },
      { companyId: "globex", name: "globex", domain: null, events: 3, users: 1, lastSeen: "2026-03-03T09:02:00.000Z", revenue: 50 },
    ],
  },
);

example(
  "Without companies the list is empty.",
  `
  03-02 09:00 ann /
  `,
  (daybook) => daybook.topCompanies({}),
  { currency: "USD", companies: [] },
);

example(
  "A company without activity in the range is left out.",
  `
  03-01 08:00 ann group:acme name="Acme Inc"
  03-01 08:01 bob group:globex
  01-10 09:00 ann /
  03-02 09:00 bob /
  `,
  async (daybook) => ranked(await daybook.topCompanies()),
  ["globex 1 users 1 events"],
);

for (const [sort, order] of [
  ["users", ["acme", "globex", "initech"]],
  ["events", ["globex", "acme", "initech"]],
  ["last_seen", ["initech", "globex", "acme"]],
  ["revenue", ["initech", "acme", "globex"]],
] as const)
  example(
    `Sorted by ${sort}, the order is ${order.join(", ")}.`,
    `
    03-02 09:00 ann / company=acme
    03-02 09:01 bob / company=acme
    03-02 09:02 bob Payment value=10 company=acme
    03-03 09:00 cleo / company=globex
    03-03 09:01 cleo / company=globex
    03-03 09:02 cleo / company=globex
    03-03 09:03 cleo / company=globex
    03-04 09:00 dan Payment value=99 company=initech
    `,
    async (daybook) => ids(await daybook.topCompanies({ sort })),
    order,
  );

example(
  "Companies with the same number of users are sorted by events.",
  `
  03-02 09:00 ann / company=acme
  03-02 09:01 cleo / company=globex
  03-02 09:02 cleo / company=globex
  `,
  async (daybook) => ranked(await daybook.topCompanies()),
  ["globex 1 users 2 events", "acme 1 users 1 events"],
);

example(
  "Companies with equal users and events are sorted by last activity, then by id.",
  `
  03-02 09:00 ann / company=initech
  03-02 09:00 bob / company=globex
  03-03 09:00 cleo / company=umbrella
  `,
  async (daybook) => ids(await daybook.topCompanies()),
  ["umbrella", "globex", "initech"],
);

example(
  "Companies with equal revenue are sorted by users, then by events.",
  `
  03-02 09:00 ann / company=acme
  03-02 09:01 ann / company=acme
  03-02 09:02 ann / company=acme
  03-02 09:03 bob / company=globex
  03-02 09:04 cleo / company=globex
  `,
  async (daybook) => ids(await daybook.topCompanies({ sort: "revenue" })),
  ["globex", "acme"],
);

example(
  "Companies that are equal in everything else are sorted by id in code point order, upper case first.",
  `
  03-02 09:00 ann / company=acme
  03-02 09:00 bob / company=Zed
  `,
  async (daybook) => ids(await daybook.topCompanies()),
  ["Zed", "acme"],
);

example(
  "A limit keeps the top companies.",
  `
  03-02 09:00 ann / company=acme
  03-02 09:01 bob / company=globex
  03-02 09:02 cleo / company=globex
  03-02 09:03 dan / company=initech
  `,
  async (daybook) => ranked(await daybook.topCompanies({ limit: 2 })),
  ["globex 2 users 2 events", "initech 1 users 1 events"],
);

example(
  "At most 50 companies are shown by default.",
  "",
  async (daybook) => {
    const createdAt = "2026-03-02T09:00:00Z";
    await daybook.ingest(Array.from({ length: 51 }, (_, at) => ({ name: "visit", userId: "ann", companyId: `company ${at}`, createdAt })));
    return [(await daybook.topCompanies()).companies.length, (await daybook.topCompanies({ limit: 200 })).companies.length];
  },
  [50, 51],
);

example(
  "The default range is the 30 times 24 hours before now, both ends included.",
  `
  02-18 11:59:59.999 ann / company=before
  02-18 12:00 ann / company=first
  03-20 12:00 ann / company=last
  03-20 12:00:00.001 ann / company=after
  `,
  async (daybook) => ids(await daybook.topCompanies()),
  ["last", "first"],
);

example(
  "A range of one day is the 24 hours before now, not a calendar day.",
  `
  03-19 11:59:59.999 ann / company=acme
  03-19 12:00 ann / company=acme
  03-20 12:00 bob / company=acme
  `,
  async (daybook) => ranked(await daybook.topCompanies({ rangeDays: 1 })),
  ["acme 2 users 2 events"],
);

example(
  "A range reaches back 365 days at most.",
  `
  2025-03-20 11:59:59.999 ann / company=acme
  2025-03-20 12:00 ann / company=acme
  `,
  async (daybook) => ranked(await daybook.topCompanies({ rangeDays: 365 })),
  ["acme 1 users 1 events"],
);

example(
  "The range has 1 to 365 whole days, the limit is 1 to 200, and the sort key is one of four.",
  "",
  (daybook) =>
    Promise.all(
      [{ rangeDays: 0 }, { rangeDays: 366 }, { rangeDays: 1.5 }, { limit: 0 }, { limit: 201 }, { sort: "name" }, { startDate: "2026-03-01" }].map(
        (input) => daybook.topCompanies(input as never).catch(codeAndParam),
      ),
    ),
  [
    ["invalid_parameter", "rangeDays"],
    ["invalid_parameter", "rangeDays"],
    ["invalid_parameter", "rangeDays"],
    ["invalid_parameter", "limit"],
    ["invalid_parameter", "limit"],
    ["invalid_parameter", "sort"],
    ["unknown_parameter", "startDate"],
  ],
);

example(
  "A person's first company also has the person's earlier events.",
  `
  03-02 09:00 ann /
  03-05 09:00 ann group:acme
  `,
  async (daybook) => ranked(await daybook.topCompanies()),
  ["acme 1 users 1 events"],
);

example(
  "A person who changes company counts for the old company before the change and for the new one after it.",
  `
  03-01 09:00 ann group:acme
  03-10 09:00 ann group:globex
  03-02 09:00 ann /
  03-03 09:00 ann /
  03-11 09:00 ann /
  `,
  async (daybook) => ranked(await daybook.topCompanies()),
  ["acme 1 users 2 events", "globex 1 users 1 events"],
);

example(
  "A company on an event also applies to later events, and to all earlier ones if it is the person's first.",
  `
  03-02 09:00 ann /
  03-03 09:00 ann / company=acme
  03-04 09:00 ann /
  `,
  async (daybook) => ranked(await daybook.topCompanies()),
  ["acme 1 users 3 events"],
);

example(
  "The company on an event takes precedence over the person's company.",
  `
  03-01 09:00 ann group:acme
  03-02 09:00 ann /
  03-03 09:00 ann / company=globex
  `,
  async (daybook) => ranked(await daybook.topCompanies({ sort: "last_seen" })),
  ["globex 1 users 1 events", "acme 1 users 1 events"],
);

example(
  "An event belongs to the company its person joined most recently, including when returning to an earlier one.",
  `
  03-01 09:00 ann group:acme
  03-05 09:00 ann / company=globex
  03-06 09:00 ann /
  03-07 09:00 ann group:acme
  03-08 09:00 ann /
  `,
  async (daybook) => ranked(await daybook.topCompanies()),
  ["globex 1 users 2 events", "acme 1 users 1 events"],
);

example(
  "A membership in the same millisecond as an event applies to it only if the membership has the smaller id.",
  `
  03-01 09:00 ann group:acme
  03-05 09:00 ann group:globex id=00000000-0000-4000-8000-000000000002
  03-05 09:00 ann / id=00000000-0000-4000-8000-000000000001
  03-05 09:00 ann / id=00000000-0000-4000-8000-000000000003
  03-06 09:00 ann /
  `,
  async (daybook) => ranked(await daybook.topCompanies()),
  ["globex 1 users 2 events", "acme 1 users 1 events"],
);

example(
  "If two memberships have the same millisecond, the one with the greater id applies.",
  `
  03-01 09:00 ann group:acme id=00000000-0000-4000-8000-000000000002
  03-01 09:00 ann group:globex id=00000000-0000-4000-8000-000000000001
  03-02 09:00 ann /
  `,
  async (daybook) => ranked(await daybook.topCompanies()),
  ["acme 1 users 1 events"],
);

example(
  "A membership that is taken back has no effect.",
  `
  03-01 09:00 ann group:acme
  03-05 09:00 ann group:globex id=00000000-0000-4000-8000-000000000001
  03-02 09:00 ann /
  03-06 09:00 ann /
  `,
  async (daybook) => {
    await daybook.unlink("00000000-0000-4000-8000-000000000001");
    return ranked(await daybook.topCompanies());
  },
  ["acme 1 users 2 events"],
);

example(
  "Anonymous visitors add events to a company, but no users.",
  `
  03-01 09:00 ~phone group:acme
  03-02 09:00 ~phone /
  03-02 09:01 ann / company=acme
  `,
  async (daybook) => ranked(await daybook.topCompanies()),
  ["acme 1 users 2 events"],
);

example(
  "An event with a company but no identity counts as an event of the company.",
  `
  03-02 09:00 - api-call company=acme
  `,
  async (daybook) => ranked(await daybook.topCompanies()),
  ["acme 0 users 1 events"],
);

example(
  "A visitor with an email is identified and counts as a user.",
  `
  03-01 09:00 ~phone group:acme
  03-01 09:01 ~phone identify email=cleo@example.com
  03-02 09:00 ~phone /
  `,
  async (daybook) => ranked(await daybook.topCompanies()),
  ["acme 1 users 1 events"],
);

example(
  "Visits before the sign-up count for the first company that the user joins.",
  `
  03-02 09:00 ~phone /
  03-03 09:00 ann~phone signup
  03-04 09:00 ann group:acme
  `,
  async (daybook) => ranked(await daybook.topCompanies()),
  ["acme 1 users 2 events"],
);

example(
  "Two ids merged by an alias are one user with one company history.",
  `
  03-01 09:00 ann group:acme
  03-03 09:00 anna group:globex
  03-02 09:00 anna /
  03-04 09:00 ann /
  03-10 09:00 anna alias:ann
  `,
  async (daybook) => ranked(await daybook.topCompanies()),
  ["globex 1 users 1 events", "acme 1 users 1 events"],
);

example(
  "A person with events in two companies is a user of both.",
  `
  03-02 09:00 ann / company=acme
  03-03 09:00 ann / company=globex
  `,
  async (daybook) => ranked(await daybook.topCompanies()),
  ["globex 1 users 1 events", "acme 1 users 1 events"],
);

example(
  "Events of all projects count together.",
  `
  03-02 09:00 ann / company=acme project=shop
  03-02 09:01 bob / company=acme project=blog
  `,
  async (daybook) => ranked(await daybook.topCompanies()),
  ["acme 2 users 2 events"],
);

example(
  "Company ids are case-sensitive.",
  `
  03-02 09:00 ann / company=acme
  03-03 09:00 bob / company=Acme
  `,
  async (daybook) => ids(await daybook.topCompanies()),
  ["Acme", "acme"],
);

example(
  "Without traits, the id is the name, and also the domain if it looks like a hostname.",
  `
  03-03 09:00 ann / company=acme.example
  03-02 09:00 bob / company="42"
  `,
  async (daybook) => labels(await daybook.topCompanies()),
  [
    ["acme.example", "acme.example"],
    ["42", null],
  ],
);

example(
  "The name and the domain each come from the newest record that has one, from any member.",
  `
  03-03 09:00 bob group:acme name="Acme Corp"
  03-01 09:00 ann group:acme name=Acme domain=acme.example
  03-05 09:00 ann group:acme plan=pro
  03-02 09:00 ann /
  `,
  async (daybook) => labels(await daybook.topCompanies()),
  [["Acme Corp", "acme.example"]],
);

example(
  "A domain trait takes precedence over an id that looks like a hostname.",
  `
  03-01 09:00 ann group:acme.example domain=acme.test
  03-02 09:00 ann /
  `,
  async (daybook) => labels(await daybook.topCompanies()),
  [["acme.example", "acme.test"]],
);

example(
  "The last-seen time of a company is the time of its newest event up to now.",
  `
  03-02 09:00 ann / company=acme
  03-20 11:59 bob / company=acme
  03-20 12:04 bob / company=acme
  `,
  async (daybook) => (await daybook.topCompanies()).companies.map(({ lastSeen, events }) => [lastSeen, events]),
  [["2026-03-20T11:59:00.000Z", 2]],
);

example(
  "Revenue is net of refunds, including refunds of orders paid before the range.",
  `
  01-10 09:00 ann Payment value=100 order=o1 company=acme
  03-02 09:00 ann Payment value=50 order=o2 company=acme
  03-03 09:00 ann Refund value=30 order=o1 company=acme
  03-04 09:00 bob Refund value=5 order=o9 company=globex
  `,
  async (daybook) => revenues(await daybook.topCompanies({ sort: "revenue" })),
  ["acme 20", "globex -5"],
);

example(
  "A payment repeated with the same order key adds an event but no revenue.",
  `
  03-02 09:00 ann Payment value=50 order=o1 company=acme
  03-02 09:01 ann Payment value=50 order=o1 company=acme
  `,
  async (daybook) => (await daybook.topCompanies()).companies.map(({ events, revenue }) => [events, revenue]),
  [[2, 50]],
);

example(
  "A payment counts for the payer's company at the time of payment.",
  `
  03-01 09:00 ann group:acme
  03-10 09:00 ann group:globex
  03-09 09:00 ann Payment value=10
  03-11 09:00 ann Payment value=20
  `,
  async (daybook) => revenues(await daybook.topCompanies({ sort: "revenue" })),
  ["globex 20", "acme 10"],
);

example(
  "Revenue is converted into the reporting currency at the day's rate, and amounts without a rate are left out.",
  `
  03-02 09:00 ann Payment value=10 company=acme
  03-02 09:01 ann Payment value=10 currency=USD company=acme
  03-02 09:02 ann Payment value=500 currency=CHF company=acme
  `,
  async (daybook) => {
    const { currency, companies } = await daybook.topCompanies();
    return [currency, companies.map(({ revenue }) => revenue)];
  },
  ["EUR", [15]],
  { currency: "EUR", rates: (from) => (from === "USD" ? 0.5 : undefined) },
);

example(
  "Revenue is rounded once, half to even: 0.025 and 0.1 give 0.12.",
  `
  03-02 09:00 ann Payment value=0.025 company=acme
  03-02 09:01 ann Payment value=0.1 company=acme
  `,
  async (daybook) => revenues(await daybook.topCompanies()),
  ["acme 0.12"],
);
