import type { AnyPlan, ConditionPlan, Operand, QueryScope, PeopleSegmentPlan } from "./plan.js";

/** A plan's own scope, those of its steps, exclusions, cohort and return events, then those of conditions in segments that filters name. */
export function scopesOf(plan: AnyPlan): readonly QueryScope[] {
  const own = ownScopesOf(plan);
  return [...own, ...conditionsIn(own).flatMap((condition) => (condition.type === "did" ? [condition.scope] : []))];
}

/** A value that a plan reads, and its use. */
export interface OperandUse {
  readonly operand: Operand;
  /**
   * `filter`: of an event, to select it, also in a segment. `field`: of an event, to count or group by it: `by` of an aggregate, measures,
   * breakdowns, nodes. `condition`: of a person, for a segment: `trait` and `company`.
   */
  readonly use: "filter" | "field" | "condition";
}

/**
 * Every value that a plan reads, in all scopes of `scopesOf` and in the comparisons of `ConditionPlan`; some occur several times. A filter by
 * segment contributes its own operand and those of the segment. Values that a report always reads, such as companies for the level
 * `account`, are not included.
 */
export function operandsOf(plan: AnyPlan): readonly OperandUse[] {
  const uses: OperandUse[] = [];
  for (const operand of filteredBy(scopesOf(plan))) uses.push({ operand, use: "filter" });
  for (const operand of fieldsOf(plan)) uses.push({ operand, use: "field" });
  for (const condition of conditionsIn(ownScopesOf(plan))) if (condition.type === "is") uses.push({ operand: condition.comparison.operand, use: "condition" });
  return uses;
}

/** Without the scopes of segments. */
function ownScopesOf(plan: AnyPlan): readonly QueryScope[] {
  const { steps = [], exclusions = [], cohortEvent, returnEvent } = plan;
  const events = [...steps, ...exclusions].map(({ scope }) => scope);
  return [plan, ...events, ...(cohortEvent === undefined ? [] : [cohortEvent]), ...(returnEvent === undefined ? [] : [returnEvent])];
}

function fieldsOf({ by, measure, breakdown, node }: AnyPlan): readonly Operand[] {
  const measured = typeof measure === "object" ? measure.field : null;
  return [by, measured, ...(breakdown?.fields ?? []), node].filter((field) => field !== undefined && field !== null);
}

function filteredBy(scopes: readonly QueryScope[]): readonly Operand[] {
  const operands: Operand[] = [];
  for (const { where } of scopes) for (const group of where) for (const { operand } of group) operands.push(operand);
  return operands;
}

/** The conditions of the segments that filters name, each segment once. */
function conditionsIn(scopes: readonly QueryScope[]): readonly ConditionPlan[] {
  const segments = new Set<PeopleSegmentPlan>();
  for (const operand of filteredBy(scopes)) if (operand.kind === "segment") segments.add(operand.segment);
  return [...segments].flat(2);
}

/** Data that not every token may query. */
export type ProtectedData = "revenue" | "identities" | "companies";

/**
 * The protected data that a query open to every token reveals by its measure, fields, filters or segments: it needs the rights of the endpoints
 * for that data. Empty for the queries about identities, money and companies themselves.
 */
export function protectedDataOf(plan: AnyPlan): ReadonlySet<ProtectedData> {
  const matters = new Set<ProtectedData>();
  if (typeof plan.measure === "object" && plan.measure.type === "revenue") matters.add("revenue");
  for (const { operand, use } of operandsOf(plan)) {
    if (operand.kind === "person" || operand.kind === "paymentTouch") matters.add("identities");
    if (operand.kind === "company" || (operand.kind === "companyId" && use === "condition")) matters.add("companies");
  }
  return matters;
}
