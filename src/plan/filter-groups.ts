import { parameterError, shown } from "../base/errors.js";
import { LIMITS } from "../base/limits.js";
import { operandOf } from "./field-operand.js";
import { planTest } from "./filter-test.js";
import { memberError, pathOfMember, readMembers, readText, type Members } from "./members.js";
import { OPERATOR_NAMES, operatorOf, type Operator } from "./operators.js";
import type { Comparison, Where } from "./plan.js";

/**
 * What `filterGroups` asks: OR of its groups, each the AND of its filters. Groups without filters are dropped.
 * @throws invalid_parameter, unknown_parameter, too_many_filters, invalid_operator, invalid_filter_value, invalid_regex
 */
export function planWhere(members: Members): Where {
  const groups = readArray(members, "filterGroups");
  const path = pathOfMember(members, "filterGroups");
  if (groups.length > LIMITS.filterGroupCount) {
    const reason = `expected at most ${LIMITS.filterGroupCount} groups, got ${groups.length}`;
    throw parameterError("too_many_filters", path, reason);
  }
  const lists = groups.map((group, at) => readFilters(group, `${path}[${at}]`));
  const filterCount = lists.reduce((count, list) => count + list.filters.length, 0);
  if (filterCount > LIMITS.filterCount) {
    const reason = `expected at most ${LIMITS.filterCount} filters in all groups, got ${filterCount}`;
    throw parameterError("too_many_filters", path, reason);
  }
  return lists
    .filter((list) => list.filters.length > 0)
    .map((list) => list.filters.map((filter, at) => planComparison(filter, `${list.path}[${at}]`)));
}

/** Where the groups of a plan stand in the input that it was made of: groups without filters count there. */
export function placesOfGroups(filterGroups: unknown): readonly number[] {
  const groups = Array.isArray(filterGroups) ? (filterGroups as readonly ({ readonly filters?: readonly unknown[] } | undefined)[]) : [];
  return [...groups.keys()].filter((at) => (groups[at]?.filters?.length ?? 0) > 0);
}

function readFilters(group: unknown, path: string): { readonly path: string; readonly filters: readonly unknown[] } {
  const members = readMembers(group, path, ["filters"]);
  if (!members.values.has("filters")) throw memberError(members, "filters", "expected an array of filters, got none");
  return { path: pathOfMember(members, "filters"), filters: readArray(members, "filters") };
}

function readArray(members: Members, name: string): readonly unknown[] {
  const value = members.values.get(name);
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw memberError(members, name, `expected an array, got ${shown(value)}`);
  // A hole of a sparse array is skipped by `map`; spread, it is undefined and refused.
  return [...(value as unknown[])];
}

function planComparison(value: unknown, path: string): Comparison {
  const filter = readMembers(value, path, ["fieldName", "operator", "value"]);
  const fieldName = readText(filter, "fieldName");
  const operand = fieldName === null ? null : operandOf(fieldName);
  if (operand === null) {
    throw memberError(filter, "fieldName", `expected the name of a field, got ${shown(fieldName)}`);
  }
  const operator = readOperator(filter);
  const { test, inverted } = planTest(operator.question, filter);
  return { operand, test, negated: operator.negated !== inverted };
}

function readOperator(filter: Members): Operator {
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
