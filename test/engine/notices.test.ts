import { expect, test } from "vitest";
import { noticesOf } from "../../src/engine/query/notices.js";
import { groups, is, planned } from "../query/plan/insights/planned.js";

/** Some event has the keys `known` and `deep`. */
const hasKey = (key: string) => ["known", "deep"].includes(key);

function noticed(report: Parameters<typeof planned>[0], input: object): string[] {
  return noticesOf(planned(report, input), input, hasKey).map(({ code, report: of, param, name }) => `${code} ${of} ${param} ${name}`);
}

test("names of nothing are noticed wherever a query has fields", () => {
  const input = {
    steps: [{ filterGroups: groups([is("known", 1), is("plan", 1)]) }, { eventName: "b" }],
    exclusions: [{ filterGroups: groups([is("metadata.deep.er", 1), is("metadata.plan.er", 1)]) }],
    breakdown: { fields: ["metadata.known", "metadata.none"] },
  };
  expect(noticed("funnel", input)).toEqual([
    "unknown_field funnel steps[0].filterGroups[0].filters[1].fieldName plan",
    "unknown_field funnel exclusions[0].filterGroups[0].filters[1].fieldName metadata.plan.er",
    "unknown_field funnel breakdown.fields[1] metadata.none",
  ]);
  expect(noticed("trend", { measure: { type: "sum", field: "amount" } })).toEqual(["unknown_field trend measure.field amount"]);
  expect(noticed("paths", { node: "screen_name" })).toEqual(["unknown_field paths node screen_name"]);
});

test("what is known of people and companies is no metadata", () => {
  const filterGroups = groups([is("person.plan", 1), is("company.size", 1), is("first_touch.source", 1), is("os", 1), is("utm_term", 1)]);
  expect(noticed("trend", { filterGroups, breakdown: { fields: ["person.none", "companyId"] } })).toEqual([]);
});
