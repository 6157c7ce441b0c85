import type { ConditionPlan, SegmentPlan } from "./insights/plan.js";
import type { Operand, Plan, QueryScope } from "./plan.js";

/**
 * Every scope of a plan: its own first, then those of its steps, exclusions, cohort and return events, then those of the conditions in the
 * segments that filters name. Cost: the filters of the plan.
 */
export function scopesOf(plan: Plan): readonly QueryScope[] {
  const own = ownScopesOf(plan);
  return [...own, ...conditionsIn(segmentsIn(own)).flatMap((condition) => (condition.type === "did" ? [condition.scope] : []))];
}

/** The segments that the filters of a plan name, each object once. */
export function segmentsOf(plan: Plan): readonly SegmentPlan[] {
  return segmentsIn(ownScopesOf(plan));
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
export function operandsOf(plan: Plan): readonly OperandUse[] {
  const filters = scopesOf(plan).flatMap(({ where }) => where.flat());
  const compared = conditionsIn(segmentsOf(plan)).flatMap((condition) => (condition.type === "is" ? [condition.comparison] : []));
  return [
    ...filters.map(({ operand }): OperandUse => ({ operand, use: "filter" })),
    ...fieldsOf(plan).map((operand): OperandUse => ({ operand, use: "field" })),
    ...compared.map(({ operand }): OperandUse => ({ operand, use: "condition" })),
  ];
}

/** Without the scopes of segments. */
function ownScopesOf(plan: Plan): readonly QueryScope[] {
  switch (plan.report) {
    case "funnel":
      return [plan, ...[...plan.steps, ...plan.exclusions].map(({ scope }) => scope)];
    case "retention":
      return [plan, plan.cohortEvent, plan.returnEvent];
    default:
      return [plan];
  }
}

function fieldsOf(plan: Plan): readonly Operand[] {
  switch (plan.report) {
    case "aggregate":
      return [plan.by];
    case "trend":
      return [...(plan.measure.field === null ? [] : [plan.measure.field]), ...(plan.breakdown?.fields ?? [])];
    case "funnel":
    case "retention":
    case "sessionsOverview":
      return plan.breakdown?.fields ?? [];
    case "paths":
      return [plan.node];
    default:
      return [];
  }
}

function segmentsIn(scopes: readonly QueryScope[]): readonly SegmentPlan[] {
  const operands = scopes.flatMap(({ where }) => where.flat()).map(({ operand }) => operand);
  return [...new Set(operands.flatMap((operand) => (operand.kind === "segment" ? [operand.segment] : [])))];
}

function conditionsIn(segments: readonly SegmentPlan[]): readonly ConditionPlan[] {
  return segments.flat(2);
}
