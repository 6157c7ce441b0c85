import type { EventRecord, FoundEvent } from "../../core/schema/event.js";
import type {
  CompanyTopUsers, IdentityDeviceGeo, IdentityProfile, IdentityReferrers, LtvCohorts, RevenueByAttribution, SessionItem, TopCompanies,
} from "./answers.js";
import type { Numeric } from "./filters/number-form.js";
import type { AggregateItem, PerDayItem } from "./input.js";
import type { Funnel, Lifecycle, Paths, Retention, SessionsOverview, Stickiness, Trend, WebOverview } from "./insights/answers.js";
import type { InsightPlans, KnownOperand } from "./insights/plan.js";

/** Half-open `[fromMs, toMs)` in epoch milliseconds. */
export interface Range {
  readonly fromMs: number;
  readonly toMs: number;
}

/** The value that a comparison reads. */
export type Operand =
  /** A stored text field of the event, by the wire name of its column. */
  | { readonly kind: "field"; readonly field: string }
  /** `url` up to the first `?` or `#`. */
  | { readonly kind: "path" }
  /** The host of `referrer` without a leading `www.`. */
  | { readonly kind: "referrerDomain" }
  /** A top-level metadata key. */
  | { readonly kind: "metadataKey"; readonly key: string }
  /** The literal key first, then a path through nested objects at the dots. */
  | { readonly kind: "metadataPath"; readonly path: string }
  | { readonly kind: "id" }
  | { readonly kind: "createdAt" }
  | { readonly kind: "identityId" }
  | { readonly kind: "companyId" }
  /** A field that money is made of; for events without it, the metadata key of the same name. */
  | { readonly kind: "member"; readonly field: "value" | "currency" }
  /** The touch of the visit, as attribution reads it from the event alone. */
  | { readonly kind: "touch"; readonly dimension: TouchDimension }
  | KnownOperand;

export type TouchDimension = "source" | "medium" | "campaign";

/** What an aggregate counts per value. */
export type Measure = "events" | "unique_users";

/** The test of a filter, before negation. A text in `values` also equals the JSON number or boolean that it spells. */
export type Test =
  | { readonly op: "equals"; readonly values: readonly string[] }
  | { readonly op: "contains" | "startsWith" | "endsWith"; readonly text: string }
  | { readonly op: "regex"; readonly pattern: string }
  | { readonly op: "number"; readonly order: Order; readonly bound: Numeric }
  | { readonly op: "numberBetween"; readonly low: Numeric; readonly high: Numeric }
  /** Holds for instants in `[fromMs, toMs)`; null: unbounded. `>` a day starts after that day. */
  | { readonly op: "instant"; readonly fromMs: number | null; readonly toMs: number | null }
  | { readonly op: "isSet" };

export type Order = ">" | ">=" | "<" | "<=";

/** A planned filter. `negated`: true exactly where the test is false (two-valued logic). */
export interface PlannedFilter {
  readonly operand: Operand;
  readonly test: Test;
  readonly negated: boolean;
}

/** OR of groups, each an AND of filters; empty: no constraint. */
export type Where = readonly (readonly PlannedFilter[])[];

/** What all event queries share. */
export interface QueryScope {
  readonly project: string | null;
  readonly eventName: string | null;
  /** A user id (else anonymous id) that selects one identity; null: all. */
  readonly userId: string | null;
  readonly range: Range;
  readonly where: Where;
}

export interface CursorPosition {
  readonly createdAtMs: number;
  readonly id: string;
  /** Of the event, as ids are unique within a project. */
  readonly project: string;
  /** Rows with a greater store sequence are invisible to this and later pages. */
  readonly sequence: number;
}

/** The identity that a report is about. */
export type Subject =
  /** Trimmed and lower-cased. */
  | { readonly kind: "email"; readonly email: string }
  /** A user id, else an anonymous id of this value. */
  | { readonly kind: "userId"; readonly userId: string };

/** When a session ends. */
export interface SessionRule {
  /** A longer pause starts a new session. */
  readonly gapMs: number;
  /** An event later than this after the session's start begins a new session. */
  readonly maxMs: number;
}

/** Which events are payments and refunds, from the options. */
export interface RevenueRule {
  /** Slugs of events whose metadata holds an amount. */
  readonly paymentSlugs: readonly string[];
  /** Slugs of events that give an amount back. */
  readonly refundSlugs: readonly string[];
  /** The reporting currency. */
  readonly currency: string;
}

/** Hosts in the form in which `comparedHost` returns them, and packages of apps. */
export interface HostList {
  /** Exactly these. */
  readonly hosts: readonly string[];
  /** These and their subdomains; a last label of `*` matches any ending, including one of `SECOND_LEVELS` and a country. */
  readonly domains: readonly string[];
}

/** How visits are attributed. */
export interface TouchRule {
  /** Referrers that are no touch: payment pages. */
  readonly excludedHosts: HostList;
  /** Referrers of visits that take no revenue from an earlier touch: sign-in pages. They are neither search nor social. */
  readonly signInHosts: HostList;
  readonly searchHosts: HostList;
  readonly socialHosts: HostList;
  /** How long a touch counts; null: for ever. */
  readonly lookbackMs: number | null;
}

/**
 * The scope of a query about identities, money or companies. Its range is all time, because events outside the window decide about those
 * in it; only the reports about companies limit it to the window.
 */
export interface WindowedScope extends QueryScope {
  readonly window: Range;
}

export interface IdentityScope extends WindowedScope {
  readonly subject: Subject;
}

