import { describe, expect, test } from "vitest";
import { LIMITS } from "../../../../src/core/base/limits.js";
import { equals, field, groups, INSIGHTS, is, planned, refusal, refuses } from "./planned.js";
import { ruled } from "../ruled-context.js";

const EVER = { fromMs: 0, toMs: LIMITS.instantMaxMs };
const between = (startDate: unknown, endDate: unknown, timeZone?: string) => planned("webOverview", { startDate, endDate, timeZone }).range;

describe.each(INSIGHTS)("%s", (report) => {
  test("asks of everything in UTC, if nothing else is said", () => {
    expect(planned(report)).toMatchObject({
      report, project: null, eventName: null, userId: null, where: [], range: EVER, isOpen: { start: true, end: true },
      calendar: { timeZone: "UTC", weekStart: 0 }, nowMs: ruled.nowMs,
    });
  });

  test("takes null for every member as absent", () => {
    const names = ["project", "eventName", "filterGroups", "startDate", "endDate", "timeZone", "weekStart", "segments", "asOf", "interval", "level", "limit", "breakdown", "compare", "userId"];
    expect(planned(report, Object.fromEntries(names.map((name) => [name, null])))).toEqual(planned(report));
  });

  test.each([0, 5, 2 ** 32, "latest", null])("takes %s as asOf: whether it was reached is for the executor to say", (asOf) => {
    expect(planned(report, { asOf })).toMatchObject({ asOf });
  });

  test("keeps project, name, zone and first day of weeks as they are given", () => {
    const given = { project: " shop ", eventName: "Page View", timeZone: "europe/berlin", weekStart: "sunday" };
    expect(planned(report, given)).toMatchObject({ project: " shop ", eventName: "Page View", calendar: { timeZone: "europe/berlin", weekStart: 6 } });
  });

  test("settles to plain JSON, the same for the same query", () => {
    const filterGroups = groups([is("plan", "2026-03-01", "<")], [is("person.plan", "pro")]);
    const settled = planned(report, { filterGroups, startDate: "2026-01-01", project: "shop" });
    expect(JSON.parse(JSON.stringify(settled))).toEqual(settled);
    expect(planned(report, { project: "shop", startDate: "2026-01-01", filterGroups })).toEqual(settled);
  });

  refuses(report, [
    ["an unknown member", { event_name: "x" }, "unknown_parameter", "event_name"],
    ["a user id: identities are filtered", { userId: "ann" }, "unknown_parameter", "userId"],
    ["a project that is no text", { project: 5 }, "invalid_parameter", "project"],
    ["an empty name of events", { eventName: "" }, "invalid_parameter", "eventName"],
    ["a zone that is none", { timeZone: "Mars/Olympus" }, "invalid_parameter", "timeZone"],
    ["an offset as zone", { timeZone: "+01:00" }, "invalid_parameter", "timeZone"],
    ["a zone that is no text", { timeZone: 1 }, "invalid_parameter", "timeZone"],
    ["a first day of weeks that is none", { weekStart: "Monday" }, "invalid_parameter", "weekStart"],
    ["a number as first day of weeks", { weekStart: 0 }, "invalid_parameter", "weekStart"],
    ["a sequence below 0", { asOf: -1 }, "invalid_parameter", "asOf"],
    ["a part of a sequence", { asOf: 0.5 }, "invalid_parameter", "asOf"],
    ["a sequence as text", { asOf: "5" }, "invalid_parameter", "asOf"],
    ["a date that is none", { startDate: "2026-02-30" }, "invalid_date", "startDate"],
    ["a date of 1969, in whatever zone", { endDate: "1969-12-31", timeZone: "America/New_York" }, "invalid_date", "endDate"],
    ["a number as date", { endDate: 0 }, "invalid_parameter", "endDate"],
    ["a start after the end", { startDate: "2026-03-02", endDate: "2026-03-01" }, "invalid_date_range", "startDate"],
    ["a day that its zone skipped", { startDate: "2011-12-30", endDate: "2011-12-30", timeZone: "Pacific/Apia" }, "invalid_date_range", "startDate"],
    ["a filter of an unknown operator", { filterGroups: groups([], [is("os", "x"), is("os", "x", "like")]) }, "invalid_operator", "filterGroups[1].filters[1].operator"],
    ["a filter by a touch's medium of another spelling", { filterGroups: groups([is("first_touch.host", "x")]) }, "invalid_parameter", "filterGroups[0].filters[0].fieldName"],
    ["a filter by nothing of a person", { filterGroups: groups([is("person.", "x")]) }, "invalid_parameter", "filterGroups[0].filters[0].fieldName"],
    ["21 groups", { filterGroups: groups(...Array.from({ length: 21 }, () => [])) }, "too_many_filters", "filterGroups"],
    ["101 filters", { filterGroups: groups(Array(101).fill(is("os", "x"))) }, "too_many_filters", "filterGroups"],
  ]);

  test("refuses what is no object", () => {
    for (const input of ["{}", 5, [], new Map()]) expect(refusal(report, { segments: input })).toEqual(["invalid_parameter", "segments"]);
  });
});

