import type { Order } from "../plan.js";

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
  readonly question: OperatorTest;
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
for (const [question, spellings, complements] of TABLE as readonly (readonly [OperatorTest, readonly string[], readonly string[]])[]) {
  for (const spelling of spellings) OPERATORS.set(spelling, { name: spellings[0] ?? "", question, negated: false });
  for (const spelling of complements) OPERATORS.set(spelling, { name: complements[0] ?? "", question, negated: true });
}

/** The first spelling of each operator, as messages list them. */
export const OPERATOR_NAMES: readonly string[] = [...new Set([...OPERATORS.values()].map((operator) => operator.name))];

/** The operator of a spelling, trimmed and lower-cased; null if there is none. */
export function operatorOf(spelling: string): Operator | null {
  return OPERATORS.get(spelling.trim().toLowerCase()) ?? null;
}
