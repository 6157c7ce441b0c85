import { DaybookError, type Daybook, type PerDayInput } from "daybook";
import { failure } from "../query/reports/layouts.js";
import { example } from "./example.js";

/** Per day its date and its count. */
const days = (input?: PerDayInput) => async (daybook: Daybook) =>
  (await daybook.countEventsPerDay(input)).map(({ day, count }) => `${day.slice(0, 10)} ${count}`);

/** Code and parameter of the error that a question ends with. */
const refused = (input: PerDayInput) => (daybook: Daybook) =>
  daybook.countEventsPerDay(input).then(
    () => "an answer",
    (error: unknown) => (error instanceof DaybookError ? [error.code, error.details.param] : error),
  );

example(
  "Every day has its number of events.",
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
  "Days ascend, in whatever order the events came.",
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
  "With fill every day of the range is there, also at its ends.",
  `
  03-02 09:00 ann ping
  03-04 09:00 ann ping
  `,
  days({ startDate: "2026-03-01", endDate: "2026-03-05", fill: true }),
  ["2026-03-01 0", "2026-03-02 1", "2026-03-03 0", "2026-03-04 1", "2026-03-05 0"],
);

example(
  "Without dates fill adds the days between the first and the last event.",
  `
  03-02 09:00 ann ping
  03-04 09:00 ann ping
  `,
  days({ fill: true }),
  ["2026-03-02 1", "2026-03-03 0", "2026-03-04 1"],
);

example(
  "With a start alone fill ends with the last event.",
  `
  03-02 09:00 ann ping
  03-04 09:00 ann ping
  `,
  days({ startDate: "2026-03-01", fill: true }),
  ["2026-03-01 0", "2026-03-02 1", "2026-03-03 0", "2026-03-04 1"],
);

example(
  "With an end alone fill begins with the first event.",
  `
  03-02 09:00 ann ping
  `,
  days({ endDate: "2026-03-04", fill: true }),
  ["2026-03-02 1", "2026-03-03 0", "2026-03-04 0"],
);

example(
  "A range without events is filled with zeros.",
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
  "Where nothing matches and the range is open, fill has no days to add.",
  `
  03-09 09:00 ann ping
  `,
  days({ eventName: "buy", fill: true }),
  [],
);

example(
  "The day belongs to fill as a whole, even where the range begins or ends within it.",
  `
  03-02 12:00 ann ping
  03-02 20:00 ann ping
  `,
  days({ startDate: "2026-03-02T18:00:00Z", endDate: "2026-03-03T06:00:00Z", fill: true }),
  ["2026-03-02 1", "2026-03-03 0"],
);

example(
  "With fill false days without events are left out, as by default.",
  `
  03-02 09:00 ann ping
  03-04 09:00 ann ping
  `,
  days({ fill: false }),
  ["2026-03-02 1", "2026-03-04 1"],
);

example(
  "A day ends with the millisecond before midnight UTC.",
  `
  03-02 23:59:59.999 ann ping
  03-03 00:00:00.000 ann ping
  `,
  days(),
  ["2026-03-02 1", "2026-03-03 1"],
);

example(
  "Days stay days of UTC if the dates of the range have another offset.",
  `
  03-01 23:30 ann ping
  03-02 00:30 ann ping
  `,
  days({ startDate: "2026-03-02T00:00:00+02:00", endDate: "2026-03-02T23:59:59+02:00" }),
  ["2026-03-01 1", "2026-03-02 1"],
);

example(
  "The 29th of February is a day of a leap year.",
  `
  2024-02-28 09:00 ann ping
  2024-03-01 09:00 ann ping
  `,
  days({ fill: true }),
  ["2024-02-28 1", "2024-02-29 0", "2024-03-01 1"],
);

example(
  "Another year has no 29th of February.",
  `
  2025-02-28 09:00 ann ping
  2025-03-01 09:00 ann ping
  `,
  days({ fill: true }),
  ["2025-02-28 1", "2025-03-01 1"],
);

example(
  "The days go on over the end of a year.",
  `
  2025-12-31 23:00 ann ping
  01-02 01:00 ann ping
  `,
  days({ startDate: "2025-12-31", endDate: "2026-01-02", fill: true }),
  ["2025-12-31 1", "2026-01-01 0", "2026-01-02 1"],
);

example(
  "A range within one day has that day, with the events in the range only.",
  `
  03-02 08:00 ann ping
  03-02 09:00 ann ping
  03-02 10:00 ann ping
  `,
  days({ startDate: "2026-03-02T09:00:00Z", endDate: "2026-03-02T09:59:59.999Z" }),
  ["2026-03-02 1"],
);

example(
  "A Date object bounds the range to its millisecond.",
  `
  03-02 09:00:00.000 ann ping
  03-02 09:00:00.001 ann ping
  03-03 09:00 ann ping
  `,
  days({ startDate: new Date("2026-03-02T09:00:00.001Z") }),
  ["2026-03-02 1", "2026-03-03 1"],
);

example(
  "A start date leaves out the days before it.",
  `
  03-01 23:59:59.999 ann ping
  03-02 09:00 ann ping
  03-03 09:00 ann ping
  `,
  days({ startDate: "2026-03-02" }),
  ["2026-03-02 1", "2026-03-03 1"],
);

example(
  "The event name selects what is counted.",
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
  "A project has its own days.",
  `
  03-02 09:00 ann ping project=web
  03-03 09:00 ann ping project=app
  03-03 09:05 ann ping project=web
  `,
  days({ project: "web" }),
  ["2026-03-02 1", "2026-03-03 1"],
);

example(
  "Filters select what is counted, and the days that it leaves empty go.",
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
  "The parameter userId counts the days of the whole person, also those before the sign-up.",
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
  "After an alias the days of both ids are those of one person.",
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
  "A segment selects the days of the people in it.",
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
  "An event of nobody counts on its day.",
  `
  03-02 09:00 - ping
  03-02 09:05 ann ping
  `,
  days(),
  ["2026-03-02 2"],
);

example(
  "An event that is sent twice with the same id counts on its day once.",
  `
  03-02 09:00 ann buy id=e1
  03-02 09:00 ann buy id=e1
  03-03 09:00 ann buy id=e2
  `,
  days(),
  ["2026-03-02 1", "2026-03-03 1"],
);

example(
  "An event too far in the future counts on the day of its receipt, the 20th of March.",
  `
  03-19 09:00 ann ping
  03-22 09:00 ann ping
  `,
  days(),
  ["2026-03-19 1", "2026-03-20 1"],
);

example(
  "A member that is null is the same as an absent one.",
  `
  03-02 09:00 ann ping
  03-04 09:00 ann ping
  `,
  days({ project: null, eventName: null, userId: null, startDate: null, endDate: null, filterGroups: null, segments: null, fill: null }),
  ["2026-03-02 1", "2026-03-04 1"],
);

example("The answer has no time zone but UTC.", "", refused({ timeZone: "Europe/Berlin" } as PerDayInput), ["unknown_parameter", "timeZone"]);

example("A fill that is no boolean is refused.", "", refused({ fill: "yes" as unknown as boolean }), ["invalid_parameter", "fill"]);

example("An impossible start date is refused.", "", refused({ startDate: "2026-13-01" }), ["invalid_date", "startDate"]);

example(
  "A range that ends before it starts is refused.",
  "",
  async (daybook) => (await failure(daybook.countEventsPerDay({ startDate: "2026-03-02T09:00:00.001Z", endDate: "2026-03-02T09:00:00.000Z" })))[0],
  "invalid_date_range",
);
