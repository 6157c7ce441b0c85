import type { PlanContext } from "../context.js";
import { memberError, readChoice, readInteger, readMembers, readText, type InputMembers } from "../members.js";
import type { Plan } from "../plan.js";
import { planWindow, windowed } from "../window.js";

const MODELS = ["first_touch", "last_touch"] as const;
export const LEVELS = ["account", "identity"] as const;
const DIMENSIONS = ["source", "medium", "campaign"] as const;
export const LIMIT = { min: 1, max: 100, default: 20 } as const;

/** Plans a `revenueByAttribution` query. @throws invalid_parameter, unknown_parameter, invalid_date, invalid_date_range */
export function planRevenueByAttribution(input: unknown, { nowMs, rules }: PlanContext): Plan<"revenueByAttribution"> {
  const members = readMembers(input ?? {}, "", ["project", "model", "level", "dimension", "startDate", "endDate", "limit"]);
  return {
    report: "revenueByAttribution",
    ...windowed(planWindow(members, nowMs)),
    payProject: readProject(members),
    model: readChoice(members, "model", MODELS) ?? "first_touch",
    level: readChoice(members, "level", LEVELS) ?? "account",
    dimension: readChoice(members, "dimension", DIMENSIONS) ?? "source",
    limit: readInteger(members, "limit", LIMIT.min, LIMIT.max) ?? LIMIT.default,
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
