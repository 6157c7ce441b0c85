import { expect, test } from "vitest";
import { DaybookError } from "../../../src/core/base/errors.js";
import { compileRegex, type Regexes } from "../../../src/query/filter/regex.js";
import { compileValueTest } from "../../../src/query/filter/value-test.js";
import type { Test } from "../../../src/query/plan/plan.js";

const PATTERNS = ["^a", "^-?\\d+$", "^$", "tru"];
const regexes: Regexes = new Map(
  await Promise.all(PATTERNS.map(async (pattern) => [pattern, await compileRegex(pattern)] as const)),
);
const compile = (test: Test) => compileValueTest(test, regexes);

const equals = (...values: string[]): Test => ({ op: "equals", values });
const contains = (text: string): Test => ({ op: "contains", text });
const startsWith = (text: string): Test => ({ op: "startsWith", text });
const endsWith = (text: string): Test => ({ op: "endsWith", text });
const regex = (pattern: string): Test => ({ op: "regex", pattern });
const order = (order: ">" | ">=" | "<" | "<=", bound: number): Test => ({ op: "number", order, bound });
const between = (low: number, high: number): Test => ({ op: "numberBetween", low, high });
const instant = (fromMs: number | null, toMs: number | null): Test => ({ op: "instant", fromMs, toMs });
const isSet: Test = { op: "isSet" };
const noon = Date.UTC(2026, 2, 1, 12);

/** Values for which a test holds, and values for which it does not. */
const SCALARS: readonly [Test, readonly unknown[], readonly unknown[]][] = [
  [equals("a"), ["a"], ["A", " a", "b", 1, true, {}]],
  [equals("a", "b"), ["a", "b"], ["c", "a,b"]],
  [equals("3.0"), ["3.0", 3], ["3", 3.1, "3.00"]],
  [equals("-0"), [0, -0, "-0"], ["0"]],
  [equals("03"), ["03"], [3, "3"]],
  [equals("1e3"), [1000, "1e3"], ["1000"]],
  [equals("true"), ["true", true], [false, "True", 1]],
  [equals("false"), ["false", false], [true, 0]],
  [equals("null"), ["null"], [0, false]],
  [equals("\u00e9"), ["\u00e9"], ["e\u0301"]],
  [equals("[object Object]", "{}"), ["{}"], [{}]],
  [contains("bC"), ["abcd", "ABCD", "bc"], ["acb", {}, { bc: "bc" }]],
  [contains("2"), [123, "123"], [13, true]],
  [contains("RU"), [true, "true"], [false]],
  [contains("Straße"), ["STRAßE"], ["STRASSE"]],
  [startsWith("Ab"), ["ABC", "ab"], ["cab"]],
  [startsWith("1"), [12, 1.5], [21]],
  [endsWith("Bc"), ["abc", "BC"], ["bcd"]],
  [endsWith("se"), [false, "else"], [true]],
  [regex("^a"), ["abc"], ["Abc", "ba", {}]],
  [regex("^-?\\d+$"), [12, -3, "12"], [1.5, "x", true]],
  [regex("tru"), [true], [false]],
  [order(">", 5), [5.1, "5.1", "6e0"], [5, "5", "abc", " 6", "06", true, {}, "1e999"]],
  [order(">=", 5), [5, "5.0"], [4.9, "4.9", "x"]],
  [order("<", 5), [4, -1, "-1"], [5, "5", "", "x", false]],
  [order("<=", 5), [5, "5"], [5.1, "x"]],
  [between(1, 5), [1, 5, "3"], [0.9, 5.1, "x", true]],
  [between(5, 1), [], [1, 3, 5]],
  [instant(noon, noon + 1), ["2026-03-01T12:00:00Z", "2026-03-01T13:00:00.0009+01:00"], ["2026-03-01", noon, `${noon}`]],
  [instant(noon, null), ["2026-03-02", "9999-12-31"], ["2026-03-01", "2026-03-01T11:59:59.999Z", "soon", true]],
  [instant(null, noon), ["2026-03-01", "1970-01-01"], ["2026-03-01T12:00:00Z", "2026-02-30", "2026-03-01T10:00:00", 0]],
  [isSet, ["a", " ", "0", 0, false, {}, { a: null }], []],
];

const name = (value: unknown) => (Object.is(value, -0) ? "-0" : JSON.stringify(value));
const CASES = SCALARS.flatMap(([test, holds, fails]) => [
  ...holds.map((value) => [JSON.stringify(test), name(value), test, value, true] as const),
  ...fails.map((value) => [JSON.stringify(test), name(value), test, value, false] as const),
]).filter(([, , , value]) => value !== "");

test.each(CASES)("%s over %s", (_, __, query, value, expected) => {
  const compiled = compile(query);
  expect(compiled.json(value)).toBe(expected);
  if (typeof value === "string") expect(compiled.string(value)).toBe(expected);
});

test.each(CASES)("%s over an array with %s answers as for the element alone", (_, __, query, value, expected) => {
  const compiled = compile(query);
  expect(compiled.json([value])).toBe(expected);
  expect(compiled.json([null, value, ""])).toBe(expected);
  expect(compiled.json([[value]])).toBe(expected);
});

test.each(SCALARS.map(([query]) => [JSON.stringify(query), query] as const))("%s is false where nothing is set", (_, query) => {
  const compiled = compile(query);
  expect(compiled.notSet).toBe(false);
  expect(compiled.string("")).toBe(false);
  for (const value of [undefined, null, "", [], [null], ["", null], [[]]]) expect(compiled.json(value), name(value)).toBe(false);
});

test("an array matches when any of its elements does", () => {
  expect(compile(equals("b")).json(["a", "b"])).toBe(true);
  expect(compile(equals("c")).json(["a", "b"])).toBe(false);
  expect(compile(order(">", 5)).json(["x", 6])).toBe(true);
  expect(compile(contains("x")).json([{ x: "x" }, "y"])).toBe(false);
  expect(compile(isSet).json([{}])).toBe(true);
});

test("equality with an empty item holds where nothing is set, and for nothing else that it does not name", () => {
  const compiled = compile(equals("", "a"));
  expect(compiled.notSet).toBe(true);
  expect(compiled.string("")).toBe(true);
  expect(compiled.string("a")).toBe(true);
  expect(compiled.string("b")).toBe(false);
  for (const value of [undefined, null, "", [], [null, ""], "a", ["a", null]]) expect(compiled.json(value), name(value)).toBe(true);
  for (const value of ["b", 0, false, {}, ["b", null], ["b", ""]]) expect(compiled.json(value), name(value)).toBe(false);
});

test("a pattern that matches the empty text still does not match what is not set", () => {
  expect(compile(regex("^$")).string("")).toBe(false);
  expect(compile(regex("^$")).json(["", null])).toBe(false);
});

test("a pattern that nobody compiled is a defect", () => {
  expect(() => compile(regex("unknown"))).toThrow(DaybookError);
});
