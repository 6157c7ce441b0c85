import type { Daybook, SegmentCondition, UniqueUsersInput } from "daybook";
import { failure } from "../query/reports/layouts.js";
import { example, refusal } from "./example.js";

const people = (input?: UniqueUsersInput) => (daybook: Daybook) => daybook.countUniqueUsers(input);

/** Counts the people with an event that matches one filter. */
const where = (fieldName: string, operator: string, value?: unknown) => people({ filterGroups: [{ filters: [{ fieldName, operator, value }] }] });

/** Input that selects the people in a segment with one group of conditions. */
const inSegment = (...conditions: readonly SegmentCondition[]): UniqueUsersInput => ({
  filterGroups: [{ filters: [{ fieldName: "identity_id", operator: "in_segment", value: "these" }] }],
  segments: { these: { groups: [{ conditions }] } },
});

/** The code and parameter of the error that refuses the query. */
const refused = (input: UniqueUsersInput) => (daybook: Daybook) => refusal(daybook.countUniqueUsers(input));

example(
  "A person counts once, regardless of the number of events.",
  `
  03-02 09:00 ann signup
  03-02 09:05 ann buy
  03-03 09:00 ann buy
  03-03 10:00 bob signup
  `,
  people(),
  2,
);

example("A store without events has 0 people.", "", people(), 0);

example(
  "A visitor known only by an anonymous id counts as one person.",
  `
  03-02 09:00 ~phone /home
  03-02 09:05 ~phone /docs
  03-02 09:10 ~laptop /home
  `,
  people(),
  2,
);

example(
  "An event with neither a user id nor an anonymous id adds no person.",
  `
  03-02 09:00 ann ping
  03-02 09:05 - ping
  03-02 09:10 - ping
  `,
  people(),
  1,
);

example(
  "An event with both ids makes the visitor and the user one person, including for earlier visits.",
  `
  03-02 09:00 ~phone /home
  03-03 09:00 ann~phone signup
  03-04 09:00 ann buy
  `,
  people(),
  1,
);

example(
  "An identify with both ids links them, like an event.",
  `
  03-02 09:00 ~phone /home
  03-04 09:00 ann buy
  03-09 09:00 ann~phone identify
  `,
  people(),
  1,
);

example(
  "A link applies to every range, even one that ends before the link.",
  `
  03-02 09:00 ~phone /home
  03-02 09:05 ann /home
  03-09 09:00 ann~phone signup
  `,
  people({ startDate: "2026-03-02", endDate: "2026-03-02" }),
  1,
);

example(
  "Two devices of one user are one person.",
  `
  03-02 09:00 ~phone /home
  03-02 10:00 ~laptop /home
  03-03 09:00 ann~phone login
  03-04 09:00 ann~laptop login
  `,
  people(),
  1,
);

example(
  "A shared device belongs to the user linked first, and the second user remains a separate person.",
  `
  03-02 09:00 ~tablet /home
  03-03 09:00 ann~tablet login
  03-04 09:00 bob~tablet login
  `,
  people(),
  2,
);

example(
  "Anonymous visits on a shared device belong to the first user, even after the second user's login.",
  `
  03-03 09:00 ann~tablet login
  03-04 09:00 bob~tablet login
  03-05 09:00 ~tablet /home
  03-05 09:05 ann /home
  `,
  people({ startDate: "2026-03-05" }),
  1,
);

example(
  "If two links have the same millisecond, the device belongs to the smaller user id.",
  `
  03-02 09:00 ~tablet /home
  03-03 09:00 bob~tablet login
  03-03 09:00 ann~tablet login
  03-04 09:00 ann /home
  `,
  people({ eventName: "Pageview" }),
  1,
);

example(
  "An alias makes two users one person.",
  `
  03-02 09:00 annie signup
  03-03 09:00 ann signup
  03-09 09:00 annie alias:ann
  `,
  people(),
  1,
);

example(
  "A chain of aliases is resolved to its end.",
  `
  03-02 09:00 a signup
  03-02 09:05 b signup
  03-02 09:10 c signup
  03-09 09:00 a alias:b
  03-09 09:05 b alias:c
  `,
  people(),
  1,
);

example(
  "An alias that would create a cycle has no effect.",
  `
  03-02 09:00 ann signup
  03-02 09:05 annie signup
  03-02 09:10 bob signup
  03-09 09:00 annie alias:ann
  03-09 09:05 ann alias:annie
  `,
  people(),
  2,
);

example(
  "An alias from an anonymous id links the device to the user.",
  `
  03-02 09:00 ~phone /home
  03-03 09:00 ann signup
  03-09 09:00 ~phone alias:ann
  `,
  people(),
  1,
);

example(
  "Two users with one email are two people.",
  `
  03-02 09:00 ann signup
  03-02 09:05 bob signup
  03-02 09:10 ann identify email=team@acme.example
  03-02 09:15 bob identify email=team@acme.example
  `,
  people(),
  2,
);

