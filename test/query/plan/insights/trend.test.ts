import { expect, test } from "vitest";
import { planned, refusal, refuses } from "./planned.js";
import { ruled } from "../ruled-context.js";

const fields = ["path"];
const ofDays = { startDate: "2026-03-01", endDate: "2026-03-02" };

test("an empty query is events by day, filled", () => {
  const { measure, interval, breakdown, previous, cumulative, fill, session, pageviewSlugs, revenue } = planned("trend");
  expect({ measure, interval, breakdown, previous, cumulative, fill }).toEqual({
    measure: { type: "events", field: null }, interval: "day", breakdown: null, previous: null, cumulative: false, fill: true,
  });
  expect({ session, pageviewSlugs, revenue }).toEqual({ session: ruled.rules.session, pageviewSlugs: ruled.rules.pageviewSlugs, revenue: ruled.rules.revenue });
});

test.each(["minute", "hour", "day", "week", "month", "quarter", "year", "total"])("the interval may be %s", (interval) => {
  expect(planned("trend", { interval }).interval).toBe(interval);
});

test.each(["events", "unique_users", "sessions", "revenue"])("measure %s is of no field", (type) => {
  expect(planned("trend", { measure: { type } }).measure).toEqual({ type, field: null });
  expect(planned("trend", { measure: { type, field: null } }).measure).toEqual({ type, field: null });
  expect(refusal("trend", { measure: { type, field: "value" } })).toEqual(["unknown_parameter", "measure.field"]);
});

test.each(["unique_values", "sum", "avg", "min", "max", "p25", "median", "p75", "p90", "p95", "p99"])("measure %s is of a field", (type) => {
  expect(planned("trend", { measure: { type, field: "value" } }).measure).toEqual({ type, field: { kind: "member", field: "value" } });
  expect(planned("trend", { measure: { type, field: "company.seats" } }).measure).toEqual({ type, field: { kind: "company", path: "seats" } });
  expect(refusal("trend", { measure: { type } })).toEqual(["invalid_parameter", "measure.field"]);
});

test("a breakdown shows 25 values and no rest, if nothing else is said", () => {
  expect(planned("trend", { breakdown: { fields } }).breakdown).toEqual({ fields: [{ kind: "path" }], limit: 25, rest: false });
  expect(planned("trend", { breakdown: { fields: ["country", "person.plan"], limit: 1_000, rest: true } }).breakdown).toEqual({
    fields: [{ kind: "field", field: "location_country" }, { kind: "person", path: "plan" }], limit: 1_000, rest: true,
  });
});

test("flags are as they are given", () => {
  expect(planned("trend", { cumulative: true, fill: false })).toMatchObject({ cumulative: true, fill: false });
});

refuses("trend", [
  ["an interval that is none", { interval: "decade" }, "invalid_parameter", "interval"],
  ["a measure that is text", { measure: "events" }, "invalid_parameter", "measure"],
  ["a measure without a type", { measure: { field: "x" } }, "invalid_parameter", "measure.type"],
  ["a measure of an unknown type", { measure: { type: "mode", field: "x" } }, "invalid_parameter", "measure.type"],
  ["an unknown member of the measure", { measure: { type: "sum", field: "x", of: 1 } }, "unknown_parameter", "measure.of"],
  ["an empty field of the measure", { measure: { type: "sum", field: "" } }, "invalid_parameter", "measure.field"],
  ["a field of the measure that is a number", { measure: { type: "sum", field: 1 } }, "invalid_parameter", "measure.field"],
  ["an unknown dimension of touches", { measure: { type: "unique_values", field: "last_touch.term" } }, "invalid_parameter", "measure.field"],
  ["a breakdown that is text", { breakdown: "os" }, "invalid_parameter", "breakdown"],
  ["a breakdown without fields", { breakdown: {} }, "invalid_parameter", "breakdown.fields"],
  ["fields that are text", { breakdown: { fields: "os" } }, "invalid_parameter", "breakdown.fields"],
  ["no field in it", { breakdown: { fields: [] } }, "invalid_parameter", "breakdown.fields"],
  ["three fields", { breakdown: { fields: ["os", "path", "url"] } }, "invalid_parameter", "breakdown.fields"],
  ["one field twice", { breakdown: { fields: ["os", "os"] } }, "invalid_parameter", "breakdown.fields"],
  ["one field by two names", { breakdown: { fields: ["country", "locationCountry"] } }, "invalid_parameter", "breakdown.fields"],
  ["a field that is none", { breakdown: { fields: ["os", "metadata."] } }, "invalid_parameter", "breakdown.fields[1]"],
  ["a field that is null", { breakdown: { fields: [null] } }, "invalid_parameter", "breakdown.fields[0]"],
  ["a lone surrogate", { breakdown: { fields: ["\ud800"] } }, "invalid_parameter", "breakdown.fields[0]"],
  ["a limit of 0", { breakdown: { fields, limit: 0 } }, "invalid_parameter", "breakdown.limit"],
  ["a limit of 1,001", { breakdown: { fields, limit: 1_001 } }, "invalid_parameter", "breakdown.limit"],
  ["a rest that is no boolean", { breakdown: { fields, rest: 1 } }, "invalid_parameter", "breakdown.rest"],
  ["an unknown member of the breakdown", { breakdown: { fields, at: "entry" } }, "unknown_parameter", "breakdown.at"],
  ["a comparison that is none", { ...ofDays, compare: "previous_moon" }, "invalid_parameter", "compare"],
  ["a comparison without a start", { endDate: "2026-03-01", compare: "previous_period" }, "invalid_parameter", "compare"],
  ["a comparison without an end", { startDate: "2026-03-01", compare: "previous_year" }, "invalid_parameter", "compare"],
  ["what is cumulative in text", { cumulative: "true" }, "invalid_parameter", "cumulative"],
  ["a number to fill", { fill: 0 }, "invalid_parameter", "fill"],
  ["a level", { level: "identity" }, "unknown_parameter", "level"],
  ["more than 10,000 buckets", { startDate: "1990-01-01", endDate: "2026-03-01" }, "invalid_parameter", "interval"],
]);
