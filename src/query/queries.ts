import type { StopOptions } from "../core/base/options.js";
import type { EventRecord } from "../core/schema/event.js";
import type {
  CompanyTopUsers,
  IdentityDeviceGeo,
  IdentityProfile,
  IdentityReferrers,
  IdentitySessionsPage,
  LtvCohorts,
  RevenueByAttribution,
  SearchEventsPage,
  TopCompanies,
} from "./plan/answers.js";
import type {
  AggregateInput,
  AggregateItem,
  CompanyTopUsersInput,
  CountEventsInput,
  FunnelInput,
  IdentityInput,
  IdentityReferrersInput,
  IdentitySessionsInput,
  LifecycleInput,
  LtvCohortsInput,
  PathsInput,
  PerDayInput,
  PerDayItem,
  RetentionInput,
  RevenueByAttributionInput,
  SearchEventsInput,
  SessionsOverviewInput,
  StickinessInput,
  TopCompaniesInput,
  TrendInput,
  UniqueUsersInput,
  UniqueUsersPerDayInput,
  WebOverviewInput,
} from "./plan/input.js";
import type { Funnel, Lifecycle, Paths, Retention, SessionsOverview, Stickiness, Trend, WebOverview } from "./plan/insights/answers.js";
import type { ReportRow, reports } from "./reports/reports.js";

/**
 * Every query as a method. A query has an entry here, one in `QUERIES` below and a row in `reports/reports.ts`. The methods of every Daybook and
 * client, the routes `/v1/query/NAME`, their rights and the command line follow from these.
 */
