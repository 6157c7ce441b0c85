import { expect, test } from "vitest";
import { DaybookError } from "../../../src/core/base/errors.js";
import { compileRegex, compileRegexes } from "../../../src/query/filter/regex.js";
import { FilterPlanner } from "../../../src/query/plan/filters/filter-groups.js";

const groupsOf = (...patterns: string[]) => patterns.map((value) => ({ filters: [{ fieldName: "url", operator: "regex", value }] }));
const whereOf = (filterGroups: unknown) => new FilterPlanner([]).where({ path: "", values: new Map([["filterGroups", filterGroups]]) }, null);

test.each<[string, string, boolean]>([
  ["b", "abc", true],
  ["^b", "abc", false],
  ["B", "abc", false],
  ["(?i)B", "abc", true],
  ["^/blog/\\d+$", "/blog/12", true],
  ["^/blog/\\d+$", "/blog/12/", false],
  ["\\p{Greek}", "αβγ", true],
  ["^.$", "😀", true],
  ["a.c", "a\nc", false],
])("%s found in %j: %s", async (pattern, text, expected) => {
  const regex = await compileRegex(pattern);
  expect(regex.test(text)).toBe(expected);
  expect(regex.test(text)).toBe(expected);
});

test.each(["(", "[", "a**", "(?=a)", "(?<=a)b", "(?!a)", "(a)\\1", "a{1001}", "((a{100}){100}){100}", "\\"])(
  "%s is an invalid_regex",
  async (pattern) => {
    const error: unknown = await compileRegex(pattern, "filterGroups[0].filters[1].value").catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(DaybookError);
    expect(error).toMatchObject({ code: "invalid_regex", details: { param: "filterGroups[0].filters[1].value" } });
  },
);

test.each(["(?:a?a?a?a?a?){900}", "(?:(?:ab){30}c){50}", "[ab]{900}[ab]{900}[ab]{900}", `(?:${".".repeat(480)}){1000}`])("%s would take long, and is refused before it is compiled", async (pattern) => {
  await expect(compileRegex(pattern)).rejects.toMatchObject({ code: "invalid_regex", message: expect.stringMatching(/^value: expected a pattern of at most 2500 steps, got .* with about \d+: a repeated part/) as string });
  await expect(compileRegex(pattern.replace(/\d{2,}/g, "2"))).resolves.toBeDefined();
});

test("a pattern that would explode by backtracking answers at once", async () => {
  const regex = await compileRegex("^(a+)+$");
  expect(regex.test(`${"a".repeat(8_000)}!`)).toBe(false);
});

test("every pattern of a where is compiled once", async () => {
  const regexes = await compileRegexes(whereOf(groupsOf("a", "b", "a")).flat());
  expect([...regexes.keys()]).toEqual(["a", "b"]);
  expect(await compileRegexes([])).toEqual(new Map());
});