test("dates without a time are days of the zone, whatever their length", () => {
  const HOUR = 3_600_000;
  expect(between("2026-03-29", "2026-03-29", "Europe/Berlin")).toEqual({ fromMs: Date.UTC(2026, 2, 28, 23), toMs: Date.UTC(2026, 2, 29, 22) });
  const autumn = between("2026-10-25", "2026-10-25", "Europe/Berlin");
  expect(autumn.toMs - autumn.fromMs).toBe(25 * HOUR);
  // Beirut put its clocks forward at midnight.
  expect(between("2021-03-28", "2021-03-28", "Asia/Beirut").fromMs).toBe(Date.parse("2021-03-28T01:00+03:00"));
  expect(between("2011-12-29", "2011-12-31", "Pacific/Apia")).toEqual({ fromMs: Date.parse("2011-12-29T00:00-10:00"), toMs: Date.parse("2012-01-01T00:00+14:00") });
});

test("timestamps and instants are the same in every zone", () => {
  const at = Date.UTC(2026, 2, 1, 12);
  for (const timeZone of ["UTC", "Asia/Kathmandu"]) {
    expect(between("2026-03-01T12:00:00Z", new Date(at), timeZone)).toEqual({ fromMs: at, toMs: at + 1 });
  }
});

test("ranges are cut to the years 1970 to 9999, and dates at their edges are no open sides", () => {
  expect(between("1970-01-01", "9999-12-31", "Asia/Tokyo")).toEqual({ fromMs: 0, toMs: LIMITS.instantMaxMs - 9 * 3_600_000 });
  expect(between("1970-01-01", "9999-12-31", "America/Los_Angeles")).toEqual({ fromMs: 8 * 3_600_000, toMs: LIMITS.instantMaxMs });
  expect(planned("trend", { startDate: "1970-01-01", interval: "year" }).isOpen).toEqual({ start: false, end: true });
  expect(planned("trend", { endDate: "9999-12-31", interval: "year" }).isOpen).toEqual({ start: true, end: false });
});

test("dates within filters are those of UTC", () => {
  const { where } = planned("trend", { timeZone: "Asia/Tokyo", filterGroups: groups([is("created_at", "2026-03-01", ">=")]) });
  expect(where).toEqual([[{ operand: { kind: "createdAt" }, test: { op: "instant", fromMs: Date.UTC(2026, 2, 1), toMs: null }, negated: false }]]);
});

test("filters read what is known of people, companies and who brought somebody", () => {
  const operandOf = (name: string) => planned("trend", { filterGroups: groups([is(name, "x")]) }).where[0]?.[0]?.operand;
  expect(operandOf("person.plan")).toEqual({ kind: "person", path: "plan" });
  expect(operandOf("person.email")).toEqual({ kind: "person", path: "email" });
  expect(operandOf("person.address.city")).toEqual({ kind: "person", path: "address.city" });
  expect(operandOf("company.size")).toEqual({ kind: "company", path: "size" });
  expect(operandOf("first_touch.source")).toEqual({ kind: "paymentTouch", model: "first_touch", dimension: "source" });
  expect(operandOf("last_touch.campaign")).toEqual({ kind: "paymentTouch", model: "last_touch", dimension: "campaign" });
  expect(operandOf("metadata.person.plan")).toEqual({ kind: "metadataPath", path: "person.plan" });
  expect(operandOf("person")).toEqual({ kind: "metadataKey", key: "person" });
  expect(operandOf("people.plan")).toEqual({ kind: "metadataKey", key: "people.plan" });
});