example(
  "Ids are case-sensitive.",
  `
  03-02 09:00 ann signup
  03-02 09:05 Ann signup
  `,
  people(),
  2,
);

example(
  "A user id and an anonymous id with the same text are two people.",
  `
  03-02 09:00 kiosk signup
  03-02 09:05 ~kiosk /home
  `,
  people(),
  2,
);

example(
  "After an alias is undone, the two users are two people again.",
  `
  03-02 09:00 annie signup
  03-03 09:00 ann signup
  03-09 09:00 annie alias:ann id=merge
  `,
  async (daybook) => {
    const merged = await daybook.countUniqueUsers();
    await daybook.ingestRecords([{ type: "unlink", linkId: "merge" }]);
    return [merged, await daybook.countUniqueUsers()];
  },
  [1, 2],
);

example(
  "An identify without an event adds no person.",
  `
  03-02 09:00 ann signup
  03-02 09:05 bob identify plan=pro
  `,
  people(),
  1,
);

example(
  "Across all projects, a user of two projects counts as one person.",
  `
  03-02 09:00 ann ping project=web
  03-02 09:05 ann ping project=app
  03-02 09:10 bob ping project=app
  `,
  people(),
  2,
);

example(
  "A project counts the people with an event in it.",
  `
  03-02 09:00 ann ping project=web
  03-02 09:05 ann ping project=app
  03-02 09:10 bob ping project=app
  `,
  people({ project: "web" }),
  1,
);

example(
  "A link in one project applies to all projects.",
  `
  03-02 09:00 ~phone /home project=web
  03-02 09:05 ann /home project=web
  03-03 09:00 ann~phone login project=app
  `,
  people({ project: "web" }),
  1,
);

example(
  "The event name restricts the count to people with such an event.",
  `
  03-02 09:00 ann signup
  03-02 09:05 ann buy
  03-02 09:10 bob signup
  `,
  people({ eventName: "buy" }),
  1,
);

example(
  "Dates restrict the count to people active on those days, both days included.",
  `
  03-01 23:59:59.999 ann ping
  03-02 00:00:00.000 bob ping
  03-03 23:59:59.999 cleo ping
  03-04 00:00:00.000 dora ping
  `,
  people({ startDate: "2026-03-02", endDate: "2026-03-03" }),
  2,
);

example(
  "A person counts if any event matches the filter.",
  `
  03-02 09:00 ann visit country=DE
  03-02 09:05 ann visit country=FR
  03-02 09:10 bob visit country=FR
  `,
  where("country", "=", "DE"),
  1,
);

example(
  "A person can match both a filter and its complement.",
  `
  03-02 09:00 ann visit country=DE
  03-02 09:05 ann visit country=FR
  03-02 09:10 bob visit country=FR
  `,
  where("country", "!=", "DE"),
  2,
);

example(
  "Filters of a group must match the same event.",
  `
  03-02 09:00 ann buy plan=pro country=FR
  03-02 09:05 ann buy plan=free country=DE
  03-02 09:10 bob buy plan=pro country=DE
  `,
  people({
    filterGroups: [
      {
        filters: [
          { fieldName: "plan", operator: "=", value: "pro" },
          { fieldName: "country", operator: "=", value: "DE" },
        ],
      },
    ],
  }),
  1,
);

example(
  "Two user ids of one person that match the filter user_id count as one person.",
  `
  03-02 09:00 annie signup
  03-03 09:00 ann signup
  03-04 09:00 bob signup
  03-09 09:00 annie alias:ann
  `,
  where("user_id", "in", "ann,annie"),
  1,
);

example(
  "A person's email is stored and compared in lower case.",
  `
  03-02 09:00 ann signup
  03-02 09:05 bob signup
  03-05 09:00 ann identify email=Ann@Acme.example
  `,
  where("person.email", "=", "ann@acme.example"),
  1,
);

example(
  "A segment of people who did not buy includes visitors.",
  `
  03-02 09:00 ann view
  03-02 09:05 ann buy
  03-02 09:10 bob view
  03-02 09:15 ~phone view
  `,
  people(inSegment({ type: "did_not", eventName: "buy" })),
  2,
);

example(
  "A segment considers the events of all user ids of a person together.",
  `
  03-02 09:00 annie buy
  03-03 09:00 ann buy
  03-04 09:00 bob buy
  03-09 09:00 annie alias:ann
  `,
  people(inSegment({ type: "did", eventName: "buy", atLeast: 2 })),
  1,
);

example(
  "A segment condition can set a maximum number of events.",
  `
  03-02 09:00 ann buy
  03-02 09:05 bob buy
  03-02 09:10 bob buy
  03-02 09:15 bob buy
  03-02 09:20 cleo view
  `,
  people(inSegment({ type: "did", eventName: "buy", atMost: 2 })),
  1,
);

