import type { Daybook, UniqueUsersPerDayInput } from "daybook";
import { failure } from "../query/reports/layouts.js";
import { example, refusal } from "./example.js";

/** The date and number of people of each day. */
const days = (input?: UniqueUsersPerDayInput) => async (daybook: Daybook) =>
  (await daybook.countUniqueUsersPerDay(input)).map(({ day, count }) => `${day.slice(0, 10)} ${count}`);

/** The code and parameter of the error that refuses the query. */
const refused = (input: UniqueUsersPerDayInput) => (daybook: Daybook) => refusal(daybook.countUniqueUsersPerDay(input));

example(
  "A person counts once on each day with events.",
  `
  03-02 09:00 ann signup
  03-02 10:00 ann buy
  03-02 11:00 bob signup
  03-03 09:00 ann buy
  `,
  (daybook) => daybook.countUniqueUsersPerDay(),
  [
    { day: "2026-03-02T00:00:00.000Z", count: 2 },
    { day: "2026-03-03T00:00:00.000Z", count: 1 },
  ],
);

example("A store without events has no days.", "", (daybook) => daybook.countUniqueUsersPerDay(), []);

example(
  "A day with only events without an identity is left out.",
  `
  03-02 09:00 ann ping
  03-03 09:00 - ping
  03-04 09:00 bob ping
  03-04 09:05 - ping
  `,
  days(),
  ["2026-03-02 1", "2026-03-04 1"],
);

example(
  "With fill, a day with only events without an identity has a count of 0.",
  `
  03-02 09:00 ann ping
  03-03 09:00 - ping
  03-04 09:00 bob ping
  `,
  days({ fill: true }),
  ["2026-03-02 1", "2026-03-03 0", "2026-03-04 1"],
);

example(
  "Each visitor known only by an anonymous id counts as one person per day.",
  `
  03-02 09:00 ~phone /home
  03-02 09:05 ~laptop /home
  03-02 09:10 ~phone /docs
  `,
  days(),
  ["2026-03-02 2"],
);

example(
  "A visitor and the user who signs up later are one person, including on days before the sign-up.",
  `
  03-02 09:00 ~phone /home
  03-02 10:00 ann /home
  03-03 09:00 ann~phone signup
  03-03 10:00 ~phone /docs
  `,
  days(),
  ["2026-03-02 1", "2026-03-03 1"],
);

example(
  "An alias merges two users on every day.",
  `
  03-02 09:00 annie ping
  03-02 10:00 ann ping
  03-03 09:00 annie ping
  03-03 10:00 bob ping
  03-09 09:00 annie alias:ann
  `,
  days(),
  ["2026-03-02 1", "2026-03-03 2"],
);

example(
  "After an alias is undone, both users count again.",
  `
  03-02 09:00 annie ping
  03-02 10:00 ann ping
  03-03 09:00 annie ping
  03-09 09:00 annie alias:ann id=merge
  `,
  async (daybook) => {
    const merged = await days()(daybook);
    await daybook.ingestRecords([{ type: "unlink", linkId: "merge" }]);
    return [merged, await days()(daybook)];
  },
  [
    ["2026-03-02 1", "2026-03-03 1"],
    ["2026-03-02 2", "2026-03-03 1"],
  ],
);

example(
  "Two users of a shared device count as two people on the day both log in.",
  `
  03-02 09:00 ann~tablet login
  03-02 10:00 bob~tablet login
  03-03 09:00 ~tablet /home
  03-03 09:05 ann /home
  `,
  days(),
  ["2026-03-02 2", "2026-03-03 1"],
);

example(
  "A day without people is left out.",
  `
  03-02 09:00 ann ping
  03-05 09:00 ann ping
  `,
  days({ startDate: "2026-03-01", endDate: "2026-03-06" }),
  ["2026-03-02 1", "2026-03-05 1"],
);

example(
  "With fill, the answer has every day of the range.",
  `
  03-02 09:00 ann ping
  03-03 09:00 ann ping
  03-03 09:05 bob ping
  `,
  (daybook) => daybook.countUniqueUsersPerDay({ startDate: "2026-03-01", endDate: "2026-03-04", fill: true }),
  [
    { day: "2026-03-01T00:00:00.000Z", count: 0 },
    { day: "2026-03-02T00:00:00.000Z", count: 1 },
    { day: "2026-03-03T00:00:00.000Z", count: 2 },
    { day: "2026-03-04T00:00:00.000Z", count: 0 },
  ],
);

example(
  "With only a start date, fill ends with the last day that has people.",
  `
  03-03 09:00 ann ping
  03-05 09:00 bob ping
  `,
  days({ startDate: "2026-03-02", fill: true }),
  ["2026-03-02 0", "2026-03-03 1", "2026-03-04 0", "2026-03-05 1"],
);