describe("a part's events", () => {
  const cohortOf = (query: object, cohortEvent: object) => planned("retention", { ...query, cohortEvent }).cohortEvent;

  test("are those of all times in the query's project", () => {
    expect(cohortOf({ project: "shop", startDate: "2026-03-01" }, {})).toEqual({ project: "shop", eventName: null, userId: null, range: EVER, where: [] });
  });

  test("match the query too: each group of one with each of the other", () => {
    const [a, b, c, d] = [is("os", "a"), is("os", "b"), is("device", "c"), is("device", "d")];
    const { where } = cohortOf({ filterGroups: groups([a], [b]) }, { filterGroups: groups([c, d], [d]) });
    const [isA, isB, isC, isD] = [equals(field("os"), "a"), equals(field("os"), "b"), equals(field("device"), "c"), equals(field("device"), "d")];
    expect(where).toEqual([[isA, isC, isD], [isA, isD], [isB, isC, isD], [isB, isD]]);
    expect(where[0]?.[0]).toBe(where[1]?.[0]);
    expect(where[1]?.[1]).toBe(where[3]?.[1]);
  });

  test("hold the query's own comparisons, not others like them", () => {
    const plan = planned("retention", { filterGroups: groups([is("os", "a")]), cohortEvent: { filterGroups: groups([is("os", "b")]) } });
    expect(plan.cohortEvent.where[0]?.[0]).toBe(plan.where[0]?.[0]);
    expect(plan.returnEvent.where[0]?.[0]).toBe(plan.where[0]?.[0]);
  });

  test("have the name that the query or the part asks for; of two different ones there are none", () => {
    expect(cohortOf({ eventName: "a" }, {})).toMatchObject({ eventName: "a", where: [] });
    expect(cohortOf({}, { eventName: "b" })).toMatchObject({ eventName: "b", where: [] });
    expect(cohortOf({ eventName: "a" }, { eventName: "a" })).toMatchObject({ eventName: "a", where: [] });
    expect(cohortOf({ eventName: "a" }, { eventName: "b" })).toMatchObject({ eventName: "a", where: [[equals(field("name"), "b")]] });
    const both = cohortOf({ eventName: "a", filterGroups: groups([is("os", "x")], [is("os", "y")]) }, { eventName: "b" });
    expect(both.where).toEqual([[equals(field("os"), "x"), equals(field("name"), "b")], [equals(field("os"), "y"), equals(field("name"), "b")]]);
  });
});

test("filters of all lists of a query count together", () => {
  const filters = (count: number) => groups(Array(count).fill(is("os", "x")));
  const asked = (query: number, step: number, trait: number) => refusal("funnel", {
    filterGroups: filters(query),
    steps: [{ eventName: "a" }, { filterGroups: filters(step) }],
    segments: { old: { groups: [{ conditions: [{ type: "did", filterGroups: filters(trait) }, { type: "trait", field: "plan", operator: "is_set" }] }] } },
  });
  expect(asked(40, 30, 29)).toBeNull();
  expect(asked(40, 31, 29)).toEqual(["too_many_filters", "steps[1].filterGroups"]);
  expect(asked(71, 1, 29)).toEqual(["too_many_filters", "filterGroups"]);
  expect(asked(0, 1, 100)).toEqual(["too_many_filters", "segments.old.groups[0].conditions[1]"]);
});

test("regular expressions are handed over with where they stand", () => {
  const patterns: { pattern: string; param: string }[] = [];
  const regex = (value: string) => groups([], [is("url", value, "regex")]);
  planned("funnel", {
    filterGroups: regex("1"),
    steps: [{ eventName: "a" }, { filterGroups: regex("2") }],
    exclusions: [{ filterGroups: regex("3") }],
    segments: { some: { groups: [{ conditions: [{ type: "did_not", filterGroups: regex("4") }, { type: "trait", field: "x", operator: "matches", value: "5" }] }] } },
  }, { ...ruled, patterns });
  planned("paths", { rules: [{ pattern: "6", label: "a" }, { pattern: "7", label: "b" }] }, { ...ruled, patterns });
  expect(patterns).toEqual([
    { pattern: "4", param: "segments.some.groups[0].conditions[0].filterGroups[1].filters[0].value" },
    { pattern: "5", param: "segments.some.groups[0].conditions[1].value" },
    { pattern: "1", param: "filterGroups[1].filters[0].value" },
    { pattern: "2", param: "steps[1].filterGroups[1].filters[0].value" },
    { pattern: "3", param: "exclusions[0].filterGroups[1].filters[0].value" },
    { pattern: "6", param: "rules[0].pattern" },
    { pattern: "7", param: "rules[1].pattern" },
  ]);
});
