import type { MeasurePlan, TrendPlan } from "./plan.js";
import { shown } from "../../../core/base/errors.js";
import type { PlanContext } from "../plan.js";
import { sessionRules } from "../report-rules.js";
import { readField } from "../filters/field-operand.js";
import { memberError, pathOfMember, readChoice, readFlag, readMembers, type InputMembers } from "../members.js";
import { withDefinition, readPlainBreakdown, refuseManyBuckets, readInsight, INTERVALS } from "./insight-scope.js";
import { readPreviousRange } from "./previous-range.js";

const PLAIN_MEASURES = ["events", "unique_users", "sessions", "revenue"] as const;
const FIELD_MEASURES = ["unique_values", "sum", "avg", "min", "max", "p25", "median", "p75", "p90", "p95", "p99"] as const;
const MEASURES = [...PLAIN_MEASURES, ...FIELD_MEASURES];

/** Plans a `trend` query. @throws what `readInsight` throws */
export function planTrend(input: unknown, context: PlanContext): TrendPlan {
  const insight = readInsight(input, context, ["measure", "interval", "breakdown", "compare", "cumulative", "fill"]);
  const { members, scope } = insight;
  const interval = readChoice(members, "interval", INTERVALS) ?? "day";
  const previous = readPreviousRange(insight, interval);
  const plan: TrendPlan = {
    report: "trend",
    ...scope,
    measure: planMeasure(members),
    interval,
    breakdown: readPlainBreakdown(members),
    previous,
    cumulative: readFlag(members, "cumulative"),
    fill: readFlag(members, "fill", true),
    ...sessionRules(context.rules),
  };
  refuseManyBuckets(insight, interval, previous);
  return withDefinition(plan, context.rules);
}

/** @throws invalid_parameter, unknown_parameter */
function planMeasure(members: InputMembers): MeasurePlan {
  const value = members.values.get("measure");
  if (value === undefined) return { type: "events", field: null };
  const measure = readMembers(value, pathOfMember(members, "measure"), ["type", "field"]);
  const type = readChoice(measure, "type", MEASURES);
  if (type === null) throw memberError(measure, "type", `expected one of ${MEASURES.join(", ")}, got none`);
  const plain = PLAIN_MEASURES.find((each) => each === type);
  if (plain !== undefined) {
    if (measure.values.has("field"))
      throw memberError(measure, "field", `expected no field for ${type}, got ${shown(measure.values.get("field"))}`, "unknown_parameter");
    return { type: plain, field: null };
  }
  const field = readField(measure, "field");
  if (field === null) throw memberError(measure, "field", `expected the name of a field for ${type}, got none`);
  return { type: type as (typeof FIELD_MEASURES)[number], field };
}
