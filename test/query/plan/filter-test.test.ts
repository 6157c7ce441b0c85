import { expect, test } from "vitest";
import { reports } from "../../../src/query/reports/reports.js";
import { context, thrown } from "./thrown.js";

function settled(operator: string, value?: unknown) {
  const filterGroups = [{ filters: [{ fieldName: "plan", operator, value }] }];
  const comparison = reports.countEvents.plan({ filterGroups }, context).where[0]?.[0];
  return { ...comparison?.test, negated: comparison?.negated };
}

const yes = (test: object) => ({ ...test, negated: false });
const no = (test: object) => ({ ...test, negated: true });
const equals = (...values: string[]) => ({ op: "equals", values });
const march = Date.UTC(2026, 2, 1);
const nextDay = march + 86_400_000;
const noon = march + 43_200_000;

test.each<[string, unknown, object]>([
  ["=", "a", yes(equals("a"))],
  ["!=", "a", no(equals("a"))],
  ["=", " a ", yes(equals(" a "))],
  ["=", "a,b", yes(equals("a,b"))],
  ["=", 3, yes(equals("3"))],
  ["=", 1e21, yes(equals("1e+21"))],
  ["=", false, yes(equals("false"))],
  ["=", ["a", 1], yes(equals('["a",1]'))],
  ["=", "", no({ op: "isSet" })],
  ["!=", "", yes({ op: "isSet" })],
  ["is_set", undefined, yes({ op: "isSet" })],
  ["is_not_set", null, no({ op: "isSet" })],
  ["is_set", { ignored: true }, yes({ op: "isSet" })],
  ["is_set", "x".repeat(5_000), yes({ op: "isSet" })],
])("%s %j settles to %j", (operator, value, expected) => {
  expect(settled(operator, value)).toEqual(expected);
});

test.each<[unknown, object]>([
  ["a,b", equals("a", "b")],
  [" a , b ,, ", equals("a", "b")],
  ["a\\,b,c", equals("a,b", "c")],
  ["a\\b,c\\", equals("a\\b", "c\\")],
  ["a,a", equals("a")],
  [["a", 1, true], equals("a", "1", "true")],
  ['["a", 3.0, true]', equals("a", "3", "true")],
  [' [" a ","b,c"]', equals(" a ", "b,c")],
  [["", "a"], equals("", "a")],
  [[null, "a"], equals("", "a")],
  ['[null,"a"]', equals("", "a")],
  ["[a],[b]", equals("[a]", "[b]")],
  [5, equals("5")],
  [true, equals("true")],
  ['{"a":1}', equals('{"a":1}')],
])("the list %j settles to %j", (value, expected) => {
  expect(settled("in", value)).toEqual(yes(expected));
  expect(settled("not_in", value)).toEqual(no(expected));
});

test("a list of nothing but not-set is is_not_set, its complement is_set", () => {
  for (const value of [[""], '[""]', [null, ""]]) {
    expect(settled("in", value)).toEqual(no({ op: "isSet" }));
    expect(settled("not_in", value)).toEqual(yes({ op: "isSet" }));
  }
});

test.each<[string, string, object]>([
  ["contains", "not_contains", { op: "contains", text: "Ab" }],
  ["starts_with", "not_starts_with", { op: "startsWith", text: "Ab" }],
  ["ends_with", "not_ends_with", { op: "endsWith", text: "Ab" }],
  ["regex", "not_regex", { op: "regex", pattern: "Ab" }],
])("%s and %s are one test and its complement", (operator, complement, expected) => {
  expect(settled(operator, "Ab")).toEqual(yes(expected));
  expect(settled(complement, "Ab")).toEqual(no(expected));
});

