import type { CountEventsInput, FilterGroupInput, PerDayInput } from "daybook";
import { LIMITS } from "../../../src/core/base/limits.js";
import { planRange } from "../../../src/query/plan/date-range.js";
import type { PeopleSegment, SegmentCondition, SegmentsInput } from "../../../src/query/plan/input.js";
import { readMembers } from "../../../src/query/plan/members.js";
import type { ConditionPlan, KnownOperand, Operand, PlannedFilter, PeopleSegmentPlan, SegmentWindow, Where } from "../../../src/query/plan/plan.js";
import type { Plan, ReportName } from "../../../src/query/queries.js";
import { reports } from "../../../src/query/reports/reports.js";
import { nowMs } from "../../support/random/now.js";
import { ruled } from "../plan/ruled-context.js";

type Input = CountEventsInput & SegmentsInput;

/** An old query whose filters, and whose `field`, may be of what is known of people and companies. */
export type KnownQuery =
  | { readonly report: "countEvents" | "countUniqueUsers" | "searchEvents"; readonly input: Input }
  | { readonly report: "countEventsPerDay"; readonly input: PerDayInput & SegmentsInput }
  | { readonly report: "aggregate"; readonly input: Input & { readonly field: string; readonly measure: "events" | "unique_users" } };

/** The plan of such a query, made of one whose fields are metadata keys of these names. */
export function knownPlan({ report, input }: KnownQuery): Plan {
  const { segments, filterGroups, ...rest } = input as Input;
  const scope = { ...rest, filterGroups: filterGroups?.map(namedSegments) ?? null };
  const plans = new Map(Object.entries(segments ?? {}).map(([name, segment]) => [name, segmentPlan(segment, input.project ?? null)]));
  const plan = reports[report as ReportName].plan(scope, ruled);
  return { ...plan, where: knownWhere(plan.where, plans) };
}

/** Filters by segment, as filters by a key. */
function namedSegments({ filters }: FilterGroupInput): FilterGroupInput {
  return {
    filters: filters.map((filter) => {
      if (!filter.operator.endsWith("in_segment")) return filter;
      return { fieldName: `segment.${String(filter.value)}`, operator: filter.operator === "in_segment" ? "is_set" : "is_not_set" };
    }),
  };
}

function segmentPlan({ groups }: PeopleSegment, project: string | null): PeopleSegmentPlan {
  return groups.map(({ conditions }) => conditions.map((condition) => conditionPlan(condition, project)));
}

function conditionPlan(condition: SegmentCondition, project: string | null): ConditionPlan {
  switch (condition.type) {
    case "did":
    case "did_not": {
      const { range: _, ...plan } = reports.countEvents.plan({ eventName: condition.eventName, filterGroups: condition.filterGroups, project }, ruled);
      const scope = { project, eventName: plan.eventName, userId: null, range: { fromMs: 0, toMs: LIMITS.instantMaxMs }, where: knownWhere(plan.where, new Map()) };
      const [atLeast, atMost] = condition.type === "did_not" ? [0, 0] : [condition.atLeast ?? 1, condition.atMost ?? null];
      return { type: "did", scope, window: windowOf(condition), atLeast, atMost };
    }
    case "first_seen":
      return { type: "firstSeen", project, window: windowOf(condition) };
    case "last_seen":
      return { type: "lastSeen", project, window: windowOf(condition) };
    case "trait":
    case "company": {
      const { field, operator, value } = condition;
      const fieldName = condition.type === "trait" ? `person.${field}` : (field ?? null) === null ? "company_id" : `company.${field}`;
      const { where } = reports.countEvents.plan({ filterGroups: [{ filters: [{ fieldName, operator, value }] }] }, ruled);
      return { type: "is", comparison: knownWhere(where, new Map())[0]?.[0] as PlannedFilter };
    }
  }
}

function windowOf({ startDate, endDate, lastDays }: Omit<Extract<SegmentCondition, { type: "first_seen" | "last_seen" }>, "type">): SegmentWindow {
  if ((lastDays ?? null) !== null) return { kind: "lastDays", days: lastDays as number };
  return { kind: "range", range: planRange(readMembers({ startDate, endDate }, "", ["startDate", "endDate"])) };
}

function knownWhere(where: Where, segments: ReadonlyMap<string, PeopleSegmentPlan>): Where {
  return where.map((group) => group.map((comparison) => ({ ...comparison, operand: knownOperand(comparison.operand, segments) })));
}

function knownOperand(operand: Operand, segments: ReadonlyMap<string, PeopleSegmentPlan>): Operand {
  const name = operand.kind === "metadataKey" ? operand.key : operand.kind === "metadataPath" ? operand.path : "";
  const [kind, ...rest] = name.split(".");
  const path = rest.join(".");
  if (kind === "person" || kind === "company") return { kind, path };
  if (kind === "first_touch" || kind === "last_touch") return { kind: "paymentTouch", model: kind, dimension: path } as KnownOperand;
  const segment = kind === "segment" ? segments.get(path) : undefined;
  return segment === undefined ? operand : { kind: "segment", segment, nowMs };
}
