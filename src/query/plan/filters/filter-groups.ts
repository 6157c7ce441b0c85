import type { Order, Pattern, PlannedFilter, Operand, Where, Test } from "../plan.js";
import { parameterError, shown } from "../../../core/base/errors.js";
import { LIMITS } from "../../../core/base/limits.js";
import { memberError, pathOfMember, readMembers, type InputMembers } from "../members.js";
import { spanOf } from "../date-range.js";
import { readField } from "./field-operand.js";
import { readValueList, readValueText, valueError } from "./filter-value.js";
import { numericOf } from "./number-form.js";

/** The test of an operator, whatever its spelling; the complement has the same test, negated. */
export type OperatorTest =
  | "equals"
  | "in"
  | "contains"
  | "startsWith"
  | "endsWith"
  | "regex"
  | Order
  | "between"
  | "inSegment"
  | "isSet";

export interface Operator {
  readonly name: string;
  readonly test: OperatorTest;
  readonly negated: boolean;
}

/** A test, the spellings of its operator, and those of the complement. */
const TABLE = [
  ["equals", ["=", "==", "eq", "equals", "is"], ["!=", "<>", "ne", "neq", "not_equals", "is_not"]],
  ["in", ["in", "one_of"], ["not_in", "none_of"]],
  ["contains", ["contains", "icontains"], ["not_contains", "not_icontains"]],
  ["startsWith", ["starts_with"], ["not_starts_with"]],
  ["endsWith", ["ends_with"], ["not_ends_with"]],
  ["regex", ["regex", "matches"], ["not_regex", "not_matches"]],
  [">", [">", "gt"], []],
  [">=", [">=", "gte"], []],
  ["<", ["<", "lt"], []],
  ["<=", ["<=", "lte"], []],
  ["between", ["between"], ["not_between"]],
  ["inSegment", ["in_segment"], ["not_in_segment"]],
  ["isSet", ["is_set", "exists"], ["is_not_set", "not_exists"]],
] as const satisfies readonly (readonly [OperatorTest, readonly string[], readonly string[]])[];

/** Every spelling of every operator. */
export type FilterOperator = (typeof TABLE)[number][1 | 2][number];

/** Every spelling of the operators with some tests, and of their complements. */
export type OperatorOf<Q extends OperatorTest> = Extract<(typeof TABLE)[number], readonly [Q, ...unknown[]]>[1 | 2][number];

const OPERATORS = new Map<string, Operator>();
for (const [test, spellings, complements] of TABLE as readonly (readonly [OperatorTest, readonly string[], readonly string[]])[]) {
  for (const spelling of spellings) OPERATORS.set(spelling, { name: spellings[0] ?? "", test, negated: false });
  for (const spelling of complements) OPERATORS.set(spelling, { name: complements[0] ?? "", test, negated: true });
}

/** The first spelling of each operator, as messages list them. */
export const OPERATOR_NAMES: readonly string[] = [...new Set([...OPERATORS.values()].map((operator) => operator.name))];

/** The operator of a spelling, trimmed and lower-cased; null if there is none. */
export function operatorOf(spelling: string): Operator | null {
  return OPERATORS.get(spelling.trim().toLowerCase()) ?? null;
}

/** The segments that filters can name. */
export interface SegmentNames {
  /** The operand of the segment in a filter's value. @throws invalid_filter_value (no such segment) */
  operandOf(filter: InputMembers): Operand;
}

/** Plans the filters of one query, which count together over all its lists. */
export class FilterPlanner {
  #filterCount = 0;

  /** @param patterns collects the regular expressions */
  constructor(readonly patterns: Pattern[]) {}