example(
  "In a segment, the last day begins exactly 24 hours before now.",
  `
  03-19 11:59:59.999 ann buy
  03-19 12:00:00.000 bob buy
  `,
  people(inSegment({ type: "did", eventName: "buy", lastDays: 1 })),
  1,
);

example(
  "The conditions of a group must all hold.",
  `
  03-02 09:00 ann view
  03-02 09:05 ann buy
  03-02 09:10 bob view
  03-02 09:15 cleo buy
  `,
  people(inSegment({ type: "did", eventName: "view" }, { type: "did_not", eventName: "buy" })),
  1,
);

example(
  "At least one group of a segment must hold.",
  `
  03-02 09:00 ann buy
  03-02 09:05 bob view
  03-02 09:10 cleo view
  03-03 09:00 bob identify plan=pro
  `,
  people({
    filterGroups: [{ filters: [{ fieldName: "identity_id", operator: "in_segment", value: "valued" }] }],
    segments: {
      valued: {
        groups: [
          { conditions: [{ type: "did", eventName: "buy" }] },
          { conditions: [{ type: "trait", field: "plan", operator: "=", value: "pro" }] },
        ],
      },
    },
  }),
  2,
);

example(
  "People are first seen at their first event of all time, not at the first one in the range.",
  `
  03-01 09:00 ann view
  03-06 09:00 ann view
  03-06 09:05 bob view
  `,
  people({ ...inSegment({ type: "first_seen", startDate: "2026-03-05" }), startDate: "2026-03-05" }),
  1,
);

example(
  "People are last seen at their last event of all time.",
  `
  03-04 09:00 ann view
  03-04 09:05 bob view
  03-10 09:00 bob view
  `,
  people(inSegment({ type: "last_seen", endDate: "2026-03-05" })),
  1,
);

example(
  "A company condition compares the person's latest company.",
  `
  03-01 09:00 ann group:acme
  03-02 09:00 ann view
  03-05 09:00 ann group:globex
  03-06 09:00 ann view
  03-06 09:05 bob group:acme
  03-07 09:00 bob view
  `,
  people(inSegment({ type: "company", operator: "=", value: "acme" })),
  1,
);

example(
  "A saved segment is referenced by name.",
  `
  03-02 09:00 ann buy
  03-02 09:05 bob view
  `,
  async (daybook) => {
    await daybook.segments.put("buyers", { groups: [{ conditions: [{ type: "did", eventName: "buy" }] }] });
    return where("identity_id", "in_segment", "buyers")(daybook);
  },
  1,
);

example(
  "Visitors can have traits.",
  `
  03-02 09:00 ~phone /home
  03-02 09:05 ~laptop /home
  03-03 09:00 ~phone identify plan=pro
  `,
  where("person.plan", "=", "pro"),
  1,
);

example(
  "Ids are not normalized: é as one character and as e plus an accent are two people.",
  `
  03-02 09:00 \u00e9va signup
  03-02 09:05 e\u0301va signup
  `,
  people(),
  2,
);

example(
  "A null member is treated as absent, even userId.",
  `
  03-02 09:00 ann ping
  03-03 09:00 bob ping
  `,
  (daybook) =>
    daybook.countUniqueUsers({
      ...{ userId: null },
      project: null,
      eventName: null,
      startDate: null,
      endDate: null,
      filterGroups: null,
      segments: null,
    }),
  2,
);

example("The query has no userId parameter.", "", refused({ userId: "ann" } as UniqueUsersInput), ["unknown_parameter", "userId"]);

example("An event name that is not text is refused.", "", refused({ eventName: 5 as unknown as string }), ["invalid_parameter", "eventName"]);

example("An end date that does not exist is refused.", "", refused({ endDate: "2026-04-31" }), ["invalid_date", "endDate"]);

example(
  "A range that ends before it starts is refused.",
  "",
  async (daybook) => (await failure(daybook.countUniqueUsers({ startDate: "2026-03-03", endDate: "2026-03-02" })))[0],
  "invalid_date_range",
);

example(
  "A condition with both dates and last days is refused.",
  "",
  async (daybook) =>
    (await failure(daybook.countUniqueUsers(inSegment({ type: "did", eventName: "buy", startDate: "2026-03-01", lastDays: 7 }))))[0],
  "exactly_one_required",
);

example(
  "A first-seen condition requires dates.",
  "",
  async (daybook) => (await failure(daybook.countUniqueUsers(inSegment({ type: "first_seen" }))))[0],
  "invalid_parameter",
);

example(
  "A segment name that is both saved and defined in the query is refused.",
  "",
  async (daybook) => {
    await daybook.segments.put("these", { groups: [{ conditions: [{ type: "did", eventName: "buy" }] }] });
    return (await failure(daybook.countUniqueUsers(inSegment({ type: "did", eventName: "view" }))))[0];
  },
  "invalid_parameter",
);
