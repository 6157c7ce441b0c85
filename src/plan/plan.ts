import type { EventRecord, FoundEvent } from "../schema/event.js";
import type {
  CompanyTopUsers,
  IdentityDeviceGeo,
  IdentityProfile,
  IdentityReferrers,
  LtvCohorts,
  RevenueByAttribution,
  SessionItem,
  TopCompanies,
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

/** Where a comparison finds its value. */
export type Operand =
  /** A stored text field of the event: the wire name of its column. */
  | { readonly kind: "field"; readonly field: string }
  /** `url` up to the first `?` or `#`. */
  | { readonly kind: "path" }
  /** The host of `referrer` without a leading `www.`. */
  | { readonly kind: "referrerDomain" }
  /** A top-level metadata key. */
  | { readonly kind: "metadataKey"; readonly key: string }
  /** The literal key first, then a walk through nested objects at the dots. */
  | { readonly kind: "metadataPath"; readonly path: string }
  | { readonly kind: "id" }
  | { readonly kind: "createdAt" }
  | { readonly kind: "identityId" }
  | { readonly kind: "companyId" }
  /** A member that money is made of; where the event has none, the metadata key of that name. */
  | { readonly kind: "member"; readonly field: "value" | "currency" }
  /** Who brought the visit, as attribution reads the event by itself. */
  | { readonly kind: "touch"; readonly dimension: TouchDimension }
  | KnownOperand;

export type TouchDimension = "source" | "medium" | "campaign";

/** What an aggregate counts of each value. */
export type Measure = "events" | "unique_users";

/** A list item or an equality value: text, and the rules that let it equal a JSON number or boolean. */
export type Test =
  | { readonly op: "equals"; readonly values: readonly string[] }
  | { readonly op: "contains" | "startsWith" | "endsWith"; readonly text: string }
  | { readonly op: "regex"; readonly pattern: string }
  | { readonly op: "number"; readonly order: Order; readonly bound: Numeric }
  | { readonly op: "numberBetween"; readonly low: Numeric; readonly high: Numeric }
  /** Holds for instants in `[fromMs, toMs)`. `>` a day starts after it; bounds may be infinite (null). */
  | { readonly op: "instant"; readonly fromMs: number | null; readonly toMs: number | null }
  | { readonly op: "isSet" };

export type Order = ">" | ">=" | "<" | "<=";

/** One settled filter. `negated`: true exactly where the test is false (two-valued logic). */
export interface SettledFilter {
  readonly operand: Operand;
  readonly test: Test;
  readonly negated: boolean;
}

/** OR of groups, each an AND of comparisons; empty: no constraint. */
export type Where = readonly (readonly SettledFilter[])[];

/** What all event questions share. */
export interface QueryScope {
  readonly project: string | null;
  readonly eventName: string | null;
  /** A user id (else anonymous id) whose identity is meant; null: everybody. */
  readonly userId: string | null;
  readonly range: Range;
  readonly where: Where;
}

export interface CursorPosition {
  readonly createdAtMs: number;
  readonly id: string;
  /** Of the event: an id is unique within its project. */
  readonly project: string;
  /** Rows with a greater store sequence are invisible to this and later pages. */
  readonly sequence: number;
}

/** Whom an identity report is about. */
export type Subject =
  /** Trimmed and in lower case. */
  | { readonly kind: "email"; readonly email: string }
  /** A user id, else an anonymous id of this value. */
  | { readonly kind: "userId"; readonly userId: string };

/** Where a session ends. */
export interface SessionRule {
  /** A longer pause begins a new session. */
  readonly gapMs: number;
  /** An event later than this after the session's start begins a new one. */
  readonly maxMs: number;
}

/** Which events are money, and which are page views: settled from options. */
export interface RevenueRule {
  /** Slugs of events whose metadata holds an amount. */
  readonly paymentSlugs: readonly string[];
  /** Slugs of events whose amount is given back. */
  readonly refundSlugs: readonly string[];
  /** The reporting currency. */
  readonly currency: string;
}

/** Hosts as hosts are compared (`comparedHost`), and packages of apps. */
export interface HostList {
  /** These alone. */
  readonly hosts: readonly string[];
  /** These and their subdomains; a last label of `*` stands for any ending, also one of `SECOND_LEVELS` and a country. */
  readonly domains: readonly string[];
}

/** Which visits count as brought by somebody. */
export interface TouchRule {
  /** Referrers that bring nobody: payment pages. */
  readonly excludedHosts: HostList;
  /** Referrers of a visit that take no revenue from whoever brought it: pages to sign in. They are neither search nor social. */
  readonly signInHosts: HostList;
  readonly searchHosts: HostList;
  readonly socialHosts: HostList;
  /** A touch counts for this long; null: for ever. */
  readonly lookbackMs: number | null;
}

/**
 * A question about identities, money or companies: it looks at all rows (`range` of its scope is everything, and no
 * filter narrows it), for what happened outside of the window decides about what lies in it.
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
    /** False: records alone. */
    readonly allFields: boolean;
    readonly limit: number;
    readonly cursor: CursorPosition | null;
    /** Fingerprint of the query without limit, cursor, and what is shown of events. */
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
    /** Infinity is written as null. */
    readonly limit: number | null;
  };
}

export type ReportName = keyof PlanByReport;
export type Plan<K extends ReportName = ReportName> = PlanByReport[K];

/** What an executor answers: numbers and rows, before cursors are sealed into text. */
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

/** Answers settled plans: in memory here, elsewhere for those who outgrow one machine. */
export interface Executor {
  /** @throws aborted, query_timeout, corruption */
  execute<K extends ReportName>(plan: PlanByReport[K], signal?: Pick<AbortSignal, "aborted">): Promise<Answer<K>>;
}