  /**
   * Plans `filterGroups`: OR of its groups, each the AND of its filters. Groups without filters are dropped.
   * @param segments null where filters must name none
   * @throws invalid_parameter, unknown_parameter, too_many_filters, invalid_operator, invalid_filter_value, invalid_regex (too long)
   */
  where(members: InputMembers, segments: SegmentNames | null): Where {
    const groups = readArray(members, "filterGroups");
    const path = pathOfMember(members, "filterGroups");
    if (groups.length > LIMITS.filterGroupCount) {
      const reason = `expected at most ${LIMITS.filterGroupCount} groups, got ${groups.length}`;
      throw parameterError("too_many_filters", path, reason);
    }
    const lists = groups.map((group, at) => readFilters(group, `${path}[${at}]`));
    this.#count(lists.reduce((count, list) => count + list.filters.length, 0), path);
    return lists
      .filter((list) => list.filters.length > 0)
      .map((list) => list.filters.map((filter, at) => this.#filter(filter, `${list.path}[${at}]`, segments)));
  }

  /** Plans a single filter with the members `operator` and `value`, which must name no segment. @throws what `where` throws */
  alone(filter: InputMembers, operand: Operand): PlannedFilter {
    this.#count(1, filter.path);
    return this.#comparison(filter, operand, null);
  }

  #count(filterCount: number, param: string): void {
    this.#filterCount += filterCount;
    if (this.#filterCount <= LIMITS.filterCount) return;
    const reason = `expected at most ${LIMITS.filterCount} filters in all groups, got ${this.#filterCount}`;
    throw parameterError("too_many_filters", param, reason);
  }

  #filter(value: unknown, path: string, segments: SegmentNames | null): PlannedFilter {
    const filter = readMembers(value, path, ["fieldName", "operator", "value"]);
    const operand = readField(filter, "fieldName");
    if (operand === null) throw memberError(filter, "fieldName", "expected the name of a field, got null");
    return this.#comparison(filter, operand, segments);
  }

  #comparison(filter: InputMembers, operand: Operand, segments: SegmentNames | null): PlannedFilter {
    const { name, test: kind, negated } = readOperator(filter);
    if (kind === "inSegment") {
      if (segments === null) throw memberError(filter, "operator", `${name} is not allowed within a segment`, "invalid_operator");
      if (operand.kind !== "identityId") throw memberError(filter, "operator", `${name} is allowed only for identity_id`, "invalid_operator");
      return { operand: segments.operandOf(filter), test: { op: "isSet" }, negated };
    }
    const { test, inverted } = planTest(kind, filter);
    if (test.op === "regex") this.patterns.push({ pattern: test.pattern, param: pathOfMember(filter, "value") });
    return { operand, test, negated: negated !== inverted };
  }
}

function readFilters(group: unknown, path: string): { readonly path: string; readonly filters: readonly unknown[] } {
  const members = readMembers(group, path, ["filters"]);
  if (!members.values.has("filters")) throw memberError(members, "filters", "expected an array of filters, got none");
  return { path: pathOfMember(members, "filters"), filters: readArray(members, "filters") };
}

function readArray(members: InputMembers, name: string): readonly unknown[] {
  const value = members.values.get(name);
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw memberError(members, name, `expected an array, got ${shown(value)}`);
  // `map` skips the holes of a sparse array; spreading turns them into undefined items, which are rejected.
  return [...(value as unknown[])];
}

function readOperator(filter: InputMembers): Operator {
  const value = filter.values.get("operator");
  if (value !== undefined && typeof value !== "string") {
    throw memberError(filter, "operator", `expected a string, got ${shown(value)}`);
  }
  const operator = value === undefined ? null : operatorOf(value);
  if (operator === null) {
    const reason = `expected one of ${OPERATOR_NAMES.join(" ")}, got ${shown(value ?? null)}`;
    throw memberError(filter, "operator", reason, "invalid_operator");
  }
  return operator;
}

interface SettledTest {
  readonly test: Test;
  readonly inverted: boolean;
}

/** The test of an operator on a filter's `value`. @throws invalid_filter_value, invalid_regex, invalid_parameter */
function planTest(kind: Exclude<OperatorTest, "inSegment">, filter: InputMembers): SettledTest {
  switch (kind) {
    case "isSet":
      return { test: { op: "isSet" }, inverted: false };
    case "equals":
      return equalsAny([readValueText(filter)]);
    case "in":
      return equalsAny(readValueList(filter));
    case "contains":
    case "startsWith":
    case "endsWith":
      return { test: { op: kind, text: readFilledText(filter) }, inverted: false };
    case "regex":
      return { test: { op: "regex", pattern: readPattern(filter) }, inverted: false };
    case "between":
      return { test: betweenTest(filter), inverted: false };
    default:
      return { test: orderTest(kind, filter), inverted: false };
  }
}

/** `""` means "not set": alone it is the complement of `isSet`, in a list it stays an item. */
function equalsAny(values: readonly string[]): SettledTest {
  const distinct = [...new Set(values)];
  if (distinct.length === 1 && distinct[0] === "") return { test: { op: "isSet" }, inverted: true };
  return { test: { op: "equals", values: distinct }, inverted: false };
}

function readFilledText(filter: InputMembers): string {
  return filled(filter, readValueText(filter));
}

function readPattern(filter: InputMembers): string {
  return filled(filter, readValueText(filter, LIMITS.regexChars, "invalid_regex"));
}

function filled(filter: InputMembers, text: string): string {
  if (text === "") throw valueError(filter, "expected at least one character, got an empty string");
  return text;
}

function orderTest(order: Order, filter: InputMembers): Test {
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

function betweenTest(filter: InputMembers): Test {
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