export interface Queries {
  /**
   * Counts events; without input, all of them.
   * @throws invalid_parameter, unknown_parameter, invalid_date, invalid_date_range, invalid_operator, invalid_filter_value, invalid_regex,
   * too_many_filters, aborted, closed, corruption; so do all queries with filters
   */
  countEvents(input?: CountEventsInput, options?: QueryOptions): Promise<number>;
  /** Counts events per UTC day, in order; days without events are omitted unless `fill` is set. @throws as countEvents */
  countEventsPerDay(input?: PerDayInput, options?: QueryOptions): Promise<readonly PerDayItem[]>;
  /** Counts the events up to and including each UTC day of the range; the last item equals `countEvents`. @throws as countEvents */
  countEventsRunningTotalPerDay(input?: PerDayInput, options?: QueryOptions): Promise<readonly PerDayItem[]>;
  /** Counts distinct people: linked ids count once, events without any id do not count. @throws as countEvents */
  countUniqueUsers(input?: UniqueUsersInput, options?: QueryOptions): Promise<number>;
  /** Counts distinct people per UTC day; a person active on two days counts on both. @throws as countEvents */
  countUniqueUsersPerDay(input?: UniqueUsersPerDayInput, options?: QueryOptions): Promise<readonly PerDayItem[]>;
  /**
   * Counts events per value of a field or metadata key, most frequent first; events without a value count under `""`.
   * @throws as countEvents, exactly_one_required, too_many_values (by `id` or `createdAt`: over 1,048,576 of them)
   */
  aggregate(input: AggregateInput, options?: QueryOptions): Promise<readonly AggregateItem[]>;
  /** Reads a page of events, newest first. With `allFields: false` they are plain records, which saves a few µs per event. */
  searchEvents(input: SearchEventsInput & { readonly allFields: false }, options?: QueryOptions): Promise<SearchEventsPage<EventRecord>>;
  /** Reads a page of events, newest first: pass `cursor` back for the next page. @throws as countEvents, invalid_cursor, cursor_mismatch */
  searchEvents(input?: SearchEventsInput, options?: QueryOptions): Promise<SearchEventsPage>;
  /**
   * Reads a page of one person's sessions, newest first.
   * @throws identity_not_found, exactly_one_required, invalid_cursor, cursor_mismatch, and as countEvents
   */
  identitySessions(input: IdentitySessionsInput, options?: QueryOptions): Promise<IdentitySessionsPage>;
  /**
   * Summarizes one person's activity in a range: events, sessions, their length and frequency, and revenue.
   * @throws identity_not_found, exactly_one_required, and as countEvents
   */
  identityProfile(input: IdentityInput, options?: QueryOptions): Promise<IdentityProfile>;
  /** The pages that referred one person, most frequent first. @throws identity_not_found, exactly_one_required, and as countEvents */
  identityReferrers(input: IdentityReferrersInput, options?: QueryOptions): Promise<IdentityReferrers>;
  /** The latest and earlier devices and locations of one person. @throws identity_not_found, exactly_one_required, and as countEvents */
  identityDeviceGeo(input: IdentityInput, options?: QueryOptions): Promise<IdentityDeviceGeo>;
  /**
   * Attributes the revenue of a project: payments in the range, by the first or last touch of the payer.
   * @throws project_not_found, and as countEvents
   */
  revenueByAttribution(input: RevenueByAttributionInput, options?: QueryOptions): Promise<RevenueByAttribution>;
  /** Revenue to date of each month's new people, newest month first. @throws project_not_found, and as countEvents */
  ltvCohorts(input: LtvCohortsInput, options?: QueryOptions): Promise<LtvCohorts>;
  /** The companies of all projects, ranked by users, events, last seen or revenue. @throws as countEvents */
  topCompanies(input?: TopCompaniesInput, options?: QueryOptions): Promise<TopCompanies>;
  /** The most active identified people of one company. @throws company_not_found, and as countEvents */
  companyTopUsers(input: CompanyTopUsersInput, options?: QueryOptions): Promise<CompanyTopUsers>;
  /**
   * A measure over time, in buckets from minutes to years of a time zone, by the values of up to two fields: one figure per bucket, `null` where
   * there is none. Without input: events by day. Revenue is in the reporting currency. Cost: the rows of the range on the first run; later only the
   * rows of partly covered days and new ones. By company, by touch or by two fields: the rows of the range each time.
   * @throws as countEvents (as do all insights: an invalid zone or level, or too many buckets, is invalid_parameter on the member's path),
   * exactly_one_required (a segment window with both dates and `lastDays`)
   */
  trend(input?: TrendInput, options?: QueryOptions): Promise<Trend>;
  /**
   * How many people completed a series of steps in order, how far they got and how long it took: rates are 0 to 1, times seconds. Of a person's
   * attempts, the one that got furthest counts. Cost: the rows that match a step, once; then a few reads per person who may have entered.
   * @throws as trend
   */
  funnel(input: FunnelInput, options?: QueryOptions): Promise<Funnel>;
  /**
   * Which people came back: cohorts, and how many of each acted in the days, weeks or months after; rates are 0 to 1. Cost: the matching rows (of all
   * time for first times), once; then one read per person and bucket.
   * @throws as trend
   */
  retention(input?: RetentionInput, options?: QueryOptions): Promise<Retention>;
  /** How many people were new, returning, resurrected or dormant in each bucket. Cost: as retention. @throws as trend */
  lifecycle(input?: LifecycleInput, options?: QueryOptions): Promise<Lifecycle>;
  /** People by the number of hours, days, weeks or months in which they were active. Cost: as retention. @throws as trend */
  stickiness(input?: StickinessInput, options?: QueryOptions): Promise<Stickiness>;
  /**
   * The paths through sessions, step by step: by page, or by the values of another field. Figures are sessions. Cost: the matching rows of the range
   * each time, and the sessions that start in it.
   * @throws as trend
   */
  paths(input?: PathsInput, options?: QueryOptions): Promise<Paths>;
  /**
   * Sessions that start in the range: how many, how long (seconds) and how deep, where they begin and end. Cost: the sessions of the range; with
   * filters also the matching rows. The first run reads all rows of the store.
   * @throws as trend
   */
  sessionsOverview(input?: SessionsOverviewInput, options?: QueryOptions): Promise<SessionsOverview>;
  /**
   * The figures and lists of a web site: visitors and views of the events; visits, sources, countries and devices of the sessions that start in the
   * range. Durations are seconds, rates 0 to 1. Cost: as sessionsOverview.
   * @throws as trend
   */
  webOverview(input?: WebOverviewInput, options?: QueryOptions): Promise<WebOverview>;
}

