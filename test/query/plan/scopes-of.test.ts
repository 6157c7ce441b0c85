import { expect, test } from "vitest";
import { reports } from "../../../src/query/reports/reports.js";
import { operandsOf, protectedDataOf, scopesOf } from "../../../src/query/plan/scopes-of.js";
import { groups, is, planned } from "./insights/planned.js";
import { ruled } from "./ruled-context.js";

const segments = {
  some: { groups: [{ conditions: [{ type: "did", eventName: "s", filterGroups: groups([is("screen", "x")]) }, { type: "trait", field: "plan", operator: "is_set" }] }, { conditions: [{ type: "company", operator: "is_set" }, { type: "first_seen", lastDays: 1 }] }] },
  other: { groups: [{ conditions: [{ type: "did_not", eventName: "o" }] }] },
};
const isIn = (name: string) => is("identity_id", name, "in_segment");
const names = (plan: Parameters<typeof scopesOf>[0]) => scopesOf(plan).map(({ eventName }) => eventName);
const uses = (plan: Parameters<typeof operandsOf>[0]) => operandsOf(plan).map(({ operand, use }) => `${use} ${"field" in operand ? operand.field : "path" in operand ? operand.path : operand.kind}`);

test("a query of one kind of events has one scope", () => {
  for (const report of ["countEvents", "searchEvents", "topCompanies"] as const) {
    const plan = reports[report].plan({}, ruled);
    expect(scopesOf(plan)).toEqual([plan]);
    expect(operandsOf(plan)).toEqual([]);
  }
});

test("steps, exclusions, cohorts and returns have scopes of their own, and segments those of their conditions", () => {
  const filterGroups = groups([isIn("some")]);
  const funnel = planned("funnel", { eventName: "q", segments, steps: [{ eventName: "q" }, { filterGroups }], exclusions: [{ filterGroups: groups([isIn("other")]) }] });
  expect(names(funnel)).toEqual(["q", "q", "q", "q", "s", "o"]);
  expect(scopesOf(funnel).slice(0, 4)).toEqual([funnel, funnel.steps[0]?.scope, funnel.steps[1]?.scope, funnel.exclusions[0]?.scope]);
  const retention = planned("retention", { cohortEvent: { eventName: "a" }, returnEvent: { eventName: "b" } });
  expect(names(retention)).toEqual([null, "a", "b"]);
  expect(names(reports.countEvents.plan({ filterGroups, segments }, ruled))).toEqual([null, "s"]);
});

test("a segment is listed once, however often it is named, and not where no filter names it", () => {
  const plan = planned("retention", { segments, filterGroups: groups([isIn("some")], [isIn("some"), is("os", "x")]), cohortEvent: { filterGroups: groups([isIn("some")]) } });
  expect(names(plan).filter((name) => name !== null)).toEqual(["s"]);
});

test("operands are those of filters, of fields, and of what segments compare", () => {
  const filterGroups = groups([is("os", "x"), isIn("some")]);
  expect(uses(planned("trend", { filterGroups, segments, measure: { type: "sum", field: "value" }, breakdown: { fields: ["device", "person.plan"] } }))).toEqual([
    "filter os", "filter segment", "filter screen", "field value", "field device", "field plan", "condition plan", "condition companyId",
  ]);
  expect(uses(planned("trend", { breakdown: { fields: ["device"] } }))).toEqual(["field device"]);
  expect(uses(planned("funnel", { breakdown: { fields: ["device"] }, steps: [{ filterGroups: groups([is("os", "x")]) }, { eventName: "b" }] }))).toEqual(["filter os", "field device"]);
  expect(uses(planned("retention", { breakdown: { fields: ["device"] }, returnEvent: { filterGroups: groups([is("os", "x")]) } }))).toEqual(["filter os", "field device"]);
  expect(uses(planned("sessionsOverview", { breakdown: { fields: ["device"] } }))).toEqual(["field device"]);
  expect(uses(planned("paths", { node: "company.size" }))).toEqual(["field size"]);
  expect(uses(reports.aggregate.plan({ field: "os", filterGroups: groups([is("url", "x")]) }, ruled))).toEqual(["filter url", "field os"]);
});

test.each<[string, object, string[]]>([
  ["events by device", { breakdown: { fields: ["device"] } }, []],
  ["events by a company's id", { breakdown: { fields: ["company_id"] }, filterGroups: groups([is("company_id", "x"), is("identity_id", "y"), is("touch_source", "z")]) }, []],
  ["revenue", { measure: { type: "revenue" } }, ["revenue"]],
  ["sums of amounts", { measure: { type: "sum", field: "value" } }, []],
  ["a measure of a trait", { measure: { type: "unique_values", field: "person.plan" } }, ["identities"]],
  ["a filter by who brought somebody", { filterGroups: groups([is("first_touch.source", "x")]) }, ["identities"]],
  ["a breakdown by what is known of companies", { breakdown: { fields: ["company.size"] } }, ["companies"]],
  ["a segment by what people did", { segments, filterGroups: groups([isIn("other")]) }, []],
  ["a segment by traits and companies", { segments, filterGroups: groups([isIn("some")]) }, ["identities", "companies"]],
  ["a segment that no filter names", { segments }, []],
  ["a segment by events of people of a trait", { segments: { s: { groups: [{ conditions: [{ type: "did", filterGroups: groups([is("person.plan", "x")]) }] }] } }, filterGroups: groups([isIn("s")]) }, ["identities"]],
])("what a query tells of beside events: %s", (_title, input, matters) => {
  expect([...protectedDataOf(planned("trend", input))]).toEqual(matters);
  if ("measure" in input || "breakdown" in input) return;
  expect([...protectedDataOf(reports.countEvents.plan(input, ruled))]).toEqual(matters);
});
