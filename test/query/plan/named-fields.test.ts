import { expect, test } from "vitest";
import { namedFieldsOf } from "../../../src/query/plan/filters/field-operand.js";
import { groups, is } from "./insights/planned.js";

const placesOf = (input: unknown) => Object.fromEntries(namedFieldsOf(input).map(({ param, name }) => [param, name]));

test("each place of a query in which a field is named", () => {
  const at = (name: string) => groups([], [is("os", "x"), is(name, "y")]);
  expect(placesOf({
    filterGroups: at("a"),
    steps: [{ eventName: "e" }, { filterGroups: at("b") }],
    exclusions: [{ filterGroups: at("c") }],
    cohortEvent: { filterGroups: at("d") },
    returnEvent: { filterGroups: at("f") },
    segments: { mine: { groups: [{ conditions: [{ type: "trait", field: "plan", operator: "is_set" }, { type: "did", filterGroups: at("g") }] }] } },
    measure: { type: "sum", field: "h" },
    breakdown: { fields: ["i", "metadata.j"] },
    node: "k",
  })).toEqual({
    "filterGroups[1].filters[0].fieldName": "os", "filterGroups[1].filters[1].fieldName": "a",
    "steps[1].filterGroups[1].filters[0].fieldName": "os", "steps[1].filterGroups[1].filters[1].fieldName": "b",
    "exclusions[0].filterGroups[1].filters[0].fieldName": "os", "exclusions[0].filterGroups[1].filters[1].fieldName": "c",
    "cohortEvent.filterGroups[1].filters[0].fieldName": "os", "cohortEvent.filterGroups[1].filters[1].fieldName": "d",
    "returnEvent.filterGroups[1].filters[0].fieldName": "os", "returnEvent.filterGroups[1].filters[1].fieldName": "f",
    "segments.mine.groups[0].conditions[1].filterGroups[1].filters[0].fieldName": "os",
    "segments.mine.groups[0].conditions[1].filterGroups[1].filters[1].fieldName": "g",
    "measure.field": "h", "breakdown.fields[0]": "i", "breakdown.fields[1]": "metadata.j", node: "k",
  });
});

test("the field of an aggregate by metadata is a path", () => {
  expect(namedFieldsOf({ metadataField: "a.b" })).toEqual([{ param: "metadataField", name: "a.b", operand: { kind: "metadataPath", path: "a.b" }, filter: null }]);
});

test("nothing is named where nothing is asked", () => {
  for (const input of [undefined, null, {}, { filterGroups: null, steps: null, segments: { a: null }, breakdown: null, node: null }]) expect(namedFieldsOf(input)).toEqual([]);
});
