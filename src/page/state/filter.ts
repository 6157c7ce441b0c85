import { joinParts, listOf, splitParts, type AddressCodec } from "./codecs.js";

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
const OPERATOR_NAMES = Object.keys(OPERATORS) as OperatorName[];

export interface Filter {
  readonly field: string;
  readonly operator: OperatorName;
  /** "" if the operator takes none. */
  readonly value: string;
}

/** Maximum number in a view state: a query accepts 100 in all, including the filters of funnel steps. */
const FILTER_COUNT = 20;

export function takesValue(operator: OperatorName): boolean {
  return operator !== "is_set" && operator !== "is_not_set";
}

export function filterOf(field = "", operator = "", value = ""): Filter | null {
  const name = OPERATOR_NAMES.find((known) => known === operator.trim().toLowerCase());
  if (field === "" || name === undefined) return null;
  if (!takesValue(name)) return { field, operator: name, value: "" };
  return value === "" ? null : { field, operator: name, value };
}

/** The filter for a clicked row: the field equals the value of the row, or is not set. */
export function filterByValue(field: string, value: string): Filter {
  return value === "" ? { field, operator: "is_not_set", value: "" } : { field, operator: "is", value };
}

function filterParts({ field, operator, value }: Filter): string[] {
  return [field, operator, value];
}

export function withFilter(filters: readonly Filter[], added: Filter): readonly Filter[] {
  const key = joinParts(filterParts(added));
  return filters.some((filter) => joinParts(filterParts(filter)) === key) ? filters : [...filters, added].slice(-FILTER_COUNT);
}

export const filterList: AddressCodec<readonly Filter[]> = listOf(
  (text) => {
    const [field, operator, value] = splitParts(text);
    return filterOf(field, operator, value);
  },
  (filter) => joinParts(filterParts(filter)),
  FILTER_COUNT,
);

/** A choice of events: those with a name ("": any) that match filters. */
export interface EventChoice {
  readonly event: string;
  readonly filters: readonly Filter[];
}

export const ANY_EVENT: EventChoice = { event: "", filters: [] };

export const STEP_COUNT = 20;
const FILTERS_PER_STEP = 4;

export function isAnyEvent({ event, filters }: EventChoice): boolean {
  return event === "" && filters.length === 0;
}

function parseChoice(text: string): EventChoice {
  const [event = "", ...rest] = splitParts(text);
  const filters: Filter[] = [];
  for (let at = 0; at + 2 < rest.length; at += 3) {
    const filter = filterOf(rest[at], rest[at + 1], rest[at + 2]);
    if (filter !== null) filters.push(filter);
  }
  return { event, filters: filters.slice(0, FILTERS_PER_STEP) };
}

function printChoice({ event, filters }: EventChoice): string {
  return joinParts([event, ...filters.flatMap(filterParts)]);
}

export const eventChoice: AddressCodec<EventChoice> = {
  initial: ANY_EVENT,
  parse: ([given]) => (given === undefined ? ANY_EVENT : parseChoice(given)),
  print: (choice) => (isAnyEvent(choice) ? [] : [printChoice(choice)]),
};

export const stepList: AddressCodec<readonly EventChoice[]> = listOf(parseChoice, printChoice, STEP_COUNT);
