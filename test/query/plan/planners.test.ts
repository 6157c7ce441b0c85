import { expect, test } from "vitest";
import { LIMITS } from "../../../src/core/base/limits.js";
import type { ReportName } from "../../../src/query/queries.js";
import { reports } from "../../../src/query/reports/reports.js";
import { context, thrown } from "./thrown.js";

/** Members beyond project, eventName, startDate, endDate and filterGroups. */
const TAKES = {
  countEvents: ["userId"],
  countEventsPerDay: ["userId", "fill"],
  countEventsRunningTotalPerDay: ["userId", "fill"],
  countUniqueUsers: [],
  countUniqueUsersPerDay: ["fill"],
  aggregate: ["field", "metadataField", "limit"],
  searchEvents: ["userId", "cursor", "limit"],
} satisfies Partial<Record<ReportName, readonly string[]>>;
type EventReport = keyof typeof TAKES;
const names = Object.keys(TAKES) as EventReport[];
const takes = (report: EventReport): readonly string[] => TAKES[report];
const NEEDED: Partial<Record<EventReport, object>> = { aggregate: { field: "os" } };
const VALUES: Readonly<Record<string, unknown>> = { userId: "u1", fill: true, limit: 5, cursor: "x", field: "os", metadataField: "plan" };

const plan = (report: EventReport, input: object) => reports[report].plan({ ...NEEDED[report], ...input }, context);

test.each(names)("%s settles an empty query to everything", (report) => {
  expect(plan(report, {})).toMatchObject({
    report,
    project: null,
    eventName: null,
    userId: null,
    range: { fromMs: 0, toMs: LIMITS.instantMaxMs },
    where: [],
  });
});

test.each(names)("%s takes null for every member as absent", (report) => {
  const nulls = Object.fromEntries(["project", "eventName", "userId", "startDate", "endDate", "filterGroups", "fill", "cursor"].map((name) => [name, null]));
  expect(plan(report, nulls)).toEqual(plan(report, {}));
});

test.each(names)("%s keeps the project and the event name verbatim", (report) => {
  expect(plan(report, { project: " shop ", eventName: "Page View" })).toMatchObject({ project: " shop ", eventName: "Page View" });
});

test.each(names)("%s settles to plain JSON, the same for the same query", (report) => {
  const filterGroups = [{ filters: [{ fieldName: "plan", operator: "<", value: "2026-03-01" }] }];
  const settled = plan(report, { filterGroups, startDate: "2026-01-01" });
  expect(JSON.parse(JSON.stringify(settled))).toEqual(settled);
  expect(JSON.stringify(plan(report, { startDate: "2026-01-01", filterGroups }))).toBe(JSON.stringify(settled));
});

test.each(names)("%s refuses the members that only other reports take", (report) => {
  for (const [name, value] of Object.entries(VALUES)) {
    if (takes(report).includes(name)) continue;
    expect(thrown(() => plan(report, { [name]: value })), name).toEqual(["unknown_parameter", name]);
  }
});

test.each(names)("%s names an unknown member", (report) => {
  expect(thrown(() => plan(report, { event_name: "x" }))).toEqual(["unknown_parameter", "event_name"]);
  expect(thrown(() => reports[report].plan(JSON.parse('{"__proto__":1}'), context))).toEqual(["unknown_parameter", "__proto__"]);
});

test.each(names)("%s refuses an input that is no object", (report) => {
  for (const input of ["{}", 5, true, [], new Map(), new Date(0), () => ({})]) {
    expect(thrown(() => reports[report].plan(input, context))).toEqual(["invalid_parameter", "input"]);
  }
});

test.each(names)("%s refuses wrong types and empty text", (report) => {
  const texts = ["project", "eventName", ...takes(report).filter((name) => name === "userId")];
  for (const name of texts) {
    for (const value of ["", 5, true, ["a"], {}, "\ud800"]) {
      expect(thrown(() => plan(report, { [name]: value })), `${name} ${String(value)}`).toEqual(["invalid_parameter", name]);
    }
  }
});

test.each(names.filter((report) => takes(report).includes("userId")))("%s asks for one user", (report) => {
  expect(plan(report, { userId: "u1" })).toMatchObject({ userId: "u1" });
});

test.each(names.filter((report) => takes(report).includes("fill")))("%s fills only when asked", (report) => {
  expect(plan(report, {})).toMatchObject({ fill: false });
  expect(plan(report, { fill: false })).toMatchObject({ fill: false });
  expect(plan(report, { fill: true })).toMatchObject({ fill: true });
  for (const fill of ["true", 1, {}]) expect(thrown(() => plan(report, { fill }))).toEqual(["invalid_parameter", "fill"]);
});

test("an unknown name of any length is shown short", () => {
  const [code, param] = thrown(() => plan("countEvents", { ["x".repeat(100_000)]: 1 })) ?? [];
  expect(code).toBe("unknown_parameter");
  expect(param).toBe(`${"x".repeat(77)}...`);
});
