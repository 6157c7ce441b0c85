import { endOfDay, startOfDay, dayCount } from "../state/period.js";
import { takesValue, isAnyEvent, type EventChoice, type Filter } from "../state/filter.js";
import type { ViewScope, ChoicesOf, MEASURES } from "../state/view-state.js";
import type {
  SessionsAnswer, TrendAnswer, WebAnswer, FunnelAnswer, LifecycleAnswer, PathsAnswer, RetentionAnswer, StickinessAnswer, AttributionAnswer,
  CohortsAnswer, CompaniesAnswer, CompanyUsersAnswer, DevicesAnswer, PersonSessionsAnswer, ProfileAnswer, ReferrersAnswer, SearchAnswer,
  ByProjectAnswer, HealthAnswer, PrivacyAnswer, ShownRequest, ProjectsAnswer, SegmentsAnswer, StatsAnswer, TokenAnswer,
} from "./answers.js";

/** A request to a documented route. The type parameter is the type of its response. */
export interface PageQuery<A> {
  readonly method: "GET" | "POST";
  /** With its query string, percent-encoded, from the root of the API: `/v1/projects`. */
  readonly path: string;
  readonly body: object | null;
  /** Never set: only carries the type. */
  readonly answers?: A;
}

export function get<A>(path: string, query: Readonly<Record<string, string | number | null>> = {}): PageQuery<A> {
  const params = Object.entries(query).flatMap(([name, value]) => (value === null || value === "" ? [] : [[name, String(value)]]));
  const text = new URLSearchParams(params).toString();
  return { method: "GET", path: text === "" ? path : `${path}?${text}`, body: null };
}

export function post<A>(path: string, body: object): PageQuery<A> {
  return { method: "POST", path, body };
}

export function keyOf({ method, path, body }: PageQuery<unknown>): string {
  return `${method} ${path} ${body === null ? "" : JSON.stringify(body)}`;
}

/** The query as a curl command. The token is a shell variable, never the token itself. */
export function curlOf({ method, path, body }: PageQuery<unknown>, origin: string): string {
  const lines = [`curl ${shellText(`${origin}${path}`)}`, `-H "Authorization: Bearer $TOKEN"`];
  if (method === "POST" && body === null) lines.push("-X POST");
  if (body !== null) lines.push(`-H "Content-Type: application/json"`, `-d ${shellText(JSON.stringify(body))}`);
  return lines.join(" \\\n  ");
}

function shellText(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Members of request bodies; null, undefined and "" are left out. */
type BodyMembers = Readonly<Record<string, unknown>>;

function insight<A>(name: string, scope: ViewScope, members: BodyMembers): PageQuery<A> {
  const shared = { ...selector({ event: "", filters: scope.filters }), start_date: scope.from, end_date: scope.to, time_zone: scope.zone };
  return post(`/v1/projects/${encodeURIComponent(scope.project)}/insights/${name}`, present({ ...shared, ...members }));
}

function selector({ event, filters }: EventChoice): BodyMembers {
  return present({ event_name: event, filter_groups: filters.length === 0 ? null : [{ filters: filters.map(wireFilter) }] });
}

function wireFilter({ field, operator, value }: Filter): object {
  return { field_name: field, operator, ...(takesValue(operator) && { value }) };
}

/** The range as instants, for routes that count days in UTC. */
function instants({ from, to, zone }: ViewScope) {
  return { start_date: from === null ? null : startOfDay(from, zone), end_date: to === null ? null : endOfDay(to, zone) };
}

/** The range as instants, for routes that cover the last 30 days unless they get both ends. */
function closedRange(scope: ViewScope) {
  const { start_date, end_date } = instants(scope);
  return { start_date: start_date ?? "1970-01-01", end_date: end_date ?? "9999-12-31" };
}

function present(members: BodyMembers): BodyMembers {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null && value !== undefined && value !== ""));
}

export const LIST_ROWS = 9;
export const LONG_LIST_ROWS = 500;

export function webQuery(scope: ViewScope): PageQuery<WebAnswer> {
  return insight("web", scope, { interval: scope.unit, compare: scope.compare, limit: LIST_ROWS });
}

export function longListsQuery(scope: ViewScope): PageQuery<WebAnswer> {
  return insight("web", scope, { limit: LONG_LIST_ROWS });
}

export function visitsByQuery(scope: ViewScope, fields: readonly string[], limit = LIST_ROWS): PageQuery<SessionsAnswer> {
  return insight("sessions", scope, { breakdown: { fields, limit }, limit: 1 });
}

