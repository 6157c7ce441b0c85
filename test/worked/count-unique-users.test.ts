import { DaybookError, type Daybook, type SegmentCondition, type UniqueUsersInput } from "daybook";
import { failure } from "../query/reports/layouts.js";
import { example } from "./example.js";

const people = (input?: UniqueUsersInput) => (daybook: Daybook) => daybook.countUniqueUsers(input);

/** A question about the people with an event on which one filter is true. */
const where = (fieldName: string, operator: string, value?: unknown) => people({ filterGroups: [{ filters: [{ fieldName, operator, value }] }] });

/** A question about the people in a segment of one group of conditions. */
const whoMeet = (...conditions: readonly SegmentCondition[]): UniqueUsersInput => ({
  filterGroups: [{ filters: [{ fieldName: "identity_id", operator: "in_segment", value: "these" }] }],
  segments: { these: { groups: [{ conditions }] } },
});

/** Code and parameter of the error that a question ends with. */
const refused = (input: UniqueUsersInput) => (daybook: Daybook) =>
  daybook.countUniqueUsers(input).then(
    () => "an answer",
    (error: unknown) => (error instanceof DaybookError ? [error.code, error.details.param] : error),
  );

example(
  "A person counts once, however many events there are.",
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
  "A visitor who is known by an anonymous id only is one person.",
  `
  03-02 09:00 ~phone /home
  03-02 09:05 ~phone /docs
  03-02 09:10 ~laptop /home
  `,
  people(),
  2,
);

example(
  "An event with neither a user id nor an anonymous id is nobody's.",
  `
  03-02 09:00 ann ping
  03-02 09:05 - ping
  03-02 09:10 - ping
  `,
  people(),
  1,
);

example(
  "An event with both ids makes the visitor and the user one person, also for the visits before.",
  `
  03-02 09:00 ~phone /home
  03-03 09:00 ann~phone signup
  03-04 09:00 ann buy
  `,
  people(),
  1,
);

example(
  "An identify with both ids links them as an event does.",
  `
  03-02 09:00 ~phone /home
  03-04 09:00 ann buy
  03-09 09:00 ann~phone identify
  `,
  people(),
  1,
);

example(
  "A link counts for every range, even if it came after the end of it.",
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
  "A shared device belongs to the user who was linked first; the second user stays a person.",
  `
  03-02 09:00 ~tablet /home
  03-03 09:00 ann~tablet login
  03-04 09:00 bob~tablet login
  `,
  people(),
  2,
);

example(
  "Visits on a shared device after the second login still belong to the first user, so they add nobody.",
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
  "Of two links at the same millisecond the smaller user id gets the device.",
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
  "A chain of aliases is followed to its end.",
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
  "An alias that would close a circle changes nothing.",
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
  "An alias from a device links it to the user.",
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
  "Ids differ by case.",
  `
  03-02 09:00 ann signup
  03-02 09:05 Ann signup
  `,
  people(),
  2,
);

example(
  "The same text as a user id and as an anonymous id is two people.",
  `
  03-02 09:00 kiosk signup
  03-02 09:05 ~kiosk /home
  `,
  people(),
  2,
);

example(
  "Once an alias is taken back, the two users are two people again.",
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
  "An identify without an event adds nobody.",
  `
  03-02 09:00 ann signup
  03-02 09:05 bob identify plan=pro
  `,
  people(),
  1,
);

example(
  "A user of two projects is one person of the organization.",
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
  "A link in one project makes one person in all of them.",
  `
  03-02 09:00 ~phone /home project=web
  03-02 09:05 ann /home project=web
  03-03 09:00 ann~phone login project=app
  `,
  people({ project: "web" }),
  1,
);

example(
  "The event name selects the people who did it.",
  `
  03-02 09:00 ann signup
  03-02 09:05 ann buy
  03-02 09:10 bob signup
  `,
  people({ eventName: "buy" }),
  1,
);

example(
  "Dates select the people who were active between them, both days included.",
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
  "A person counts where any one event passes the filter.",
  `
  03-02 09:00 ann visit country=DE
  03-02 09:05 ann visit country=FR
  03-02 09:10 bob visit country=FR
  `,
  where("country", "=", "DE"),
  1,
);

example(
  "A person may count for a filter and for its complement.",
  `
  03-02 09:00 ann visit country=DE
  03-02 09:05 ann visit country=FR
  03-02 09:10 bob visit country=FR
  `,
  where("country", "!=", "DE"),
  2,
);

