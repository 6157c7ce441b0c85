import type { PlanContext } from "../context.js";
import { readChoice, readInteger, readMembers } from "../members.js";
import type { Plan } from "../plan.js";
import { LEVELS, readProject } from "./revenue-by-attribution.js";
import { windowed } from "../window.js";

export const LIMIT = { min: 1, max: 60, default: 24 } as const;

/** Plans an `ltvCohorts` query, which covers all time and has no dates. @throws invalid_parameter, unknown_parameter */
export function planLtvCohorts(input: unknown, { rules }: PlanContext): Plan<"ltvCohorts"> {
  const members = readMembers(input ?? {}, "", ["project", "level", "limit"]);
  return {
    report: "ltvCohorts",
    ...windowed({ fromMs: 0, toMs: 0 }),
    payProject: readProject(members),
    level: readChoice(members, "level", LEVELS) ?? "account",
    limit: readInteger(members, "limit", LIMIT.min, LIMIT.max) ?? LIMIT.default,
    revenue: rules.revenue,
  };
}