export interface PlanByReport extends InsightPlans {
  countEvents: QueryScope & { readonly report: "countEvents" };
  countEventsPerDay: QueryScope & { readonly report: "countEventsPerDay"; readonly fill: boolean };
  countEventsRunningTotalPerDay: QueryScope & {
    readonly report: "countEventsRunningTotalPerDay";
    readonly fill: boolean;
  };
  countUniqueUsers: QueryScope & { readonly report: "countUniqueUsers" };
  countUniqueUsersPerDay: QueryScope & { readonly report: "countUniqueUsersPerDay"; readonly fill: boolean };
  aggregate: QueryScope & {
    readonly report: "aggregate";
    readonly by: Operand;
    readonly measure: Measure;
    readonly limit: number | null;
  };
  searchEvents: QueryScope & {
    readonly report: "searchEvents";
    /** False: plain records. */
    readonly allFields: boolean;
    readonly limit: number;
    readonly cursor: CursorPosition | null;
    /** Fingerprint of the query without `limit`, `cursor` and `allFields`. */
    readonly fingerprint: string;
  };
  identitySessions: IdentityScope & {
    readonly report: "identitySessions";
    readonly limit: number;
    /** First event of the last session shown. */
    readonly cursor: CursorPosition | null;
    readonly fingerprint: string;
    readonly session: SessionRule;
    readonly pageviewSlugs: readonly string[];
    readonly revenue: RevenueRule;
    readonly touch: TouchRule;
  };
  identityProfile: IdentityScope & {
    readonly report: "identityProfile";
    readonly session: SessionRule;
    readonly pageviewSlugs: readonly string[];
    readonly revenue: RevenueRule;
  };
  identityReferrers: IdentityScope & { readonly report: "identityReferrers"; readonly limit: number };
  identityDeviceGeo: IdentityScope & { readonly report: "identityDeviceGeo" };
  revenueByAttribution: WindowedScope & {
    readonly report: "revenueByAttribution";
    /** Payments of this project; touches of all. */
    readonly payProject: string;
    readonly model: "first_touch" | "last_touch";
    readonly level: "account" | "identity";
    readonly dimension: TouchDimension;
    readonly limit: number;
    readonly revenue: RevenueRule;
    readonly touch: TouchRule;
  };
  ltvCohorts: WindowedScope & {
    readonly report: "ltvCohorts";
    readonly payProject: string;
    readonly level: "account" | "identity";
    readonly limit: number;
    readonly revenue: RevenueRule;
  };
  topCompanies: WindowedScope & {
    readonly report: "topCompanies";
    readonly sort: "users" | "events" | "last_seen" | "revenue";
    readonly limit: number;
    readonly revenue: RevenueRule;
  };
  companyTopUsers: WindowedScope & {
    readonly report: "companyTopUsers";
    readonly companyId: string;
    /** Null: no limit, which is Infinity in the input. */
    readonly limit: number | null;
  };
}

export type ReportName = keyof PlanByReport;
export type Plan<K extends ReportName = ReportName> = PlanByReport[K];

/** Results of an executor: numbers and rows, before cursors are sealed into text. */
export interface AnswerByReport {
  countEvents: number;
  countEventsPerDay: readonly PerDayItem[];
  countEventsRunningTotalPerDay: readonly PerDayItem[];
  countUniqueUsers: number;
  countUniqueUsersPerDay: readonly PerDayItem[];
  aggregate: readonly AggregateItem[];
  searchEvents: { readonly next: CursorPosition | null; readonly events: readonly (EventRecord | FoundEvent)[] };
  identitySessions: {
    readonly identityId: string;
    readonly next: CursorPosition | null;
    readonly sessions: readonly SessionItem[];
  };
  identityProfile: IdentityProfile;
  identityReferrers: IdentityReferrers;
  identityDeviceGeo: IdentityDeviceGeo;
  revenueByAttribution: RevenueByAttribution;
  ltvCohorts: LtvCohorts;
  topCompanies: TopCompanies;
  companyTopUsers: CompanyTopUsers;
  trend: Trend;
  funnel: Funnel;
  retention: Retention;
  lifecycle: Lifecycle;
  stickiness: Stickiness;
  paths: Paths;
  sessionsOverview: SessionsOverview;
  webOverview: WebOverview;
}
export type Answer<K extends ReportName> = AnswerByReport[K];

/** Executes plans: in memory here, in a database for stores that outgrow one machine. */
export interface Executor {
  /** @throws aborted, query_timeout, corruption */
  execute<K extends ReportName>(plan: PlanByReport[K], signal?: Pick<AbortSignal, "aborted">): Promise<Answer<K>>;
}

/** What planning needs besides the input. */
export interface PlanContext {
  /** Epoch ms at which the query was made. */
  readonly nowMs: number;
  /** The 32-byte key of the store that seals cursors. */
  readonly cursorKey: Uint8Array;
  readonly rules: ReportRules;
  /** The saved segments by name, as they were given; they are known to be valid. */
  readonly savedSegments: ReadonlyMap<string, unknown>;
  /** Collects the regular expressions of the query. Planning only checks their length; the caller compiles them. */
  readonly patterns: Pattern[];
}

/** A regular expression, and the path of its parameter. */
export interface Pattern {
  readonly pattern: string;
  readonly param: string;
}

/** The rules of meaning that the options set. */
export interface ReportRules {
  readonly session: SessionRule;
  /** Slugs of events that are page views. */
  readonly pageviewSlugs: readonly string[];
  readonly revenue: RevenueRule;
  readonly touch: TouchRule;
}
