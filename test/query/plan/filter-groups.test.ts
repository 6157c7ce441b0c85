import { expect, test } from "vitest";
import { reports } from "../../../src/query/reports/reports.js";
import { context, thrown } from "./thrown.js";

const where = (filterGroups: unknown) => reports.countEvents.plan({ filterGroups }, context).where;
const filter = { fieldName: "device", operator: "=", value: "mobile" };
const isMobile = { operand: { kind: "field", field: "device" }, test: { op: "equals", values: ["mobile"] }, negated: false };

test("absent, null and empty groups are no constraint", () => {
  for (const none of [undefined, null, [], [{ filters: [] }, { filters: [] }]]) expect(where(none)).toEqual([]);
});

test("groups without filters are dropped beside others", () => {
  expect(where([{ filters: [] }, { filters: [filter, filter] }, { filters: [] }, { filters: [filter] }])).toEqual([
    [isMobile, isMobile],
    [isMobile],
  ]);
});

test("as many groups and filters as the limits allow are accepted", () => {
  const groups = Array.from({ length: 20 }, () => ({ filters: [filter, filter, filter, filter, filter] }));
  expect(where(groups).flat()).toHaveLength(100);
});

test.each<[string, unknown]>([
  ["21 groups", Array.from({ length: 21 }, () => ({ filters: [filter] }))],
  ["21 empty groups", Array.from({ length: 21 }, () => ({ filters: [] }))],
  ["101 filters in one group", [{ filters: Array(101).fill(filter) }]],
  ["101 filters over two groups", [{ filters: Array(51).fill(filter) }, { filters: Array(50).fill(filter) }]],
])("%s are too_many_filters", (_, groups) => {
  expect(thrown(() => where(groups))).toEqual(["too_many_filters", "filterGroups"]);
});

test.each<[string, unknown, string, string]>([
  ["groups that are an object", {}, "invalid_parameter", "filterGroups"],
  ["groups that are text", "[]", "invalid_parameter", "filterGroups"],
  ["a group that is null", [null], "invalid_parameter", "filterGroups[0]"],
  ["a hole among the groups", [{ filters: [] }, , { filters: [] }], "invalid_parameter", "filterGroups[1]"], // eslint-disable-line no-sparse-arrays
  ["a group that is an array", [[filter]], "invalid_parameter", "filterGroups[0]"],
  ["a group that is a Map", [new Map()], "invalid_parameter", "filterGroups[0]"],
  ["a group without filters", [{ filters: [] }, {}], "invalid_parameter", "filterGroups[1].filters"],
  ["a group whose filters are null", [{ filters: null }], "invalid_parameter", "filterGroups[0].filters"],
  ["a group whose filters are an object", [{ filters: {} }], "invalid_parameter", "filterGroups[0].filters"],
  ["an unknown member of a group", [{ filters: [], operator: "or" }], "unknown_parameter", "filterGroups[0].operator"],
])("%s is refused", (_, groups, code, param) => {
  expect(thrown(() => where(groups))).toEqual([code, param]);
});

test.each<[string, unknown, string, string]>([
  ["a filter that is text", "device = mobile", "invalid_parameter", ""],
  ["an unknown member", { ...filter, negate: true }, "unknown_parameter", ".negate"],
  ["a field name in snake case", { field_name: "os", operator: "=", value: "x" }, "unknown_parameter", ".field_name"],
  ["no field name", { operator: "=", value: "x" }, "invalid_parameter", ".fieldName"],
  ["an empty field name", { ...filter, fieldName: "" }, "invalid_parameter", ".fieldName"],
  ["metadata. alone", { ...filter, fieldName: "metadata." }, "invalid_parameter", ".fieldName"],
  ["a number as field name", { ...filter, fieldName: 7 }, "invalid_parameter", ".fieldName"],
  ["a lone surrogate in the field name", { ...filter, fieldName: "\ud800" }, "invalid_parameter", ".fieldName"],
  ["an unknown operator", { ...filter, operator: "like" }, "invalid_operator", ".operator"],
  ["no operator", { fieldName: "device", value: "x" }, "invalid_operator", ".operator"],
  ["an empty operator", { ...filter, operator: "" }, "invalid_operator", ".operator"],
  ["a number as operator", { ...filter, operator: 1 }, "invalid_parameter", ".operator"],
  ["no value", { fieldName: "device", operator: "=" }, "invalid_filter_value", ".value"],
  ["a null value", { ...filter, value: null }, "invalid_filter_value", ".value"],
  ["an object as value", { ...filter, value: { a: 1 } }, "invalid_parameter", ".value"],
])("%s names the filter at fault", (_, bad, code, suffix) => {
  const groups = [{ filters: [] }, { filters: [filter, filter, bad] }];
  expect(thrown(() => where(groups))).toEqual([code, `filterGroups[1].filters[2]${suffix}`]);
});

test("the message of an unknown operator lists the allowed ones and what came", () => {
  expect(() => where([{ filters: [{ ...filter, operator: "like" }] }])).toThrow(
    /^filterGroups\[0\]\.filters\[0\]\.operator: expected one of = != in not_in .* is_not_set, got "like"$/,
  );
});

test("null members that are not known are absent like any other", () => {
  expect(where([{ filters: [{ ...filter, negate: null }], note: null }])).toEqual([[isMobile]]);
});
