import { assert } from "../../core/base/assert.js";
import { parseDateOnly, parseTimestamp } from "../../core/base/time.js";
import { compareNumeric, heldNumberOf, numericOf } from "../plan/filters/number-form.js";
import type { Numeric } from "../plan/filters/number-form.js";
import type { Order, Test } from "../plan/plan.js";
import { isSetJson } from "./operand-value.js";
import type { Regexes } from "./regex.js";

/** A test compiled for dictionary values. The caller applies the negation. */
export interface ValueTest {
  /** Tests the text of a stored field; `""` means not set. */
  string(value: string): boolean;
  /** Tests a parsed JSON value: an array matches if any element does, an object only matches `isSet`. */
  json(value: unknown): boolean;
  /** The result where there is no value. */
  readonly notSet: boolean;
}

/** One test per kind of scalar; none is ever called with `""`. */
interface ScalarTest {
  text(value: string): boolean;
  number(value: number): boolean;
  boolean(value: boolean): boolean;
}

/** Compiles a test; `regexes` must contain the pattern of a `regex` test. */
export function compileValueTest(test: Test, regexes: Regexes): ValueTest {
  if (test.op === "isSet") return { string: (value) => value !== "", json: isSetJson, notSet: false };
  const scalar = scalarTestOf(test, regexes);
  const notSet = test.op === "equals" && test.values.includes("");
  return {
    string: (value) => (value === "" ? notSet : scalar.text(value)),
    json: (value) => (isSetJson(value) ? matchesAny(scalar, value) : notSet),
    notSet,
  };
}

function matchesAny(scalar: ScalarTest, value: unknown): boolean {
  if (typeof value === "string") return value !== "" && scalar.text(value);
  if (typeof value === "number") return scalar.number(value);
  if (typeof value === "boolean") return scalar.boolean(value);
  return Array.isArray(value) && value.some((element) => matchesAny(scalar, element));
}

function scalarTestOf(test: Exclude<Test, { op: "isSet" }>, regexes: Regexes): ScalarTest {
  switch (test.op) {
    case "equals":
      return equalsTest(test.values);
    case "contains":
    case "startsWith":
    case "endsWith":
      return textTest(affixTest(test.op, test.text.toLowerCase()));
    case "regex": {
      const regex = regexes.get(test.pattern);
      assert(regex !== undefined, "the patterns of a plan are compiled before its tests");
      return textTest((text) => regex.test(text));
    }
    case "number":
      return numberTest(orderTest(test.order, test.bound));
    case "numberBetween":
      return numberTest(both(orderTest(">=", test.low), orderTest("<=", test.high)));
    case "instant":
      return instantTest(test.fromMs ?? -Infinity, test.toMs ?? Infinity);
  }
}

function equalsTest(values: readonly string[]): ScalarTest {
  const texts = new Set(values);
  const numbers = new Set(values.map(heldNumberOf).filter((value) => value !== null));
  return {
    text: (value) => texts.has(value),
    number: (value) => numbers.has(value),
    boolean: (value) => texts.has(value ? "true" : "false"),
  };
}

function affixTest(op: "contains" | "startsWith" | "endsWith", part: string): (text: string) => boolean {
  if (op === "contains") return (text) => text.toLowerCase().includes(part);
  if (op === "startsWith") return (text) => text.toLowerCase().startsWith(part);
  return (text) => text.toLowerCase().endsWith(part);
}

/** Text operators treat numbers and booleans as their JSON text. */
function textTest(text: (value: string) => boolean): ScalarTest {
  return { text, number: (value) => text(JSON.stringify(value)), boolean: (value) => text(JSON.stringify(value)) };
}

type NumericTest = (value: Numeric) => boolean;

function both(first: NumericTest, second: NumericTest): NumericTest {
  return (value) => first(value) && second(value);
}

function orderTest(order: Order, bound: Numeric): NumericTest {
  switch (order) {
    case ">":
      return (value) => compareNumeric(value, bound) > 0;
    case ">=":
      return (value) => compareNumeric(value, bound) >= 0;
    case "<":
      return (value) => compareNumeric(value, bound) < 0;
    case "<=":
      return (value) => compareNumeric(value, bound) <= 0;
  }
}

function numberTest(passes: NumericTest): ScalarTest {
  const text = (value: string) => {
    const parsed = numericOf(value);
    return parsed !== null && passes(parsed);
  };
  return { text, number: passes, boolean: () => false };
}

/** A stored date without a time is the instant at which its day begins. */
function instantTest(fromMs: number, toMs: number): ScalarTest {
  const text = (value: string) => {
    const ms = parseTimestamp(value) ?? parseDateOnly(value);
    return ms !== null && ms >= fromMs && ms < toMs;
  };
  return { text, number: () => false, boolean: () => false };
}
