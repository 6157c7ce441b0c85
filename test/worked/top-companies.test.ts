import type { DaybookError, TopCompanies } from "daybook";
import { example } from "./example.js";

/** Per company its users and events. */
const ranked = ({ companies }: TopCompanies) => companies.map(({ companyId, users, events }) => `${companyId} ${users} users ${events} events`);
const ids = ({ companies }: TopCompanies) => companies.map(({ companyId }) => companyId);
const revenues = ({ companies }: TopCompanies) => companies.map(({ companyId, revenue }) => `${companyId} ${revenue}`);
const labels = ({ companies }: TopCompanies) => companies.map(({ name, domain }) => [name, domain]);
const refused = ({ code, details }: DaybookError) => [code, details.param];

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
  "A company whose people did nothing in the range is left out.",
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
    `By ${sort} the order is ${order.join(", ")}.`,
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
  "Companies with equally many users are ordered by events.",
  `
  03-02 09:00 ann / company=acme
  03-02 09:01 cleo / company=globex
  03-02 09:02 cleo / company=globex
  `,
  async (daybook) => ranked(await daybook.topCompanies()),
  ["globex 1 users 2 events", "acme 1 users 1 events"],
);

example(
  "With users and events equal, the company seen last comes first; with that equal too, the id decides.",
  `
  03-02 09:00 ann / company=initech
  03-02 09:00 bob / company=globex
  03-03 09:00 cleo / company=umbrella
  `,
  async (daybook) => ids(await daybook.topCompanies()),
  ["umbrella", "globex", "initech"],
);

example(
  "Companies of equal revenue are ordered by users before events.",
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
  "Ids that tie in everything come by code point, upper case before lower.",
  `
  03-02 09:00 ann / company=acme
  03-02 09:00 bob / company=Zed
  `,
  async (daybook) => ids(await daybook.topCompanies()),
  ["Zed", "acme"],
);

example(
  "A limit keeps the first ones.",
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
  "At most 50 companies are shown unless asked otherwise.",
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
  "The days of the range are whole and from 1 to 365, the limit from 1 to 200, and the sort key one of four.",
  "",
  (daybook) =>
    Promise.all(
      [{ rangeDays: 0 }, { rangeDays: 366 }, { rangeDays: 1.5 }, { limit: 0 }, { limit: 201 }, { sort: "name" }, { startDate: "2026-03-01" }].map(
        (input) => daybook.topCompanies(input as never).catch(refused),
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
  "A person's first company has the events before it, too.",
  `
  03-02 09:00 ann /
  03-05 09:00 ann group:acme
  `,
  async (daybook) => ranked(await daybook.topCompanies()),
  ["acme 1 users 1 events"],
);

example(
  "Who changes the company adds to the old one before and to the new one after.",
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
  "A company on an event holds for the person's later events, and for all earlier ones if it is the first.",
  `
  03-02 09:00 ann /
  03-03 09:00 ann / company=acme
  03-04 09:00 ann /
  `,
  async (daybook) => ranked(await daybook.topCompanies()),
  ["acme 1 users 3 events"],
);

example(
  "An event's own company comes before the one that the person belongs to.",
  `
  03-01 09:00 ann group:acme
  03-02 09:00 ann /
  03-03 09:00 ann / company=globex
  `,
  async (daybook) => ranked(await daybook.topCompanies({ sort: "last_seen" })),
  ["globex 1 users 1 events", "acme 1 users 1 events"],
);

example(
  "An event belongs to the company that its person joined last before it, also on returning to a former one.",
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
  "An event sees a membership of its own millisecond only if that has the smaller id.",
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
  "Of two memberships at one millisecond, the one with the greater id holds.",
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
  "An event with a company and without a person counts as an event of the company.",
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
  "Visits before the sign-up count for the company that the user joins afterwards.",
  `
  03-02 09:00 ~phone /
  03-03 09:00 ann~phone signup
  03-04 09:00 ann group:acme
  `,
  async (daybook) => ranked(await daybook.topCompanies()),
  ["acme 1 users 2 events"],
);

example(
  "Two ids merged by an alias are one user, with one history of companies.",
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
  "Without traits the name is the id, and so is the domain where the id looks like a host name.",
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
  "Name and domain are those of the newest record that has one, from whichever member it came.",
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
  "A domain among the traits comes before an id that looks like one.",
  `
  03-01 09:00 ann group:acme.example domain=acme.test
  03-02 09:00 ann /
  `,
  async (daybook) => labels(await daybook.topCompanies()),
  [["acme.example", "acme.test"]],
);

example(
  "When a company was last seen is the time of its newest event up to now.",
  `
  03-02 09:00 ann / company=acme
  03-20 11:59 bob / company=acme
  03-20 12:04 bob / company=acme
  `,
  async (daybook) => (await daybook.topCompanies()).companies.map(({ lastSeen, events }) => [lastSeen, events]),
  [["2026-03-20T11:59:00.000Z", 2]],
);

example(
  "Revenue is net of refunds, also of those whose order was paid before the range.",
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
  "A payment repeated with its order key adds an event, but no revenue.",
  `
  03-02 09:00 ann Payment value=50 order=o1 company=acme
  03-02 09:01 ann Payment value=50 order=o1 company=acme
  `,
  async (daybook) => (await daybook.topCompanies()).companies.map(({ events, revenue }) => [events, revenue]),
  [[2, 50]],
);

example(
  "A payment counts for the company that the payer belonged to at the time.",
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
  "Revenue is in the reporting currency: other currencies are converted by the day's rate, or left out.",
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
  "Revenue is rounded once, half to even: 0.025 and 0.1 are 0.12.",
  `
  03-02 09:00 ann Payment value=0.025 company=acme
  03-02 09:01 ann Payment value=0.1 company=acme
  `,
  async (daybook) => revenues(await daybook.topCompanies()),
  ["acme 0.12"],
);