export type ReportName = keyof Queries;

/** The data that a query shows. Servers grant each kind apart. */
export type QueryData = "analytics" | "events" | "identities" | "revenue" | "companies";

/** Every query by name, in the order in which lists show them. `onClickHouse: false`: refused there with `not_supported`. */
export const QUERIES = {
  countEvents: { shows: "analytics" },
  countEventsPerDay: { shows: "analytics" },
  countEventsRunningTotalPerDay: { shows: "analytics" },
  countUniqueUsers: { shows: "analytics" },
  countUniqueUsersPerDay: { shows: "analytics" },
  aggregate: { shows: "analytics" },
  searchEvents: { shows: "events" },
  identitySessions: { shows: "identities" },
  identityProfile: { shows: "identities" },
  identityReferrers: { shows: "identities" },
  identityDeviceGeo: { shows: "identities" },
  revenueByAttribution: { shows: "revenue" },
  ltvCohorts: { shows: "revenue" },
  topCompanies: { shows: "companies" },
  companyTopUsers: { shows: "companies" },
  trend: { shows: "analytics" },
  funnel: { shows: "analytics" },
  retention: { shows: "analytics" },
  lifecycle: { shows: "analytics" },
  stickiness: { shows: "analytics" },
  paths: { shows: "analytics" },
  sessionsOverview: { shows: "analytics" },
  webOverview: { shows: "analytics" },
} as const satisfies { readonly [K in ReportName | keyof typeof reports]: { readonly shows: QueryData; readonly onClickHouse?: false } };

export const QUERY_NAMES = Object.keys(QUERIES) as readonly ReportName[];

/** The plans by query. */
type PlanByReport = { readonly [K in ReportName]: ReturnType<(typeof reports)[K]["plan"]> };
export type Plan<K extends ReportName = ReportName> = PlanByReport[K];

/** Results of executors by query: numbers and rows, before cursors are sealed into text. */
export type AnswerByReport = { readonly [K in ReportName]: (typeof reports)[K] extends ReportRow<infer _P, infer A> ? A : never };
export type Answer<K extends ReportName> = AnswerByReport[K];

/** Executes plans: in memory here, in a database for stores that outgrow one machine. */
export interface Executor {
  /** @throws aborted, query_timeout, corruption */
  execute<K extends ReportName>(plan: Plan<K>, signal?: Pick<AbortSignal, "aborted">): Promise<Answer<K>>;
}

/** A notice about a query. */
export interface QueryNotice {
  /** `unknown_field`: a name that is no field and no metadata key of any stored event. It counts as not set. */
  readonly code: "unknown_field";
  /** A sentence for people. */
  readonly message: string;
  /** The parameter it is about, as a camelCase path: `filterGroups[0].filters[2].fieldName`. */
  readonly param: string;
  /** The name in the parameter. */
  readonly name: string;
  readonly report: ReportName;
}

export interface QueryOptions extends StopOptions {
  /** Called for this query, like `onNotice` of `openDaybook`, which is called too. */
  readonly onNotice?: (notice: QueryNotice) => unknown;
}

/** Gives its prototype one method for each query. */
abstract class QueryRunner {
  static {
    for (const name of QUERY_NAMES) {
      const methods = {
        [name](this: QueryRunner, input?: unknown, options?: QueryOptions): Promise<unknown> {
          return this.run(name, input, options);
        },
      };
      Object.defineProperty(this.prototype, name, { value: methods[name], writable: true, configurable: true });
    }
  }

  protected abstract run(name: ReportName, input: unknown, options: QueryOptions | undefined): Promise<unknown>;
}

/** A class with every query as a method that calls `run`. The cast names the methods that the class gets at run time. */
export const QueryMethods = QueryRunner as abstract new () => QueryRunner & Queries;
