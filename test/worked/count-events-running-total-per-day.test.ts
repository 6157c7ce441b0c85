import { DaybookError, type Daybook, type PerDayInput } from "daybook";
import { failure } from "../query/reports/layouts.js";
import { example } from "./example.js";

/** Per day its date and the total so far. */
const totals = (input?: PerDayInput) => async (daybook: Daybook) =>
  (await daybook.countEventsRunningTotalPerDay(input)).map(({ day, count }) => `${day.slice(0, 10)} ${count}`);

/** Code and parameter of the error that a question ends with. */
const refused = (input: PerDayInput) => (daybook: Daybook) =>
  daybook.countEventsRunningTotalPerDay(input).then(
    () => "an answer",
    (error: unknown) => (error instanceof DaybookError ? [error.code, error.details.param] : error),
  );

example(
  "Each day has the number of events up to its end.",
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
  "A day that adds nothing is left out.",
  `
  03-02 09:00 ann ping
  03-05 09:00 ann ping
  03-05 10:00 ann ping
  `,
  totals(),
  ["2026-03-02 1", "2026-03-05 3"],
);

example(
  "The total starts from 0 with the range, whatever was before.",
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
  "The last total is the count of the whole range.",
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
  "With fill a day without events keeps the total of the day before.",
  `
  03-02 09:00 ann ping
  03-04 09:00 ann ping
  `,
  totals({ fill: true }),
  ["2026-03-02 1", "2026-03-03 1", "2026-03-04 2"],
);

example(
  "With fill the total is 0 until the first event, and stays to the end of the range.",
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
  "A range without events is filled with totals of 0.",
  `
  03-09 09:00 ann ping
  `,
  totals({ startDate: "2026-03-02", endDate: "2026-03-03", fill: true }),
  ["2026-03-02 0", "2026-03-03 0"],
);

example(
  "Where nothing matches and the range is open, fill adds no day.",
  `
  03-09 09:00 ann ping
  `,
  totals({ eventName: "buy", fill: true }),
  [],
);

example(
  "An event at the last millisecond of a day belongs to the total of that day.",
  `
  03-02 23:59:59.999 ann ping
  03-03 00:00:00.000 ann ping
  `,
  totals(),
  ["2026-03-02 1", "2026-03-03 2"],
);

example(
  "Late events change the totals of all days from theirs on.",
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
  "A start within a day counts from that moment on.",
  `
  03-02 08:59:59.999 ann ping
  03-02 09:00:00.000 ann ping
  03-03 09:00 ann ping
  `,
  totals({ startDate: "2026-03-02T09:00:00Z" }),
  ["2026-03-02 1", "2026-03-03 2"],
);

example(
  "An end within a day belongs to the range itself.",
  `
  03-02 09:00 ann ping
  03-03 09:00:00.000 ann ping
  03-03 09:00:00.001 ann ping
  `,
  totals({ endDate: "2026-03-03T09:00:00Z" }),
  ["2026-03-02 1", "2026-03-03 2"],
);

example(
  "Days stay days of UTC if the range is given with an offset.",
  `
  03-01 22:30 ann ping
  03-01 23:30 ann ping
  03-02 00:30 ann ping
  `,
  totals({ startDate: "2026-03-02T00:00:00+01:00" }),
  ["2026-03-01 1", "2026-03-02 2"],
);

example(
  "The total goes on over the end of a month and of a year.",
  `
  2025-12-31 09:00 ann ping
  01-01 09:00 ann ping
  02-01 09:00 ann ping
  `,
  totals(),
  ["2025-12-31 1", "2026-01-01 2", "2026-02-01 3"],
);

example(
  "The event name selects what adds up.",
  `
  03-02 09:00 ann signup
  03-03 09:00 ann buy
  03-04 09:00 ann buy
  `,
  totals({ eventName: "buy" }),
  ["2026-03-03 1", "2026-03-04 2"],
);

example(
  "A project has its own total.",
  `
  03-02 09:00 ann ping project=web
  03-03 09:00 ann ping project=app
  03-04 09:00 ann ping project=web
  `,
  totals({ project: "web" }),
  ["2026-03-02 1", "2026-03-04 2"],
);

example(
  "Without a project all projects add to one total.",
  `
  03-02 09:00 ann ping project=web
  03-03 09:00 ann ping project=app
  03-04 09:00 ann ping
  `,
  totals(),
  ["2026-03-02 1", "2026-03-03 2", "2026-03-04 3"],
);

example(
  "Filters select what adds up.",
  `
  03-02 09:00 ann buy amount=5
  03-03 09:00 ann buy amount=20
  03-04 09:00 ann buy amount=30
  `,
  totals({ filterGroups: [{ filters: [{ fieldName: "amount", operator: ">=", value: 20 }] }] }),
  ["2026-03-03 1", "2026-03-04 2"],
);

example(
  "The parameter userId adds up the events of the person, with those of the device before the sign-up.",
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
  "An identify that names the device links it like an event with both ids.",
  `
  03-02 09:00 ~phone /home
  03-03 09:00 ann buy
  03-09 09:00 ann~phone identify
  `,
  totals({ userId: "ann" }),
  ["2026-03-02 1", "2026-03-03 2"],
);

example(
  "A segment selects the people whose events add up.",
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
  "A duplicate adds nothing.",
  `
  03-02 09:00 ann buy id=e1
  03-02 09:00 ann buy id=e1
  03-03 09:00 ann buy id=e2
  `,
  totals(),
  ["2026-03-02 1", "2026-03-03 2"],
);

example(
  "A member that is null is the same as an absent one.",
  `
  03-02 09:00 ann ping
  03-04 09:00 ann ping
  `,
  totals({ project: null, eventName: null, userId: null, startDate: null, endDate: null, filterGroups: null, segments: null, fill: null }),
  ["2026-03-02 1", "2026-03-04 2"],
);

example("A member that the query does not have is refused.", "", refused({ cumulative: true } as PerDayInput), ["unknown_parameter", "cumulative"]);

example("A fill that is no boolean is refused.", "", refused({ fill: 1 as unknown as boolean }), ["invalid_parameter", "fill"]);

example("The empty text is no date.", "", refused({ endDate: "" }), ["invalid_date", "endDate"]);

example(
  "A range that ends before it starts is refused.",
  "",
  async (daybook) => (await failure(daybook.countEventsRunningTotalPerDay({ startDate: "2026-03-03", endDate: "2026-03-02" })))[0],
  "invalid_date_range",
);
