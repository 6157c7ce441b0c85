import { parameterError } from "../../../src/core/base/errors.js";
import { parseJsonText } from "../../../src/core/base/json-text.js";
import { spanOf, type Span } from "./instant.js";
import { candidatesOf, exactNumberOf, isSet, jsonNumberOf, textOf } from "./json.js";

/** Says whether a value of an event passes. */
export type Test = (value: unknown) => boolean;

/** What each operator that is no complement of another makes of the filter's value. */
export const tests: Readonly<Record<string, (filterValue: unknown) => Test>> = {
  "=": (filterValue) => equals(scalarText(filterValue)),
  in: (filterValue) => {
    const anyOf = listOf(filterValue).map(equals);
    return (value) => anyOf.some((test) => test(value));
  },
  contains: (filterValue) => caseless(filterValue, (text, part) => text.includes(part)),
  starts_with: (filterValue) => caseless(filterValue, (text, part) => text.startsWith(part)),
  ends_with: (filterValue) => caseless(filterValue, (text, part) => text.endsWith(part)),
  regex: (filterValue) => {
    const pattern = patternOf(scalarText(filterValue));
    return anyText((text) => pattern.test(text));
  },
  ">": (filterValue) => ordered(filterValue, (ms, span) => ms >= span.toMs, (number, bound) => number > bound),
  ">=": (filterValue) => ordered(filterValue, (ms, span) => ms >= span.fromMs, (number, bound) => number >= bound),
  "<": (filterValue) => ordered(filterValue, (ms, span) => ms < span.fromMs, (number, bound) => number < bound),
  "<=": (filterValue) => ordered(filterValue, (ms, span) => ms < span.toMs, (number, bound) => number <= bound),
  between: (filterValue) => {
    const [low, high, ...more] = listOf(filterValue);
    if (low === undefined || high === undefined || more.length > 0) throw bad(filterValue, '"low,high"');
    if ((jsonNumberOf(low) === null) !== (jsonNumberOf(high) === null)) throw bad(filterValue, "two bounds of one kind");
    const [atLeast, atMost] = [tests[">="]?.(low), tests["<="]?.(high)];
    return (value) => candidatesOf(value).some((candidate) => atLeast?.(candidate) === true && atMost?.(candidate) === true);
  },
};

function equals(text: string): Test {
  if (text === "") return (value) => !isSet(value);
  return (value) =>
    candidatesOf(value).some((candidate) => {
      if (typeof candidate === "number") return exactNumberOf(text) === exactNumberOf(JSON.stringify(candidate));
      return textOf(candidate) === text;
    });
}

function caseless(filterValue: unknown, holds: (text: string, part: string) => boolean): Test {
  const part = scalarText(filterValue).toLowerCase();
  if (part === "") throw bad(filterValue, "a text that is not empty");
  return anyText((text) => holds(text.toLowerCase(), part));
}

function anyText(holds: (text: string) => boolean): Test {
  return (value) =>
    candidatesOf(value).some((candidate) => {
      const text = textOf(candidate);
      return text !== null && holds(text);
    });
}

function ordered(
  filterValue: unknown,
  instantHolds: (ms: number, span: Span) => boolean,
  numberHolds: (number: number | bigint, bound: number | bigint) => boolean,
): Test {
  const text = scalarText(filterValue);
  const bound = exactNumberOf(text);
  const span = spanOf(text);
  if (bound !== null) {
    return (value) => candidatesOf(value).some((candidate) => {
      const number = typeof candidate === "boolean" ? null : exactNumberOf(textOf(candidate) ?? "");
      return number !== null && numberHolds(number, bound);
    });
  }
  if (span === null) throw bad(filterValue, "a number, a date or a timestamp");
  return (value) => candidatesOf(value).some((candidate) => {
    const candidateSpan = typeof candidate === "string" ? spanOf(candidate) : null;
    return candidateSpan !== null && instantHolds(candidateSpan.fromMs, span);
  });
}

/** Patterns mean what ECMAScript says, `(?i)` at the start aside: use those that RE2 reads alike. */
export function patternOf(text: string): RegExp {
  const caseless = text.startsWith("(?i)");
  const source = caseless ? text.slice(4) : text;
  const needsMemory = /\\[1-9]|\(\?(=|!|<=|<!)/.test(source);
  if (needsMemory || text.length > 512) throw parameterError("invalid_regex", "value", "expected RE2 syntax");
  try {
    return new RegExp(source, caseless ? "iu" : "u");
  } catch {
    throw parameterError("invalid_regex", "value", `expected RE2 syntax, got ${text}`);
  }
}

function listOf(filterValue: unknown): string[] {
  const items = Array.isArray(filterValue) ? filterValue.map(scalarText) : splitList(scalarText(filterValue));
  if (items.length === 0) throw bad(filterValue, "at least one item");
  return items;
}

function splitList(text: string): string[] {
  try {
    const parsed: unknown = parseJsonText(text);
    if (Array.isArray(parsed)) return parsed.map(scalarText);
  } catch {
    // Not JSON: a list with commas.
  }
  return (text.match(/(\\,|[^,])+/g) ?? []).map((item) => item.replaceAll("\\,", ",").trim()).filter(isSet);
}

function scalarText(value: unknown): string {
  const text = textOf(value);
  if (text === null || text.length > 4_096) throw bad(value, "a string of at most 4,096 characters");
  return text;
}

function bad(value: unknown, expected: string): Error {
  return parameterError("invalid_filter_value", "value", `expected ${expected}, got ${JSON.stringify(value)}`);
}