const EARLIER_MEASURES = { visitors: "unique_users", visits: "sessions" } as const;

/** A figure over time for the comparison period, which the response to `webQuery` lacks; null: not available. */
export function earlierQuery(scope: ViewScope, figure: "visitors" | "visits" | "views"): PageQuery<TrendAnswer> | null {
  if (scope.compare === null || figure === "views") return null;
  return insight("trend", scope, { measure: { type: EARLIER_MEASURES[figure] }, interval: scope.unit, compare: scope.compare });
}

export function revenueTrendQuery(scope: ViewScope): PageQuery<TrendAnswer> {
  return insight("trend", scope, { measure: { type: "revenue" }, interval: scope.unit, compare: scope.compare });
}

/** The months in which the project has events, in the zone. */
export function extentQuery(project: string, zone: string): PageQuery<TrendAnswer> {
  const everything: ViewScope = { project, zone, from: null, to: null, today: "", unit: "day", compare: null, filters: [] };
  return insight("trend", everything, { interval: "month", fill: false });
}

const DAY_SEC = 86_400;
const ROW_COUNT = 10;
const PATH_ROWS = 60;

/** The configured funnel; null if it has fewer than two steps, or one that any event matches. */
export function funnelQuery(scope: ViewScope, { step, order, level, window, by }: ChoicesOf<"funnels">): PageQuery<FunnelAnswer> | null {
  if (step.length < 2 || step.some(isAnyEvent)) return null;
  return insight("funnel", scope, {
    steps: step.map(selector),
    order,
    level,
    conversion_window_sec: window * DAY_SEC,
    breakdown: by === "" ? null : { fields: [by], limit: ROW_COUNT },
  });
}

export function retentionQuery(
  scope: ViewScope,
  { cohort, back, members, returned, unit, periods }: ChoicesOf<"retention">,
): PageQuery<RetentionAnswer> {
  return insight("retention", scope, {
    cohort_event: isAnyEvent(cohort) ? null : selector(cohort),
    return_event: isAnyEvent(back) ? null : selector(back),
    cohort: members,
    returned,
    interval: unit,
    periods,
  });
}

export function lifecycleQuery(scope: ViewScope, { cohort, unit }: Pick<ChoicesOf<"retention">, "cohort" | "unit">): PageQuery<LifecycleAnswer> {
  return insight("lifecycle", withChoice(scope, cohort), { event_name: cohort.event, interval: unit });
}

export function stickinessQuery(scope: ViewScope, { cohort, unit }: Pick<ChoicesOf<"retention">, "cohort" | "unit">): PageQuery<StickinessAnswer> {
  return insight("stickiness", withChoice(scope, cohort), { event_name: cohort.event, interval: "total", unit });
}

function withChoice(scope: ViewScope, { filters }: EventChoice): ViewScope {
  return { ...scope, filters: [...scope.filters, ...filters] };
}

export function pathsQuery(scope: ViewScope, { node, start, end, depth }: ChoicesOf<"paths">): PageQuery<PathsAnswer> {
  return insight("paths", scope, {
    node: node === "" ? "path" : node,
    start_at: start,
    end_at: end === start ? null : end,
    max_depth: depth,
    limit: PATH_ROWS,
  });
}

export const SERIES_COUNT = 8;
const VALUE_COUNT = 50;

const MEASURES_WITHOUT_FIELD: readonly string[] = ["events", "unique_users", "sessions", "revenue"];

export function takesField(measure: (typeof MEASURES)[number]): boolean {
  return !MEASURES_WITHOUT_FIELD.includes(measure);
}

/** The configured trend; null if its measure lacks a field. */
export function trendQuery(scope: ViewScope, { event, measure, field, by, cumulative }: ChoicesOf<"trends">): PageQuery<TrendAnswer> | null {
  if (takesField(measure) && field === "") return null;
  return insight("trend", scope, {
    event_name: event,
    measure: takesField(measure) ? { type: measure, field } : { type: measure },
    interval: scope.unit,
    breakdown: by === "" ? null : { fields: [by], limit: SERIES_COUNT, rest: true },
    compare: scope.compare,
    cumulative: cumulative || null,
  });
}

export function fieldValuesQuery(scope: ViewScope, field: string, limit = VALUE_COUNT): PageQuery<TrendAnswer> {
  return insight("trend", { ...scope, filters: [] }, { interval: "total", breakdown: { fields: [field], limit } });
}

