import type { Daybook, PerDayInput } from "daybook";
import { failure } from "../query/reports/layouts.js";
import { example, refusal } from "./example.js";

/** The date and count of each day. */
const days = (input?: PerDayInput) => async (daybook: Daybook) =>
  (await daybook.countEventsPerDay(input)).map(({ day, count }) => `${day.slice(0, 10)} ${count}`);

/** The code and parameter of the error that refuses the query. */
const refused = (input: PerDayInput) => (daybook: Daybook) => refusal(daybook.countEventsPerDay(input));

example(
  "Each day has its number of events.",
  `
  03-02 09:00 ann signup
  03-02 10:00 bob signup
  03-03 09:00 ann buy
  `,
  (daybook) => daybook.countEventsPerDay(),
  [
    { day: "2026-03-02T00:00:00.000Z", count: 2 },
    { day: "2026-03-03T00:00:00.000Z", count: 1 },
  ],
);

example("A store without events has no days.", "", (daybook) => daybook.countEventsPerDay(), []);

example(
  "Days are in ascending order, regardless of the order in which events arrive.",
  `
  03-05 09:00 ann ping
  03-03 09:00 ann ping
  03-04 09:00 ann ping
  `,
  days(),
  ["2026-03-03 1", "2026-03-04 1", "2026-03-05 1"],
);

example(
  "A day without events is left out.",
  `
  03-02 09:00 ann ping
  03-05 09:00 ann ping
  `,
  days({ startDate: "2026-03-01", endDate: "2026-03-06" }),
  ["2026-03-02 1", "2026-03-05 1"],
);

example(
  "With fill, the answer has every day of the range, including its first and last.",
  `
  03-02 09:00 ann ping
  03-04 09:00 ann ping
  `,
  days({ startDate: "2026-03-01", endDate: "2026-03-05", fill: true }),
  ["2026-03-01 0", "2026-03-02 1", "2026-03-03 0", "2026-03-04 1", "2026-03-05 0"],
);

example(
  "Without dates, fill adds the days between the first and the last event.",
  `
  03-02 09:00 ann ping
  03-04 09:00 ann ping
  `,
  days({ fill: true }),
  ["2026-03-02 1", "2026-03-03 0", "2026-03-04 1"],
);

example(
  "With only a start date, fill ends with the last event.",
  `
  03-02 09:00 ann ping
  03-04 09:00 ann ping
  `,
  days({ startDate: "2026-03-01", fill: true }),
  ["2026-03-01 0", "2026-03-02 1", "2026-03-03 0", "2026-03-04 1"],
);

example(
  "With only an end date, fill begins with the first event.",
  `
  03-02 09:00 ann ping
  `,
  days({ endDate: "2026-03-04", fill: true }),
  ["2026-03-02 1", "2026-03-03 0", "2026-03-04 0"],
);

example(
  "With fill, a range without events has zeros.",
  `
  03-09 09:00 ann ping
  `,
  (daybook) => daybook.countEventsPerDay({ startDate: "2026-03-02", endDate: "2026-03-03", fill: true }),
  [
    { day: "2026-03-02T00:00:00.000Z", count: 0 },
    { day: "2026-03-03T00:00:00.000Z", count: 0 },
  ],
);

example(
  "With an open range and no matching events, fill adds no days.",
  `
  03-09 09:00 ann ping
  `,
  days({ eventName: "buy", fill: true }),
  [],
);

example(
  "Fill includes a day even if the range begins or ends within it.",
  `
  03-02 12:00 ann ping
  03-02 20:00 ann ping
  `,
  days({ startDate: "2026-03-02T18:00:00Z", endDate: "2026-03-03T06:00:00Z", fill: true }),
  ["2026-03-02 1", "2026-03-03 0"],
);

example(
  "With fill set to false, days without events are left out, as by default.",
  `
  03-02 09:00 ann ping
  03-04 09:00 ann ping
  `,
  days({ fill: false }),
  ["2026-03-02 1", "2026-03-04 1"],
);

