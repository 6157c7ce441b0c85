import type { Scope } from "../../state/scope.js";
import type {
  CompaniesAnswer,
  CompanyUsersAnswer,
  DevicesAnswer,
  PersonSessionsAnswer,
  ProfileAnswer,
  ReferrersAnswer,
  TrendAnswer,
} from "../answers.js";
import type { ChoicesOf } from "../../state/choices.js";
import { dayCount } from "../../state/dates.js";
import { get, type Question } from "../question.js";
import { insight, instants } from "./scoped.js";

const PEOPLE_ROWS = 25;
const SESSION_ROWS = 20;
const REFERRER_ROWS = 10;
const COMPANY_ROWS = 100;
const COMPANY_USERS = 50;
/** The most days that reports about companies look back. */
export const RANGE_DAYS = 365;

/** Where reports about a person begin and end: an open side would be their last 30 days. */
const EVER = { start_date: "1970-01-01", end_date: "9999-12-31" };

/** Who did most in the range, by user id. */
export function mostActiveQuestion(scope: Scope): Question<TrendAnswer> {
  return insight("trend", scope, { interval: "total", breakdown: { fields: ["user_id"], limit: PEOPLE_ROWS } });
}

/** A person as they are asked for: an email has an `@`, any other text is an id. */
export function personQuery(person: string): { readonly email: string } | { readonly user_id: string } {
  const key = person.trim();
  return key.includes("@") ? { email: key } : { user_id: key };
}

function aboutPerson<A>(report: string, scope: Scope, person: string, more: Readonly<Record<string, string | number | null>> = {}): Question<A> {
  const { start_date, end_date } = instants(scope);
  return get(`/v1/identities/${report}`, {
    ...personQuery(person),
    start_date: start_date ?? EVER.start_date,
    end_date: end_date ?? EVER.end_date,
    ...more,
  });
}

export const profileQuestion = (scope: Scope, person: string): Question<ProfileAnswer> => aboutPerson("profile", scope, person);

export const devicesQuestion = (scope: Scope, person: string): Question<DevicesAnswer> => aboutPerson("device-geo", scope, person);

export function referrersQuestion(scope: Scope, person: string): Question<ReferrersAnswer> {
  return aboutPerson("referrers", scope, person, { limit: REFERRER_ROWS });
}

export function personSessionsQuestion(scope: Scope, person: string, cursor: string | null): Question<PersonSessionsAnswer> {
  return aboutPerson("sessions", scope, person, { limit: SESSION_ROWS, cursor });
}

/** The days before now that reports about companies take, and whether that is less than the picture's range. */
export function companyDays({ from, today }: Scope): { readonly days: number; readonly isCut: boolean } {
  const days = from === null ? RANGE_DAYS + 1 : Math.max(1, dayCount(from, today));
  return { days: Math.min(RANGE_DAYS, days), isCut: days > RANGE_DAYS };
}

export function companiesQuestion(scope: Scope, { sort }: Pick<ChoicesOf<"companies">, "sort">): Question<CompaniesAnswer> {
  return get("/v1/companies/top", { range_days: companyDays(scope).days, sort, limit: COMPANY_ROWS });
}

export function companyUsersQuestion(scope: Scope, company: string): Question<CompanyUsersAnswer> {
  return get(`/v1/companies/${encodeURIComponent(company)}/top-users`, { range_days: companyDays(scope).days, limit: COMPANY_USERS });
}
