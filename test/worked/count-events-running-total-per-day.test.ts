import type { Daybook, PerDayInput } from "daybook";
import { failure } from "../query/reports/layouts.js";
import { example, refusal } from "./example.js";

/** The date and running total of each day. */
const totals = (input?: PerDayInput) => async (daybook: Daybook) =>
  (await daybook.countEventsRunningTotalPerDay(input)).map(({ day, count }) => `${day.slice(0, 10)} ${count}`);

/** The code and parameter of the error that refuses the query. */
const refused = (input: PerDayInput) => (daybook: Daybook) => refusal(daybook.countEventsRunningTotalPerDay(input));

example(
  "Each day has the number of events up to the end of the day.",
  `
  03-02 09:00 ann signup
  03-02 10:00 bob signup
  03-03 09:00 ann buy
  `,
  (daybook) => daybook.countEventsRunningTotalPerDay(),
  [
    { day: "2026-03-02T00:00:00.000Z", count: 2 },
    { day: "2026-03-03T00:00:00.000Z", count: 3 },
  ],
);

example("A store without events has no totals.", "", (daybook) => daybook.countEventsRunningTotalPerDay(), []);

example(
  "A day without events is left out.",
  `
  03-02 09:00 ann ping
  03-05 09:00 ann ping
  03-05 10:00 ann ping
  `,
  totals(),
  ["2026-03-02 1", "2026-03-05 3"],
);

example(
  "The total starts at 0 at the beginning of the range, regardless of earlier events.",
  `
  03-01 09:00 ann ping
  03-01 10:00 ann ping
  03-02 09:00 ann ping
  03-03 09:00 ann ping
  `,
  totals({ startDate: "2026-03-02" }),
  ["2026-03-02 1", "2026-03-03 2"],
);

example(
  "The last total equals the count of the whole range.",
  `
  03-02 09:00 ann ping
  03-03 09:00 ann ping
  03-03 10:00 bob ping
  03-04 09:00 ann ping
  03-05 09:00 ann ping
  `,
  async (daybook) => (await daybook.countEventsRunningTotalPerDay({ endDate: "2026-03-04" })).at(-1),
  { day: "2026-03-04T00:00:00.000Z", count: 4 },
);

example(
  "With fill, a day without events repeats the previous total.",
  `
  03-02 09:00 ann ping
  03-04 09:00 ann ping
  `,
  totals({ fill: true }),
  ["2026-03-02 1", "2026-03-03 1", "2026-03-04 2"],
);

example(
  "With fill, the total is 0 until the first event and stays constant after the last one.",
  `
  03-03 09:00 ann ping
  03-03 10:00 ann ping
  `,
  (daybook) => daybook.countEventsRunningTotalPerDay({ startDate: "2026-03-02", endDate: "2026-03-04", fill: true }),
  [
    { day: "2026-03-02T00:00:00.000Z", count: 0 },
    { day: "2026-03-03T00:00:00.000Z", count: 2 },
    { day: "2026-03-04T00:00:00.000Z", count: 2 },
  ],
);

example(
  "With fill, a range without events has totals of 0.",
  `
  03-09 09:00 ann ping
  `,
  totals({ startDate: "2026-03-02", endDate: "2026-03-03", fill: true }),
  ["2026-03-02 0", "2026-03-03 0"],
);

example(
  "With an open range and no matching events, fill adds no days.",
  `
  03-09 09:00 ann ping
  `,
  totals({ eventName: "buy", fill: true }),
  [],
);

example(
  "An event in the last millisecond of a day counts on that day.",
  `
  03-02 23:59:59.999 ann ping
  03-03 00:00:00.000 ann ping
  `,
  totals(),
  ["2026-03-02 1", "2026-03-03 2"],
);

example(
  "A late event changes the totals of its day and all later days.",
  `
  03-03 09:00 ann ping
  03-04 09:00 ann ping
  `,
  async (daybook) => {
    await daybook.ingest([{ name: "ping", userId: "ann", createdAt: "2026-03-02T09:00:00Z" }]);
    return totals()(daybook);
  },
  ["2026-03-02 1", "2026-03-03 2", "2026-03-04 3"],
);

example(
  "A start time within a day is inclusive.",
  `
  03-02 08:59:59.999 ann ping
  03-02 09:00:00.000 ann ping
  03-03 09:00 ann ping
  `,
  totals({ startDate: "2026-03-02T09:00:00Z" }),
  ["2026-03-02 1", "2026-03-03 2"],
);