example(
  "Two filters of a group must be true on one and the same event.",
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
  "Two raw user ids of one person pass the filter user_id as one person.",
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
  "The email of a person is compared in lower case, as it is stored.",
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
  people(whoMeet({ type: "did_not", eventName: "buy" })),
  2,
);

example(
  "People of two user ids that a link joins are in a segment by what both did.",
  `
  03-02 09:00 annie buy
  03-03 09:00 ann buy
  03-04 09:00 bob buy
  03-09 09:00 annie alias:ann
  `,
  people(whoMeet({ type: "did", eventName: "buy", atLeast: 2 })),
  1,
);

example(
  "A segment may bound how often people did something from above as well.",
  `
  03-02 09:00 ann buy
  03-02 09:05 bob buy
  03-02 09:10 bob buy
  03-02 09:15 bob buy
  03-02 09:20 cleo view
  `,
  people(whoMeet({ type: "did", eventName: "buy", atMost: 2 })),
  1,
);

example(
  "The last day of a segment begins 24 hours before now, to the millisecond.",
  `
  03-19 11:59:59.999 ann buy
  03-19 12:00:00.000 bob buy
  `,
  people(whoMeet({ type: "did", eventName: "buy", lastDays: 1 })),
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
  people(whoMeet({ type: "did", eventName: "view" }, { type: "did_not", eventName: "buy" })),
  1,
);

example(
  "Of the groups of a segment one must hold.",
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
  people({ ...whoMeet({ type: "first_seen", startDate: "2026-03-05" }), startDate: "2026-03-05" }),
  1,
);

example(
  "People are last seen at their last event of all time.",
  `
  03-04 09:00 ann view
  03-04 09:05 bob view
  03-10 09:00 bob view
  `,
  people(whoMeet({ type: "last_seen", endDate: "2026-03-05" })),
  1,
);

example(
  "The company of a person in a segment is the last one.",
  `
  03-01 09:00 ann group:acme
  03-02 09:00 ann view
  03-05 09:00 ann group:globex
  03-06 09:00 ann view
  03-06 09:05 bob group:acme
  03-07 09:00 bob view
  `,
  people(whoMeet({ type: "company", operator: "=", value: "acme" })),
  1,
);

example(
  "A segment that was saved is used by its name.",
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
  "A visitor may have traits, too.",
  `
  03-02 09:00 ~phone /home
  03-02 09:05 ~laptop /home
  03-03 09:00 ~phone identify plan=pro
  `,
  where("person.plan", "=", "pro"),
  1,
);

example(
  "Ids are not normalized: é as one character and as e with an accent are two people.",
  `
  03-02 09:00 \u00e9va signup
  03-02 09:05 e\u0301va signup
  `,
  people(),
  2,
);

example(
  "A member that is null is the same as an absent one, even userId.",
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

example("The query does not take a user.", "", refused({ userId: "ann" } as UniqueUsersInput), ["unknown_parameter", "userId"]);

example("An event name that is no text is refused.", "", refused({ eventName: 5 as unknown as string }), ["invalid_parameter", "eventName"]);

example("An impossible end date is refused.", "", refused({ endDate: "2026-04-31" }), ["invalid_date", "endDate"]);

example(
  "A range that ends before it starts is refused.",
  "",
  async (daybook) => (await failure(daybook.countUniqueUsers({ startDate: "2026-03-03", endDate: "2026-03-02" })))[0],
  "invalid_date_range",
);

example(
  "A condition has dates or last days, not both.",
  "",
  async (daybook) =>
    (await failure(daybook.countUniqueUsers(whoMeet({ type: "did", eventName: "buy", startDate: "2026-03-01", lastDays: 7 }))))[0],
  "exactly_one_required",
);

example(
  "A condition on when people were first seen needs dates.",
  "",
  async (daybook) => (await failure(daybook.countUniqueUsers(whoMeet({ type: "first_seen" }))))[0],
  "invalid_parameter",
);

example(
  "A name that is both saved and given with the question is refused.",
  "",
  async (daybook) => {
    await daybook.segments.put("these", { groups: [{ conditions: [{ type: "did", eventName: "buy" }] }] });
    return (await failure(daybook.countUniqueUsers(whoMeet({ type: "did", eventName: "view" }))))[0];
  },
  "invalid_parameter",
);
