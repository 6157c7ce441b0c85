import { expect, test } from "vitest";
import { OPERATOR_NAMES, operatorOf } from "../../../src/query/plan/filters/filter-groups.js";

const SPELLINGS: readonly [name: string, query: string, negated: boolean, spellings: readonly string[]][] = [
  ["=", "equals", false, ["=", "==", "eq", "equals", "is"]],
  ["!=", "equals", true, ["!=", "<>", "ne", "neq", "not_equals", "is_not"]],
  ["in", "in", false, ["in", "one_of"]],
  ["not_in", "in", true, ["not_in", "none_of"]],
  ["contains", "contains", false, ["contains", "icontains"]],
  ["not_contains", "contains", true, ["not_contains", "not_icontains"]],
  ["starts_with", "startsWith", false, ["starts_with"]],
  ["not_starts_with", "startsWith", true, ["not_starts_with"]],
  ["ends_with", "endsWith", false, ["ends_with"]],
  ["not_ends_with", "endsWith", true, ["not_ends_with"]],
  ["regex", "regex", false, ["regex", "matches"]],
  ["not_regex", "regex", true, ["not_regex", "not_matches"]],
  [">", ">", false, [">", "gt"]],
  [">=", ">=", false, [">=", "gte"]],
  ["<", "<", false, ["<", "lt"]],
  ["<=", "<=", false, ["<=", "lte"]],
  ["between", "between", false, ["between"]],
  ["not_between", "between", true, ["not_between"]],
  ["in_segment", "inSegment", false, ["in_segment"]],
  ["not_in_segment", "inSegment", true, ["not_in_segment"]],
  ["is_set", "isSet", false, ["is_set", "exists"]],
  ["is_not_set", "isSet", true, ["is_not_set", "not_exists"]],
];

test.each(SPELLINGS)("%s asks %s (negated: %s) in all its spellings", (name, query, negated, spellings) => {
  for (const spelling of spellings) {
    expect(operatorOf(spelling), spelling).toEqual({ name, test: query, negated });
    expect(operatorOf(`  ${spelling.toUpperCase()}\t`), spelling).toEqual({ name, test: query, negated });
  }
});

test("messages list every operator once, by its first spelling", () => {
  expect(OPERATOR_NAMES).toEqual(SPELLINGS.map(([name]) => name));
});

test.each(["", "like", "===", "not in", "constructor", "__proto__", "not_gt"])("%j is no operator", (spelling) => {
  expect(operatorOf(spelling)).toBeNull();
});
