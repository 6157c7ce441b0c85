import { joinParts, listOf, splitParts, type AddressCodec } from "./codecs.js";

/** The operators that the page offers, by API name, and their wording in a sentence. */
export const OPERATORS = {
  is: "is",
  is_not: "is not",
  in: "is one of",
  not_in: "is none of",
  contains: "contains",
  not_contains: "does not contain",
  starts_with: "starts with",
  ends_with: "ends with",
  regex: "matches",
  not_regex: "does not match",
  gt: "is above",
  gte: "is at least",
  lt: "is below",
  lte: "is at most",
  between: "is between",
  is_set: "is set",
  is_not_set: "is not set",
  in_segment: "is in the segment",
  not_in_segment: "is not in the segment",
} as const;

export type OperatorName = keyof typeof OPERATORS;

export interface Filter {
  readonly field: string;
  readonly operator: OperatorName;
  /** "" if the operator takes none. */
  readonly value: string;
}

/** Maximum number in a view state: a query accepts 100 in all, including the filters of funnel steps. */
const FILTER_COUNT = 20;

function isOperator(text: string): text is OperatorName {
  return Object.hasOwn(OPERATORS, text);
}

/** Whether an operator compares with a value. */
export function takesValue(operator: OperatorName): boolean {
  return operator !== "is_set" && operator !== "is_not_set";
}

/** A filter from three texts; null if they are invalid. */
export function filterOf(field = "", operator = "", value = ""): Filter | null {
  const name = operator.trim().toLowerCase();
  if (field === "" || !isOperator(name)) return null;
  if (!takesValue(name)) return { field, operator: name, value: "" };
  return value === "" ? null : { field, operator: name, value };
}

/** The filter for a clicked row: the field equals the value of the row, or is not set. */
export function filterByValue(field: string, value: string): Filter {
  return value === "" ? { field, operator: "is_not_set", value: "" } : { field, operator: "is", value };
}

export function filterParts({ field, operator, value }: Filter): string[] {
  return [field, operator, value];
}

function sameFilter(a: Filter, b: Filter): boolean {
  return a.field === b.field && a.operator === b.operator && a.value === b.value;
}

/** Adds a filter unless it exists; beyond the limit, the oldest filters are dropped. */
export function withFilter(filters: readonly Filter[], added: Filter): readonly Filter[] {
  return filters.some((filter) => sameFilter(filter, added)) ? filters : [...filters, added].slice(-FILTER_COUNT);
}

export const filterList: AddressCodec<readonly Filter[]> = listOf(
  (text) => {
    const [field, operator, value] = splitParts(text);
    return filterOf(field, operator, value);
  },
  (filter) => joinParts(filterParts(filter)),
  FILTER_COUNT,
);
