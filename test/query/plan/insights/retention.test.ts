import { expect, test } from "vitest";
import { LIMITS } from "../../../../src/core/base/limits.js";
import { equals, field, groups, is, planned, refuses } from "./planned.js";

test("any event makes a cohort by day and is a return on one of 11 days, if nothing else is said", () => {
  const { cohortEvent, returnEvent, cohort, returned, interval, periods, level, breakdown } = planned("retention");
  const any = { project: null, eventName: null, userId: null, range: { fromMs: 0, toMs: LIMITS.instantMaxMs }, where: [] };
  expect({ cohortEvent, returnEvent, cohort, returned, interval, periods, level, breakdown }).toEqual({
    cohortEvent: any, returnEvent: any, cohort: "first_time", returned: "on", interval: "day", periods: 11, level: "identity", breakdown: null,
  });
});

test("cohorts and returns have events of their own", () => {
  const { cohortEvent, returnEvent } = planned("retention", { eventName: "a", cohortEvent: { filterGroups: groups([is("os", "x")]) }, returnEvent: { eventName: "a" } });
  expect(cohortEvent).toMatchObject({ eventName: "a", where: [[equals(field("os"), "x")]] });
  expect(returnEvent).toMatchObject({ eventName: "a", where: [] });
});

test.each([["cohort", "recurring"], ["returned", "on_or_after"], ["interval", "week"], ["interval", "month"], ["level", "account"], ["periods", 1], ["periods", 366]])("%s may be %s", (name, value) => {
  expect(planned("retention", { [name]: value })).toMatchObject({ [name]: value });
});

refuses("retention", [
  ["a cohort that is none", { cohort: "last_time" }, "invalid_parameter", "cohort"],
  ["a return that is none", { returned: "before" }, "invalid_parameter", "returned"],
  ["a period of hours", { interval: "hour" }, "invalid_parameter", "interval"],
  ["no period", { periods: 0 }, "invalid_parameter", "periods"],
  ["367 periods", { periods: 367 }, "invalid_parameter", "periods"],
  ["sessions as level", { level: "session" }, "invalid_parameter", "level"],
  ["an event that is text", { cohortEvent: "signup" }, "invalid_parameter", "cohortEvent"],
  ["an event with an unknown member", { returnEvent: { name: "a" } }, "unknown_parameter", "returnEvent.name"],
  ["an empty name", { returnEvent: { eventName: "" } }, "invalid_parameter", "returnEvent.eventName"],
  ["a filter of an event", { cohortEvent: { filterGroups: groups([is("os", "x", "like")]) } }, "invalid_operator", "cohortEvent.filterGroups[0].filters[0].operator"],
  ["three fields of a breakdown", { breakdown: { fields: ["os", "path", "url"] } }, "invalid_parameter", "breakdown.fields"],
  ["where a chain would be broken down", { breakdown: { fields: ["os"], at: "entry" } }, "unknown_parameter", "breakdown.at"],
  ["a comparison", { compare: "previous_year" }, "unknown_parameter", "compare"],
]);
