import type { ViewScope } from "../../state/view-state.js";
import type {
  CompaniesAnswer, CompanyUsersAnswer, DevicesAnswer, PersonSessionsAnswer, ProfileAnswer, ReferrersAnswer, TrendAnswer, SearchAnswer,
} from "../answers.js";
import type { ChoicesOf } from "../../state/choices.js";
import { dayCount } from "../../state/period.js";
import { get, post, type PageQuery } from "../page-query.js";
import { insight, instants, present, wireFilter } from "./scoped.js";

const PEOPLE_ROWS = 25;
const SESSION_ROWS = 20;
const REFERRER_ROWS = 10;
const COMPANY_ROWS = 100;
const COMPANY_USERS = 50;
/** Maximum number of days that reports about companies look back. */
export const RANGE_DAYS = 365;

/** Dates for reports about a person, which otherwise cover the last 30 days. */
const ALL_TIME = { start_date: "1970-01-01", end_date: "9999-12-31" };

/** The most active people in the range, by user id. */
export function mostActiveQuery(scope: ViewScope): PageQuery<TrendAnswer> {
  return insight("trend", scope, { interval: "total", breakdown: { fields: ["user_id"], limit: PEOPLE_ROWS } });
}

/** The members that identify a person in a request: text with an `@` is an email, any other text an id. */
export function personQuery(person: string): { readonly email: string } | { readonly user_id: string } {
  const key = person.trim();
  return key.includes("@") ? { email: key } : { user_id: key };
}

function aboutPerson<A>(report: string, scope: ViewScope, person: string, more: Readonly<Record<string, string | number | null>> = {}): PageQuery<A> {
  const { start_date, end_date } = instants(scope);
  return get(`/v1/identities/${report}`, {
    ...personQuery(person),
    start_date: start_date ?? ALL_TIME.start_date,
    end_date: end_date ?? ALL_TIME.end_date,
    ...more,
  });
}

export const profileQuery = (scope: ViewScope, person: string): PageQuery<ProfileAnswer> => aboutPerson("profile", scope, person);

export const devicesQuery = (scope: ViewScope, person: string): PageQuery<DevicesAnswer> => aboutPerson("device-geo", scope, person);

export function referrersQuery(scope: ViewScope, person: string): PageQuery<ReferrersAnswer> {
  return aboutPerson("referrers", scope, person, { limit: REFERRER_ROWS });
}

export function personSessionsQuery(scope: ViewScope, person: string, cursor: string | null): PageQuery<PersonSessionsAnswer> {
  return aboutPerson("sessions", scope, person, { limit: SESSION_ROWS, cursor });
}

/** The number of days, up to now, that reports about companies cover, and whether it is less than the selected range. */
export function companyDays({ from, today }: ViewScope): { readonly days: number; readonly isCut: boolean } {
  const days = from === null ? RANGE_DAYS + 1 : Math.max(1, dayCount(from, today));
  return { days: Math.min(RANGE_DAYS, days), isCut: days > RANGE_DAYS };
}

export function companiesQuery(scope: ViewScope, { sort }: Pick<ChoicesOf<"companies">, "sort">): PageQuery<CompaniesAnswer> {
  return get("/v1/companies/top", { range_days: companyDays(scope).days, sort, limit: COMPANY_ROWS });
}

export function companyUsersQuery(scope: ViewScope, company: string): PageQuery<CompanyUsersAnswer> {
  return get(`/v1/companies/${encodeURIComponent(company)}/top-users`, { range_days: companyDays(scope).days, limit: COMPANY_USERS });
}

const SEARCH_ROWS = 50;

/** Events of the project, newest first. @param cursor of the previous page; null: the first page */
export function searchQuery(scope: ViewScope, { event }: Pick<ChoicesOf<"events">, "event">, cursor: string | null): PageQuery<SearchAnswer> {
  return search(scope, { event_name: event === "" ? null : event, ...instants(scope) }, scope.filters.map(wireFilter), cursor);
}

/** One event by id, whatever its time. */
export function eventQuery(scope: ViewScope, id: string): PageQuery<SearchAnswer> {
  return search(scope, {}, [{ field_name: "id", operator: "is", value: id }], null);
}

/** Events of a person in a time range, such as a session. */
export function eventsOfPersonQuery(identity: string, project: string, start: string, end: string): PageQuery<SearchAnswer> {
  const filters = [
    wireFilter({ field: "project", operator: "is", value: project }),
    wireFilter({ field: "identity_id", operator: "is", value: identity }),
  ];
  return post("/search-events", { start_date: start, end_date: end, filter_groups: [{ filters }], limit: SEARCH_ROWS, all_fields: true });
}

function search(
  { project }: ViewScope,
  members: Readonly<Record<string, unknown>>,
  filters: readonly object[],
  cursor: string | null,
): PageQuery<SearchAnswer> {
  const ofProject = wireFilter({ field: "project", operator: "is", value: project });
  const body = { ...members, filter_groups: [{ filters: [ofProject, ...filters] }], limit: SEARCH_ROWS, all_fields: true, cursor };
  return post("/search-events", present(body));
}