test.each<[string, unknown, object]>([
  [">", "5", { op: "number", order: ">", bound: 5 }],
  [">=", 5.5, { op: "number", order: ">=", bound: 5.5 }],
  ["<", "-1e3", { op: "number", order: "<", bound: -1000 }],
  ["<=", "2026", { op: "number", order: "<=", bound: 2026 }],
  [">", "2026-03-01", { op: "instant", fromMs: nextDay, toMs: null }],
  [">=", "2026-03-01", { op: "instant", fromMs: march, toMs: null }],
  ["<", "2026-03-01", { op: "instant", fromMs: null, toMs: march }],
  ["<=", "2026-03-01", { op: "instant", fromMs: null, toMs: nextDay }],
  [">", "2026-03-01T12:00:00Z", { op: "instant", fromMs: noon + 1, toMs: null }],
  [">=", "2026-03-01T12:00:00Z", { op: "instant", fromMs: noon, toMs: null }],
  ["<", "2026-03-01T14:00:00+02:00", { op: "instant", fromMs: null, toMs: noon }],
  ["<=", "2026-03-01T12:00:00Z", { op: "instant", fromMs: null, toMs: noon + 1 }],
  ["between", "1,5", { op: "numberBetween", low: 1, high: 5 }],
  ["between", " 1 , 5 ", { op: "numberBetween", low: 1, high: 5 }],
  ["between", [1, 5], { op: "numberBetween", low: 1, high: 5 }],
  ["between", "[1,5]", { op: "numberBetween", low: 1, high: 5 }],
  ["between", "5,1", { op: "numberBetween", low: 5, high: 1 }],
  ["between", "3,3", { op: "numberBetween", low: 3, high: 3 }],
  ["between", "2026-03-01,2026-03-01", { op: "instant", fromMs: march, toMs: nextDay }],
  ["between", "2026-03-01T12:00:00Z,2026-03-01T12:00:00Z", { op: "instant", fromMs: noon, toMs: noon + 1 }],
  ["between", "2026-03-01,2026-03-01T12:00:00Z", { op: "instant", fromMs: march, toMs: noon + 1 }],
])("%s %j settles to %j", (operator, value, expected) => {
  expect(settled(operator, value)).toEqual(yes(expected));
});

test("not_between is the complement of between", () => {
  expect(settled("not_between", "1,5")).toEqual(no({ op: "numberBetween", low: 1, high: 5 }));
});

const bad: readonly [string, unknown, string][] = [
  ["contains", "", "invalid_filter_value"],
  ["not_contains", "", "invalid_filter_value"],
  ["starts_with", "", "invalid_filter_value"],
  ["ends_with", "", "invalid_filter_value"],
  ["regex", "", "invalid_filter_value"],
  ["in", "", "invalid_filter_value"],
  ["in", " , ,", "invalid_filter_value"],
  ["in", "[]", "invalid_filter_value"],
  ["in", [], "invalid_filter_value"],
  ["in", '[{"a":1}]', "invalid_filter_value"],
  ["in", [["a"]], "invalid_filter_value"],
  ["in", "[1e999]", "invalid_filter_value"],
  ["in", ["\ud800"], "invalid_filter_value"],
  ["=", Number.NaN, "invalid_filter_value"],
  ["=", Number.POSITIVE_INFINITY, "invalid_filter_value"],
  ["=", "\udc00", "invalid_filter_value"],
  ["=", 5n, "invalid_parameter"],
  ["=", () => "a", "invalid_parameter"],
  [">", "", "invalid_filter_value"],
  [">", "abc", "invalid_filter_value"],
  [">", " 5", "invalid_filter_value"],
  [">", "05", "invalid_filter_value"],
  [">", "1e999", "invalid_filter_value"],
  [">", true, "invalid_filter_value"],
  ["<", "2026-02-30", "invalid_filter_value"],
  ["<", "2026-03-01T12:00:00", "invalid_filter_value"],
  ["between", "1", "invalid_filter_value"],
  ["between", "1,2,3", "invalid_filter_value"],
  ["between", "1,2026-03-01", "invalid_filter_value"],
  ["between", "a,b", "invalid_filter_value"],
];
test.each(bad)("%s with %o is refused", (operator, value, code) => {
  expect(thrown(() => settled(operator, value))).toEqual([code, "filterGroups[0].filters[0].value"]);
});

test.each(["=", "in", "contains"])("%s takes 4,096 characters and no more", (operator) => {
  expect(thrown(() => settled(operator, "x".repeat(4_096)))).toBeNull();
  expect(thrown(() => settled(operator, "😀".repeat(4_096)))).toBeNull();
  expect(thrown(() => settled(operator, "x".repeat(4_097)))?.[0]).toBe("invalid_filter_value");
  expect(thrown(() => settled(operator, "😀".repeat(4_097)))?.[0]).toBe("invalid_filter_value");
  expect(thrown(() => settled(operator, ["x".repeat(4_096)]))?.[0]).toBe("invalid_filter_value");
});

test("a pattern takes 512 characters and no more", () => {
  expect(thrown(() => settled("regex", "x".repeat(512)))).toBeNull();
  for (const length of [513, 5_000]) {
    expect(thrown(() => settled("not_regex", "x".repeat(length)))).toEqual([
      "invalid_regex",
      "filterGroups[0].filters[0].value",
    ]);
  }
});