example(
  "A day ends one millisecond before midnight UTC.",
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
  03-01 23:30 ann ping
  03-02 00:30 ann ping
  `,
  days({ startDate: "2026-03-02T00:00:00+02:00", endDate: "2026-03-02T23:59:59+02:00" }),
  ["2026-03-01 1", "2026-03-02 1"],
);

example(
  "In a leap year, fill includes February 29.",
  `
  2024-02-28 09:00 ann ping
  2024-03-01 09:00 ann ping
  `,
  days({ fill: true }),
  ["2024-02-28 1", "2024-02-29 0", "2024-03-01 1"],
);

example(
  "In other years, fill does not include February 29.",
  `
  2025-02-28 09:00 ann ping
  2025-03-01 09:00 ann ping
  `,
  days({ fill: true }),
  ["2025-02-28 1", "2025-03-01 1"],
);

example(
  "Days continue across the end of a year.",
  `
  2025-12-31 23:00 ann ping
  01-02 01:00 ann ping
  `,
  days({ startDate: "2025-12-31", endDate: "2026-01-02", fill: true }),
  ["2025-12-31 1", "2026-01-01 0", "2026-01-02 1"],
);

example(
  "A range within one day returns that day with only the events in the range.",
  `
  03-02 08:00 ann ping
  03-02 09:00 ann ping
  03-02 10:00 ann ping
  `,
  days({ startDate: "2026-03-02T09:00:00Z", endDate: "2026-03-02T09:59:59.999Z" }),
  ["2026-03-02 1"],
);

example(
  "A Date object limits the range to the millisecond.",
  `
  03-02 09:00:00.000 ann ping
  03-02 09:00:00.001 ann ping
  03-03 09:00 ann ping
  `,
  days({ startDate: new Date("2026-03-02T09:00:00.001Z") }),
  ["2026-03-02 1", "2026-03-03 1"],
);

example(
  "A start date excludes the days before it.",
  `
  03-01 23:59:59.999 ann ping
  03-02 09:00 ann ping
  03-03 09:00 ann ping
  `,
  days({ startDate: "2026-03-02" }),
  ["2026-03-02 1", "2026-03-03 1"],
);

example(
  "The event name restricts the events counted.",
  `
  03-02 09:00 ann signup
  03-02 09:05 ann buy
  03-03 09:00 ann buy
  03-04 09:00 ann signup
  `,
  days({ eventName: "buy" }),
  ["2026-03-02 1", "2026-03-03 1"],
);

example(
  "A project counts only its own events per day.",
  `
  03-02 09:00 ann ping project=web
  03-03 09:00 ann ping project=app
  03-03 09:05 ann ping project=web
  `,
  days({ project: "web" }),
  ["2026-03-02 1", "2026-03-03 1"],
);

example(
  "Filters restrict the events counted, and days without matching events are left out.",
  `
  03-02 09:00 ann buy plan=pro
  03-02 09:05 bob buy plan=free
  03-03 09:00 bob buy plan=free
  03-04 09:00 ann buy plan=pro
  `,
  days({ filterGroups: [{ filters: [{ fieldName: "plan", operator: "=", value: "pro" }] }] }),
  ["2026-03-02 1", "2026-03-04 1"],
);

example(
  "The parameter userId counts all of the person's events, including those before the sign-up.",
  `
  03-02 09:00 ~phone /home
  03-03 09:00 ann~phone signup
  03-04 09:00 bob signup
  03-05 09:00 ann buy
  `,
  days({ userId: "ann" }),
  ["2026-03-02 1", "2026-03-03 1", "2026-03-05 1"],
);

example(
  "After an alias, the events of both ids count for one person.",
  `
  03-02 09:00 annie ping
  03-02 10:00 ann ping
  03-03 09:00 annie ping
  03-09 09:00 annie alias:ann
  `,
  days({ userId: "ann" }),
  ["2026-03-02 2", "2026-03-03 1"],
);

example(
  "A segment restricts the count to events of the people in it.",
  `
  03-02 09:00 ann view
  03-03 09:00 ann buy
  03-03 09:05 bob view
  03-04 09:00 bob view
  `,
  days({
    filterGroups: [{ filters: [{ fieldName: "identity_id", operator: "in_segment", value: "buyers" }] }],
    segments: { buyers: { groups: [{ conditions: [{ type: "did", eventName: "buy" }] }] } },
  }),
  ["2026-03-02 1", "2026-03-03 1"],
);

example(
  "An event without an identity counts on its day.",
  `
  03-02 09:00 - ping
  03-02 09:05 ann ping
  `,
  days(),
  ["2026-03-02 2"],
);

example(
  "An event sent twice with the same id counts once.",
  `
  03-02 09:00 ann buy id=e1
  03-02 09:00 ann buy id=e1
  03-03 09:00 ann buy id=e2
  `,
  days(),
  ["2026-03-02 1", "2026-03-03 1"],
);

example(
  "An event too far in the future counts on the day of its receipt, March 20.",
  `
  03-19 09:00 ann ping
  03-22 09:00 ann ping
  `,
  days(),
  ["2026-03-19 1", "2026-03-20 1"],
);

example(
  "A null member is treated as absent.",
  `
  03-02 09:00 ann ping
  03-04 09:00 ann ping
  `,
  days({ project: null, eventName: null, userId: null, startDate: null, endDate: null, filterGroups: null, segments: null, fill: null }),
  ["2026-03-02 1", "2026-03-04 1"],
);

example("The answer is always in UTC, and a time zone is refused.", "", refused({ timeZone: "Europe/Berlin" } as PerDayInput), [
  "unknown_parameter",
  "timeZone",
]);

example("A fill that is not a boolean is refused.", "", refused({ fill: "yes" as unknown as boolean }), ["invalid_parameter", "fill"]);

example("A start date that does not exist is refused.", "", refused({ startDate: "2026-13-01" }), ["invalid_date", "startDate"]);

example(
  "A range that ends before it starts is refused.",
  "",
  async (daybook) => (await failure(daybook.countEventsPerDay({ startDate: "2026-03-02T09:00:00.001Z", endDate: "2026-03-02T09:00:00.000Z" })))[0],
  "invalid_date_range",
);