example(
  "An end time within a day is inclusive.",
  `
  03-02 09:00 ann ping
  03-03 09:00:00.000 ann ping
  03-03 09:00:00.001 ann ping
  `,
  totals({ endDate: "2026-03-03T09:00:00Z" }),
  ["2026-03-02 1", "2026-03-03 2"],
);

example(
  "Days are UTC days even if the range has another offset.",
  `
  03-01 22:30 ann ping
  03-01 23:30 ann ping
  03-02 00:30 ann ping
  `,
  totals({ startDate: "2026-03-02T00:00:00+01:00" }),
  ["2026-03-01 1", "2026-03-02 2"],
);

example(
  "The total continues across the end of a month or a year.",
  `
  2025-12-31 09:00 ann ping
  01-01 09:00 ann ping
  02-01 09:00 ann ping
  `,
  totals(),
  ["2025-12-31 1", "2026-01-01 2", "2026-02-01 3"],
);

example(
  "The event name restricts the events counted.",
  `
  03-02 09:00 ann signup
  03-03 09:00 ann buy
  03-04 09:00 ann buy
  `,
  totals({ eventName: "buy" }),
  ["2026-03-03 1", "2026-03-04 2"],
);

example(
  "A project has a separate total.",
  `
  03-02 09:00 ann ping project=web
  03-03 09:00 ann ping project=app
  03-04 09:00 ann ping project=web
  `,
  totals({ project: "web" }),
  ["2026-03-02 1", "2026-03-04 2"],
);

example(
  "Without a project, all projects count toward one total.",
  `
  03-02 09:00 ann ping project=web
  03-03 09:00 ann ping project=app
  03-04 09:00 ann ping
  `,
  totals(),
  ["2026-03-02 1", "2026-03-03 2", "2026-03-04 3"],
);

example(
  "Filters restrict the events counted.",
  `
  03-02 09:00 ann buy amount=5
  03-03 09:00 ann buy amount=20
  03-04 09:00 ann buy amount=30
  `,
  totals({ filterGroups: [{ filters: [{ fieldName: "amount", operator: ">=", value: 20 }] }] }),
  ["2026-03-03 1", "2026-03-04 2"],
);

example(
  "The parameter userId counts all of the person's events, including those of the device before the sign-up.",
  `
  03-02 09:00 ~phone /home
  03-03 09:00 ann~phone signup
  03-03 09:05 bob signup
  03-04 09:00 ann buy
  `,
  totals({ userId: "ann" }),
  ["2026-03-02 1", "2026-03-03 2", "2026-03-04 3"],
);

example(
  "An identify with a device links it, like an event with both ids.",
  `
  03-02 09:00 ~phone /home
  03-03 09:00 ann buy
  03-09 09:00 ann~phone identify
  `,
  totals({ userId: "ann" }),
  ["2026-03-02 1", "2026-03-03 2"],
);

example(
  "A segment restricts the total to events of the people in it.",
  `
  03-02 09:00 ann view
  03-03 09:00 bob view
  03-04 09:00 ann view
  03-05 09:00 bob identify plan=free
  03-05 09:00 ann identify plan=pro
  `,
  totals({
    filterGroups: [{ filters: [{ fieldName: "identity_id", operator: "in_segment", value: "paying" }] }],
    segments: { paying: { groups: [{ conditions: [{ type: "trait", field: "plan", operator: "=", value: "pro" }] }] } },
  }),
  ["2026-03-02 1", "2026-03-04 2"],
);

example(
  "An event sent twice with the same id counts once.",
  `
  03-02 09:00 ann buy id=e1
  03-02 09:00 ann buy id=e1
  03-03 09:00 ann buy id=e2
  `,
  totals(),
  ["2026-03-02 1", "2026-03-03 2"],
);

example(
  "A null member is treated as absent.",
  `
  03-02 09:00 ann ping
  03-04 09:00 ann ping
  `,
  totals({ project: null, eventName: null, userId: null, startDate: null, endDate: null, filterGroups: null, segments: null, fill: null }),
  ["2026-03-02 1", "2026-03-04 2"],
);

example("An unknown member is refused.", "", refused({ cumulative: true } as PerDayInput), ["unknown_parameter", "cumulative"]);

example("A fill that is not a boolean is refused.", "", refused({ fill: 1 as unknown as boolean }), ["invalid_parameter", "fill"]);

example("An empty string is not a valid date.", "", refused({ endDate: "" }), ["invalid_date", "endDate"]);

example(
  "A range that ends before it starts is refused.",
  "",
  async (daybook) => (await failure(daybook.countEventsRunningTotalPerDay({ startDate: "2026-03-03", endDate: "2026-03-02" })))[0],
  "invalid_date_range",
);
