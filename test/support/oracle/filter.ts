import { DaybookError, parameterError } from "../../../src/core/base/errors.js";
import type { FilterGroupInput, FilterInput } from "../../../src/query/plan/input.js";
import type { OracleEvent } from "./event.js";
import { fieldReader } from "./field.js";
import type { Identity } from "./identities.js";
import { candidatesOf, isSet } from "./json.js";
import { tests, type Test } from "./operators.js";
import type { World } from "./world.js";

/** Says who is in the segment of a name. @throws invalid_filter_value (nobody defined it) */
export type Membership = (name: unknown) => (identity: Identity) => boolean;

/**
 * True on events that some group accepts with all of its filters. Without `membership` segments may not be named.
 * @throws every code that a bad filter deserves
 */
export function filterGroups(
  groups: readonly FilterGroupInput[] | null | undefined,
  world: World,
  membership: Membership | null,
): (event: OracleEvent) => boolean {
  const kept = (groups ?? []).filter((group) => group.filters.length > 0);
  if ((groups ?? []).length > 20 || kept.flatMap((group) => group.filters).length > 100) {
    throw new DaybookError("too_many_filters", "expected at most 20 groups with 100 filters in all");
  }
  const settled = kept.map((group) => group.filters.map((filter) => condition(filter, world, membership)));
  return (event) => settled.length === 0 || settled.some((group) => group.every((holds) => holds(event)));
}

/** Whether a value passes an operator with a filter's value. @throws invalid_operator, invalid_filter_value, invalid_regex */
export function valueTest({ operator: spelling, value }: Pick<FilterInput, "operator" | "value">): Test {
  const name = spelling.trim().toLowerCase();
  if (!Object.hasOwn(OPERATORS, name)) {
    throw parameterError("invalid_operator", "operator", `expected one of ${Object.keys(OPERATORS).join(", ")}`);
  }
  const operator = OPERATORS[name] ?? "=";
  const positive = Object.hasOwn(COMPLEMENTS, operator) ? (COMPLEMENTS[operator] ?? operator) : operator;
  const test = testOf(positive, value);
  return positive === operator ? test : (candidate) => !test(candidate);
}

function condition(filter: FilterInput, world: World, membership: Membership | null): (event: OracleEvent) => boolean {
  const read = fieldReader(filter.fieldName, world);
  const name = filter.operator.trim().toLowerCase();
  if (name === "in_segment" || name === "not_in_segment") {
    if (membership === null || !["identity_id", "identityId"].includes(filter.fieldName)) {
      throw parameterError("invalid_operator", "operator", "expected a segment of identity_id, and none within a segment");
    }
    const isMember = membership(filter.value);
    const isIn = (event: OracleEvent) => {
      const identity = world.identities.of(event);
      return identity !== null && isMember(identity);
    };
    return name === "in_segment" ? isIn : (event) => !isIn(event);
  }
  const test = valueTest(filter);
  return (event) => test(read(event));
}

function testOf(operator: string, value: unknown): Test {
  if (operator === "is_set") return isSet;
  if (value === undefined || value === null) {
    throw parameterError("invalid_filter_value", "value", `expected a value for ${operator}, got none`);
  }
  const test = tests[operator];
  if (test === undefined) throw new DaybookError("internal", `no test for ${operator}`);
  return test(value);
}

/** Every accepted spelling and the operator it stands for. */
const OPERATORS: Readonly<Record<string, string>> = spellings({
  "=": "== eq equals is",
  "!=": "<> ne neq not_equals is_not",
  in: "one_of",
  not_in: "none_of",
  contains: "icontains",
  not_contains: "not_icontains",
  starts_with: "",
  not_starts_with: "",
  ends_with: "",
  not_ends_with: "",
  regex: "matches",
  not_regex: "not_matches",
  ">": "gt",
  ">=": "gte",
  "<": "lt",
  "<=": "lte",
  between: "",
  not_between: "",
  is_set: "exists",
  is_not_set: "not_exists",
});

/** Operators that are true exactly where another is false. */
const COMPLEMENTS: Readonly<Record<string, string>> = {
  "!=": "=",
  not_in: "in",
  not_contains: "contains",
  not_starts_with: "starts_with",
  not_ends_with: "ends_with",
  not_regex: "regex",
  not_between: "between",
  is_not_set: "is_set",
};

function spellings(table: Record<string, string>): Record<string, string> {
  const rows = Object.entries(table).flatMap(([operator, others]) =>
    [operator, ...candidatesOf(others.split(" "))].map((spelling) => [String(spelling), operator] as const),
  );
  return Object.fromEntries(rows);
}
