import type { PlanContext } from "../context.js";
import { readChoice, readInteger, readMembers } from "../members.js";
import type { Plan } from "../plan.js";
import { planRangeDays } from "./range-days.js";

const SORTS = ["users", "events", "last_seen", "revenue"] as const;
export const LIMIT_MAX = 200;
export const LIMIT_DEFAULT = 50;

/** Plans a `topCompanies` query. @throws invalid_parameter, unknown_parameter */
export function planTopCompanies(input: unknown, context: PlanContext): Plan<"topCompanies"> {
  const members = readMembers(input ?? {}, "", ["rangeDays", "sort", "limit"]);
  return {
    report: "topCompanies",
    ...planRangeDays(members, context.nowMs),
    sort: readChoice(members, "sort", SORTS) ?? "users",
    limit: readInteger(members, "limit", 1, LIMIT_MAX) ?? LIMIT_DEFAULT,
    revenue: context.rules.revenue,
  };
}
