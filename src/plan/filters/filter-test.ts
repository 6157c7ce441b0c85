import { shown } from "../../base/errors.js";
import { LIMITS } from "../../base/limits.js";
import { spanOf } from "../date-range.js";
import { readValueList, readValueText, valueError } from "./filter-value.js";
import type { Members } from "../members.js";
import { numericOf } from "./number-form.js";
import type { Question } from "./operators.js";
import type { Order, Test } from "../plan.js";

/** A test, and whether it answers the question the other way round. */
export interface SettledTest {
  readonly test: Test;
  readonly inverted: boolean;
}

/** The test that a question about a filter's `value` comes to. @throws invalid_filter_value, invalid_regex, invalid_parameter */
export function planTest(question: Exclude<Question, "inSegment">, filter: Members): SettledTest {
  switch (question) {
    case "isSet":
      return { test: { op: "isSet" }, inverted: false };
    case "equals":
      return equalsAny([readValueText(filter)]);
    case "in":
      return equalsAny(readValueList(filter));
    case "contains":
    case "startsWith":
    case "endsWith":
      return { test: { op: question, text: readFilledText(filter) }, inverted: false };
    case "regex":
      return { test: { op: "regex", pattern: readPattern(filter) }, inverted: false };
    case "between":
      return { test: betweenTest(filter), inverted: false };
    default:
      return { test: orderTest(question, filter), inverted: false };
  }
}

/** `""` stands for "not set": alone it is the complement of `isSet`, among others it stays an item. */
function equalsAny(values: readonly string[]): SettledTest {
  const distinct = [...new Set(values)];
  if (distinct.length === 1 && distinct[0] === "") return { test: { op: "isSet" }, inverted: true };
  return { test: { op: "equals", values: distinct }, inverted: false };
}

function readFilledText(filter: Members): string {
  return filled(filter, readValueText(filter));
}

function readPattern(filter: Members): string {
  return filled(filter, readValueText(filter, LIMITS.regexChars, "invalid_regex"));
}

function filled(filter: Members, text: string): string {
  if (text === "") throw valueError(filter, "expected at least one character, got an empty string");
  return text;
}

function orderTest(order: Order, filter: Members): Test {
  const text = readValueText(filter);
  const bound = numericOf(text);
  if (bound !== null) return { op: "number", order, bound };
  const span = spanOf(text);
  if (span === null) throw valueError(filter, `expected a JSON number, a date or an RFC 3339 timestamp, got ${shown(text)}`);
  switch (order) {
    case ">":
      return { op: "instant", fromMs: span.toMs, toMs: null };
    case ">=":
      return { op: "instant", fromMs: span.fromMs, toMs: null };
    case "<":
      return { op: "instant", fromMs: null, toMs: span.fromMs };
    case "<=":
      return { op: "instant", fromMs: null, toMs: span.toMs };
  }
}

function betweenTest(filter: Members): Test {
  const items = readValueList(filter);
  const [lowText = "", highText = ""] = items;
  if (items.length === 2) {
    const [low, high] = [numericOf(lowText), numericOf(highText)];
    if (low !== null && high !== null) return { op: "numberBetween", low, high };
    const [first, last] = [spanOf(lowText), spanOf(highText)];
    if (first !== null && last !== null) return { op: "instant", fromMs: first.fromMs, toMs: last.toMs };
  }
  throw valueError(filter, `expected "lo,hi" of two numbers or two dates, got ${shown(filter.values.get("value"))}`);
}