example(
  "With fill, a closed range without people has zeros.",
  `
  03-09 09:00 ann ping
  `,
  days({ startDate: "2026-03-02", endDate: "2026-03-03", fill: true }),
  ["2026-03-02 0", "2026-03-03 0"],
);

example(
  "A person active before and after midnight UTC counts on both days.",
  `
  03-02 23:59:59.999 ann ping
  03-03 00:00:00.000 ann ping
  `,
  days(),
  ["2026-03-02 1", "2026-03-03 1"],
);

example(
  "Days are UTC days even if the range has another offset.",
  `
  03-01 22:30 ann ping
  03-01 23:30 bob ping
  03-02 00:30 bob ping
  `,
  days({ startDate: "2026-03-02T00:00:00+01:00" }),
  ["2026-03-01 1", "2026-03-02 1"],
);

example(
  "The bounds of the range are inclusive to the millisecond.",
  `
  03-02 08:59:59.999 ann ping
  03-02 09:00:00.000 bob ping
  03-02 10:00:00.000 cleo ping
  03-02 10:00:00.001 dora ping
  `,
  days({ startDate: "2026-03-02T09:00:00Z", endDate: "2026-03-02T10:00:00Z" }),
  ["2026-03-02 2"],
);

example(
  "The event name counts the people with such an event on each day.",
  `
  03-02 09:00 ann view
  03-02 09:05 ann buy
  03-02 09:10 bob view
  03-03 09:00 bob buy
  03-04 09:00 ann view
  `,
  days({ eventName: "buy" }),
  ["2026-03-02 1", "2026-03-03 1"],
);

example(
  "Filters restrict the events that make a person active.",
  `
  03-02 09:00 ann visit country=DE
  03-02 09:05 bob visit country=FR
  03-03 09:00 ann visit country=FR
  03-03 09:05 bob visit country=FR
  `,
  days({ filterGroups: [{ filters: [{ fieldName: "country", operator: "=", value: "FR" }] }] }),
  ["2026-03-02 1", "2026-03-03 2"],
);

example(
  "Across all projects, a person active in two projects on one day counts once.",
  `
  03-02 09:00 ann ping project=web
  03-02 09:05 ann ping project=app
  03-02 09:10 bob ping project=app
  `,
  days(),
  ["2026-03-02 2"],
);

example(
  "A project counts the people active in it on each day.",
  `
  03-02 09:00 ann ping project=web
  03-02 09:05 bob ping project=app
  03-03 09:00 ann ping project=app
  03-04 09:00 bob ping project=web
  `,
  days({ project: "web" }),
  ["2026-03-02 1", "2026-03-04 1"],
);

example(
  "A trait filter selects people by the current value of the trait.",
  `
  03-02 09:00 ann ping
  03-02 09:05 bob ping
  03-03 09:00 bob ping
  03-09 09:00 ann identify plan=pro
  `,
  days({ filterGroups: [{ filters: [{ fieldName: "person.plan", operator: "=", value: "pro" }] }] }),
  ["2026-03-02 1"],
);

example(
  "A segment selects people by all of their events, not only by those of the day.",
  `
  03-02 09:00 ann view
  03-02 09:05 bob view
  03-03 09:00 ann view
  03-09 09:00 ann buy
  `,
  days({
    eventName: "view",
    filterGroups: [{ filters: [{ fieldName: "identity_id", operator: "in_segment", value: "buyers" }] }],
    segments: { buyers: { groups: [{ conditions: [{ type: "did", eventName: "buy" }] }] } },
  }),
  ["2026-03-02 1", "2026-03-03 1"],
);

example(
  "An event sent twice with the same id does not change the count.",
  `
  03-02 09:00 ann buy id=e1
  03-02 09:00 ann buy id=e1
  03-02 09:05 bob buy id=e2
  `,
  days(),
  ["2026-03-02 2"],
);

example(
  "A null member is treated as absent, even userId.",
  `
  03-02 09:00 ann ping
  03-04 09:00 ann ping
  `,
  days({ ...{ userId: null }, project: null, eventName: null, startDate: null, endDate: null, filterGroups: null, segments: null, fill: null }),
  ["2026-03-02 1", "2026-03-04 1"],
);

example("The query has no userId parameter.", "", refused({ userId: "ann" } as UniqueUsersPerDayInput), ["unknown_parameter", "userId"]);

example("A fill that is not a boolean is refused.", "", refused({ fill: "true" as unknown as boolean }), ["invalid_parameter", "fill"]);

example("A start without a zone is refused.", "", refused({ startDate: "2026-03-02T09:00" }), ["invalid_date", "startDate"]);

example(
  "A range that ends before it starts is refused.",
  "",
  async (daybook) => (await failure(daybook.countUniqueUsersPerDay({ startDate: "2026-03-03", endDate: "2026-03-02" })))[0],
  "invalid_date_range",
);