const ATTRIBUTION_ROWS = 50;
const COHORT_MONTHS = 36;

export function attributionQuery(scope: ViewScope, { model, level, dimension }: ChoicesOf<"revenue">): PageQuery<AttributionAnswer> {
  const path = `/v1/projects/${encodeURIComponent(scope.project)}/revenue/by-attribution`;
  return get(path, { model, level, dimension, ...closedRange(scope), limit: ATTRIBUTION_ROWS });
}

export function cohortsQuery(scope: ViewScope, { level }: Pick<ChoicesOf<"revenue">, "level">): PageQuery<CohortsAnswer> {
  return get(`/v1/projects/${encodeURIComponent(scope.project)}/revenue/ltv-cohorts`, { level, limit: COHORT_MONTHS });
}

const PEOPLE_ROWS = 25;
const SESSION_ROWS = 20;
const REFERRER_ROWS = 10;
const COMPANY_ROWS = 100;
const COMPANY_USERS = 50;
export const RANGE_DAYS = 365;

export function mostActiveQuery(scope: ViewScope): PageQuery<TrendAnswer> {
  return insight("trend", scope, { interval: "total", breakdown: { fields: ["user_id"], limit: PEOPLE_ROWS } });
}

function personQuery(person: string): { readonly email: string } | { readonly user_id: string } {
  const key = person.trim();
  return key.includes("@") ? { email: key } : { user_id: key };
}

function aboutPerson<A>(report: string, scope: ViewScope, person: string, more: Readonly<Record<string, string | number | null>> = {}): PageQuery<A> {
  return get(`/v1/identities/${report}`, { ...personQuery(person), ...closedRange(scope), ...more });
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
  return search(scope, { event_name: event, ...instants(scope) }, scope.filters.map(wireFilter), cursor);
}

export function eventQuery(scope: ViewScope, id: string): PageQuery<SearchAnswer> {
  return search(scope, {}, [{ field_name: "id", operator: "is", value: id }], null);
}

export function eventsOfPersonQuery(identity: string, project: string, start: string, end: string): PageQuery<SearchAnswer> {
  const filter = wireFilter({ field: "identity_id", operator: "is", value: identity });
  return search({ project }, { start_date: start, end_date: end }, [filter], null);
}

function search({ project }: Pick<ViewScope, "project">, members: BodyMembers, filters: readonly object[], cursor: string | null): PageQuery<SearchAnswer> {
  const ofProject = wireFilter({ field: "project", operator: "is", value: project });
  const body = { ...members, filter_groups: [{ filters: [ofProject, ...filters] }], limit: SEARCH_ROWS, all_fields: true, cursor };
  return post("/search-events", present(body));
}

export const tokenQuery: PageQuery<TokenAnswer> = get("/v1/token");
export const projectsQuery: PageQuery<ProjectsAnswer> = get("/v1/projects");

/** @param since ISO 8601; null: of all time */
export function byProjectQuery(since: string | null): PageQuery<ByProjectAnswer> {
  return post("/analytics/aggregate", { field: "project", ...(since !== null && { start_date: since }) });
}

export const segmentsQuery: PageQuery<SegmentsAnswer> = get("/v1/segments");
export const statsQuery: PageQuery<StatsAnswer> = get("/v1/stats");
export const healthQuery: PageQuery<HealthAnswer> = get("/healthz");
export const privacyQuery: PageQuery<PrivacyAnswer> = get("/v1/privacy-requests");

export function newRequestQuery(type: ShownRequest["type"], person: string, regulation: ShownRequest["regulation"]): PageQuery<ShownRequest> {
  return post("/v1/privacy-requests", { type, subject: personQuery(person), regulation });
}

type PrivacyStep = "verify" | "acknowledge" | "extend";

export function stepQuery(id: string, step: PrivacyStep): PageQuery<ShownRequest> {
  return post(`/v1/privacy-requests/${encodeURIComponent(id)}/${step}`, {});
}

export function resolveQuery(id: string, resolution: NonNullable<ShownRequest["resolution"]>): PageQuery<ShownRequest> {
  return post(`/v1/privacy-requests/${encodeURIComponent(id)}/resolve`, { resolution });
}

export function bundleQuery(id: string): PageQuery<string> {
  return get(`/v1/privacy-requests/${encodeURIComponent(id)}/bundle`);
}
