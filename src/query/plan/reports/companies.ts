import { readBounded, readChoice, readMembers, memberError, readText, type InputMembers } from "../members.js";
import type { WindowedScope, PlanContext, CompanyTopUsersPlan, TopCompaniesPlan } from "../plan.js";
import { windowed, windowOfDays } from "../date-range.js";

export const DAY_COUNT = { min: 1, max: 365, default: 30 } as const;

/** The scope of a query about the last `rangeDays` days. @throws invalid_parameter */
function planRangeDays(members: InputMembers, nowMs: number): WindowedScope {
  const window = windowOfDays(readBounded(members, "rangeDays", DAY_COUNT), nowMs);
  // Events of a company count where they lie; unlike touches, no earlier ones matter.
  return { ...windowed(window), range: window };
}

const SORTS = ["users", "events", "last_seen", "revenue"] as const;
export const TOP_COMPANIES_LIMIT = { min: 1, max: 200, default: 50 } as const;

/** Plans a `topCompanies` query. @throws invalid_parameter, unknown_parameter */
export function planTopCompanies(input: unknown, context: PlanContext): TopCompaniesPlan {
  const members = readMembers(input ?? {}, "", ["rangeDays", "sort", "limit"]);
  return {
    report: "topCompanies",
    ...planRangeDays(members, context.nowMs),
    sort: readChoice(members, "sort", SORTS) ?? "users",
    limit: readBounded(members, "limit", TOP_COMPANIES_LIMIT),
    revenue: context.rules.revenue,
  };
}

export const TOP_USERS_LIMIT = { min: 1, max: 100, default: 20 } as const;

/** Plans a `companyTopUsers` query. A limit of Infinity means all. @throws invalid_parameter, unknown_parameter */
export function planCompanyTopUsers(input: unknown, context: PlanContext): CompanyTopUsersPlan {
  const members = readMembers(input ?? {}, "", ["companyId", "rangeDays", "limit"]);
  const companyId = readText(members, "companyId");
  if (companyId === null) throw memberError(members, "companyId", "expected the id of a company, got none");
  return {
    report: "companyTopUsers",
    companyId,
    ...planRangeDays(members, context.nowMs),
    limit: members.values.get("limit") === Number.POSITIVE_INFINITY ? null : readBounded(members, "limit", TOP_USERS_LIMIT),
  };
}
