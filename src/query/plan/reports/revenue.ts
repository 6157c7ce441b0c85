import type { PlanContext, LtvCohortsPlan, RevenueByAttributionPlan } from "../plan.js";
import { memberError, readChoice, readBounded, readMembers, readText, type InputMembers } from "../members.js";
import { planWindow, windowed } from "../date-range.js";

const MODELS = ["first_touch", "last_touch"] as const;
export const LEVELS = ["account", "identity"] as const;
const DIMENSIONS = ["source", "medium", "campaign"] as const;
export const ATTRIBUTION_LIMIT = { min: 1, max: 100, default: 20 } as const;

/** Plans a `revenueByAttribution` query. @throws invalid_parameter, unknown_parameter, invalid_date, invalid_date_range */
export function planRevenueByAttribution(input: unknown, { nowMs, rules }: PlanContext): RevenueByAttributionPlan {
  const members = readMembers(input ?? {}, "", ["project", "model", "level", "dimension", "startDate", "endDate", "limit"]);
  return {
    report: "revenueByAttribution",
    ...windowed(planWindow(members, nowMs)),
    payProject: readProject(members),
    model: readChoice(members, "model", MODELS) ?? "first_touch",
    level: readChoice(members, "level", LEVELS) ?? "account",
    dimension: readChoice(members, "dimension", DIMENSIONS) ?? "source",
    limit: readBounded(members, "limit", ATTRIBUTION_LIMIT),
    revenue: rules.revenue,
    touch: rules.touch,
  };
}

/** Reads the required member `project`. @throws invalid_parameter */
export function readProject(members: InputMembers): string {
  const project = readText(members, "project");
  if (project === null) throw memberError(members, "project", "expected the name of a project, got none");
  return project;
}

export const COHORTS_LIMIT = { min: 1, max: 60, default: 24 } as const;

/** Plans an `ltvCohorts` query, which covers all time and has no dates. @throws invalid_parameter, unknown_parameter */
export function planLtvCohorts(input: unknown, { rules }: PlanContext): LtvCohortsPlan {
  const members = readMembers(input ?? {}, "", ["project", "level", "limit"]);
  return {
    report: "ltvCohorts",
    ...windowed({ fromMs: 0, toMs: 0 }),
    payProject: readProject(members),
    level: readChoice(members, "level", LEVELS) ?? "account",
    limit: readBounded(members, "limit", COHORTS_LIMIT),
    revenue: rules.revenue,
  };
}
