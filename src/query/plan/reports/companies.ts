import { readInteger, readChoice, readMembers, memberError, readText, type InputMembers } from "../members.js";
import type { WindowedScope, PlanContext, CompanyTopUsersPlan, TopCompaniesPlan } from "../plan.js";
import { windowed, windowOfDays } from "../date-range.js";

export const DAY_COUNT_MAX = 365;
export const DAY_COUNT_DEFAULT = 30;

/** The scope of a query about the last `rangeDays` days. @throws invalid_parameter */
export function planRangeDays(members: InputMembers, nowMs: number): WindowedScope {
  const dayCount = readInteger(members, "rangeDays", 1, DAY_COUNT_MAX) ?? DAY_COUNT_DEFAULT;
  const window = windowOfDays(dayCount, nowMs);
  // Events of a company count where they lie; unlike touches, no earlier ones matter.
  return { ...windowed(window), range: window };
}

const SORTS = ["users", "events", "last_seen", "revenue"] as const;
export const TOP_COMPANIES_LIMIT_MAX = 200;
export const TOP_COMPANIES_LIMIT_DEFAULT = 50;

/** Plans a `topCompanies` query. @throws invalid_parameter, unknown_parameter */
export function planTopCompanies(input: unknown, context: PlanContext): TopCompaniesPlan {
  const members = readMembers(input ?? {}, "", ["rangeDays", "sort", "limit"]);
  return {
    report: "topCompanies",
    ...planRangeDays(members, context.nowMs),
    sort: readChoice(members, "sort", SORTS) ?? "users",
    limit: readInteger(members, "limit", 1, TOP_COMPANIES_LIMIT_MAX) ?? TOP_COMPANIES_LIMIT_DEFAULT,
    revenue: context.rules.revenue,
  };
}

export const TOP_USERS_LIMIT_MAX = 100;
export const TOP_USERS_LIMIT_DEFAULT = 20;

/** Plans a `companyTopUsers` query. A limit of Infinity means all. @throws invalid_parameter, unknown_parameter */
export function planCompanyTopUsers(input: unknown, context: PlanContext): CompanyTopUsersPlan {
  const members = readMembers(input ?? {}, "", ["companyId", "rangeDays", "limit"]);
  const companyId = readText(members, "companyId");
  if (companyId === null) throw memberError(members, "companyId", "expected the id of a company, got none");
  return { report: "companyTopUsers", companyId, ...planRangeDays(members, context.nowMs), limit: readLimit(members) };
}

function readLimit(members: InputMembers): number | null {
  if (members.values.get("limit") === Number.POSITIVE_INFINITY) return null;
  return readInteger(members, "limit", 1, TOP_USERS_LIMIT_MAX) ?? TOP_USERS_LIMIT_DEFAULT;
}
