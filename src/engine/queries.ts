import { checkQueryOptions, type KnownOptions } from "../core/base/options.js";
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
} from "../query/plan/answers.js";
import type {
  AggregateInput,
  AggregateItem,
  CompanyTopUsersInput,
  CountEventsInput,
  IdentityInput,
  IdentityReferrersInput,
  IdentitySessionsInput,
  LtvCohortsInput,
  PerDayInput,
  PerDayItem,
  RevenueByAttributionInput,
  SearchEventsInput,
  TopCompaniesInput,
  UniqueUsersInput,
  UniqueUsersPerDayInput,
} from "../query/plan/input.js";
import type { Funnel, Lifecycle, Paths, Retention, SessionsOverview, Stickiness, Trend, WebOverview } from "../query/plan/insights/answers.js";
import type {
  FunnelInput,
  LifecycleInput,
  PathsInput,
  RetentionInput,
  SessionsOverviewInput,
  StickinessInput,
  TrendInput,
  WebOverviewInput,
} from "../query/plan/insights/input.js";
import type { Answer, CursorPosition, Plan, ReportName } from "../query/plan/plan.js";
import type { FoundEvent } from "../core/schema/event.js";
import type { QueryOptions } from "./query/on-snapshot.js";
import { PERMIT, type Permitted } from "./query/permit.js";

const KNOWN: KnownOptions<QueryOptions> = { signal: true, onNotice: true };

/** Every query of a Daybook as a method: plans the input, runs the plan, and seals cursors into text. */
export abstract class QueryMethods {
  protected abstract plan<K extends ReportName>(report: K, input: unknown): Promise<Plan<K>>;
  /** Reports the notices about a query. */
  protected abstract notice(plan: Plan, input: unknown, options: QueryOptions | undefined): void;
  protected abstract execute<K extends ReportName>(plan: Plan<K>, options: QueryOptions | undefined): Promise<Answer<K>>;
  protected abstract sealCursor(next: CursorPosition, plan: Plan<"searchEvents" | "identitySessions">): string;

  countEvents(input?: CountEventsInput, options?: QueryOptions): Promise<number> {
    return this.#answer("countEvents", input, options);
  }

  countEventsPerDay(input?: PerDayInput, options?: QueryOptions): Promise<readonly PerDayItem[]> {
    return this.#answer("countEventsPerDay", input, options);
  }

  countEventsRunningTotalPerDay(input?: PerDayInput, options?: QueryOptions): Promise<readonly PerDayItem[]> {
    return this.#answer("countEventsRunningTotalPerDay", input, options);
  }

  countUniqueUsers(input?: UniqueUsersInput, options?: QueryOptions): Promise<number> {
    return this.#answer("countUniqueUsers", input, options);
  }

  countUniqueUsersPerDay(input?: UniqueUsersPerDayInput, options?: QueryOptions): Promise<readonly PerDayItem[]> {
    return this.#answer("countUniqueUsersPerDay", input, options);
  }

  aggregate(input: AggregateInput, options?: QueryOptions): Promise<readonly AggregateItem[]> {
    return this.#answer("aggregate", input, options);
  }

  async searchEvents(input?: SearchEventsInput, options?: QueryOptions): Promise<SearchEventsPage> {
    const plan = await this.#planned("searchEvents", input, options);
    const { next, events } = await this.execute<"searchEvents">(plan, options);
    // The cast holds unless `allFields` is false, for which `Daybook` declares an overload.
    return { cursor: next === null ? null : this.sealCursor(next, plan), events: events as readonly FoundEvent[] };
  }

  async identitySessions(input: IdentitySessionsInput, options?: QueryOptions): Promise<IdentitySessionsPage> {
    const plan = await this.#planned("identitySessions", input, options);
    const { identityId, sessions, next } = await this.execute<"identitySessions">(plan, options);
    return { identityId, sessions, cursor: next === null ? null : this.sealCursor(next, plan) };
  }

  identityProfile(input: IdentityInput, options?: QueryOptions): Promise<IdentityProfile> {
    return this.#answer("identityProfile", input, options);
  }

  identityReferrers(input: IdentityReferrersInput, options?: QueryOptions): Promise<IdentityReferrers> {
    return this.#answer("identityReferrers", input, options);
  }

  identityDeviceGeo(input: IdentityInput, options?: QueryOptions): Promise<IdentityDeviceGeo> {
    return this.#answer("identityDeviceGeo", input, options);
  }

  revenueByAttribution(input: RevenueByAttributionInput, options?: QueryOptions): Promise<RevenueByAttribution> {
    return this.#answer("revenueByAttribution", input, options);
  }

  ltvCohorts(input: LtvCohortsInput, options?: QueryOptions): Promise<LtvCohorts> {
    return this.#answer("ltvCohorts", input, options);
  }

  topCompanies(input?: TopCompaniesInput, options?: QueryOptions): Promise<TopCompanies> {
    return this.#answer("topCompanies", input, options);
  }

  companyTopUsers(input: CompanyTopUsersInput, options?: QueryOptions): Promise<CompanyTopUsers> {
    return this.#answer("companyTopUsers", input, options);
  }

  trend(input?: TrendInput, options?: QueryOptions): Promise<Trend> {
    return this.#answer("trend", input, options);
  }

  funnel(input: FunnelInput, options?: QueryOptions): Promise<Funnel> {
    return this.#answer("funnel", input, options);
  }

  retention(input?: RetentionInput, options?: QueryOptions): Promise<Retention> {
    return this.#answer("retention", input, options);
  }

  lifecycle(input?: LifecycleInput, options?: QueryOptions): Promise<Lifecycle> {
    return this.#answer("lifecycle", input, options);
  }

  stickiness(input?: StickinessInput, options?: QueryOptions): Promise<Stickiness> {
    return this.#answer("stickiness", input, options);
  }

  paths(input?: PathsInput, options?: QueryOptions): Promise<Paths> {
    return this.#answer("paths", input, options);
  }

  sessionsOverview(input?: SessionsOverviewInput, options?: QueryOptions): Promise<SessionsOverview> {
    return this.#answer("sessionsOverview", input, options);
  }

  webOverview(input?: WebOverviewInput, options?: QueryOptions): Promise<WebOverview> {
    return this.#answer("webOverview", input, options);
  }

  async #answer<K extends ReportName>(report: K, input: unknown, options?: QueryOptions): Promise<Answer<K>> {
    return await this.execute<K>(await this.#planned(report, input, options), options);
  }

  async #planned<K extends ReportName>(report: K, input: unknown, options: (QueryOptions & Permitted) | undefined): Promise<Plan<K>> {
    checkQueryOptions(options, KNOWN);
    const plan = await this.plan(report, input);
    options?.[PERMIT]?.(plan);
    this.notice(plan, input, options);
    return plan;
  }
}
