import type { EventRecord, FoundEvent } from "../../core/schema/event.js";
import type { SessionItem } from "./answers.js";
import type { Numeric } from "./filters/number-form.js";

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

/** Operands that come from people and companies, not from events. */
export type KnownOperand =
  /** A trait of the event's identity, or its newest email. */
  | { readonly kind: "person"; readonly path: string }
  /** A trait of the event's company. */
  | { readonly kind: "company"; readonly path: string }
  /** The label that attribution would give the event as a payment of its identity. */
  | { readonly kind: "paymentTouch"; readonly model: "first_touch" | "last_touch"; readonly dimension: TouchDimension }
  /**
   * Whether the event's identity is in a segment: its test is `isSet`. `nowMs`: epoch ms at which the query was made, from which last days count;
   * no part of the query's meaning.
   */
  | { readonly kind: "segment"; readonly segment: PeopleSegmentPlan; readonly nowMs: number };

/** When the events of a condition happen. */
export type SegmentWindow =
  | { readonly kind: "range"; readonly range: Range }
  /** The last days before the query, of 86,400 s each, both ends included. */
  | { readonly kind: "lastDays"; readonly days: number };

/** A condition on an identity. */
export type ConditionPlan =
  /** From `atLeast` to `atMost` (null: no limit) matching events in the window. The scope's range is all time. */
  | { readonly type: "did"; readonly scope: QueryScope; readonly window: SegmentWindow; readonly atLeast: number; readonly atMost: number | null }
  /** Its first, or last, event in the project (null: any) lies in the window. */
  | { readonly type: "firstSeen" | "lastSeen"; readonly project: string | null; readonly window: SegmentWindow }
  /** A comparison of a `person` trait, or of the `companyId` or a `company` trait of the company that the identity was last seen with. */
  | { readonly type: "is"; readonly comparison: PlannedFilter };

/** People selected by what they did and are: OR of groups, each an AND of conditions. Segments with equal contents are equal. */
export type PeopleSegmentPlan = readonly (readonly ConditionPlan[])[];

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
export type RequestedPerson =
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

/** The rules that decide which events form a session. */
export interface SessionRules {
  readonly session: SessionRule;
  /** Slugs of events that are page views. */
  readonly pageviewSlugs: readonly string[];
  /** Identifies payments: those that servers send, without url and host, belong to no session. */
  readonly revenue: RevenueRule;
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
  readonly person: RequestedPerson;
}

/** A plan of any report. A member that several reports have means the same in all of them. */
export interface AnyPlan extends QueryScope {
  readonly report: string;
  /** The project that must exist. */
  readonly payProject?: string;
  /** Entities that are counted: companies for `account`, else people. */
  readonly level?: string;
  readonly asOf?: number | "latest" | null;
  /** Values that are read to count or to group by. */
  readonly by?: Operand;
  readonly node?: Operand;
  readonly measure?: string | { readonly type: string; readonly field: Operand | null };
  readonly breakdown?: { readonly fields: readonly Operand[] } | null;
  /** Events that have a scope of their own. */
  readonly steps?: readonly { readonly scope: QueryScope }[];
  readonly exclusions?: readonly { readonly scope: QueryScope }[];
  readonly cohortEvent?: QueryScope;
  readonly returnEvent?: QueryScope;
}

export interface CountPlan<Report extends string> extends QueryScope {
  readonly report: Report;
}

export interface PerDayPlan<Report extends string> extends CountPlan<Report> {
  readonly fill: boolean;
}

export interface AggregatePlan extends CountPlan<"aggregate"> {
  readonly by: Operand;
  readonly measure: Measure;
  readonly limit: number | null;
}

export interface SearchEventsPlan extends CountPlan<"searchEvents"> {
  /** False: plain records. */
  readonly allFields: boolean;
  readonly limit: number;
  readonly cursor: CursorPosition | null;
  /** Fingerprint of the query without `limit`, `cursor` and `allFields`. */
  readonly fingerprint: string;
}

export interface IdentitySessionsPlan extends IdentityScope, SessionRules {
  readonly report: "identitySessions";
  readonly limit: number;
  /** First event of the last session shown. */
  readonly cursor: CursorPosition | null;
  readonly fingerprint: string;
  readonly touch: TouchRule;
}

export interface IdentityProfilePlan extends IdentityScope, SessionRules {
  readonly report: "identityProfile";
}

export interface IdentityReferrersPlan extends IdentityScope {
  readonly report: "identityReferrers";
  readonly limit: number;
}

export interface IdentityDeviceGeoPlan extends IdentityScope {
  readonly report: "identityDeviceGeo";
}

export interface RevenueByAttributionPlan extends WindowedScope {
  readonly report: "revenueByAttribution";
  /** Payments of this project; touches of all. */
  readonly payProject: string;
  readonly model: "first_touch" | "last_touch";
  readonly level: "account" | "identity";
  readonly dimension: TouchDimension;
  readonly limit: number;
  readonly revenue: RevenueRule;
  readonly touch: TouchRule;
}

export interface LtvCohortsPlan extends WindowedScope {
  readonly report: "ltvCohorts";
  readonly payProject: string;
  readonly level: "account" | "identity";
  readonly limit: number;
  readonly revenue: RevenueRule;
}

export interface TopCompaniesPlan extends WindowedScope {
  readonly report: "topCompanies";
  readonly sort: "users" | "events" | "last_seen" | "revenue";
  readonly limit: number;
  readonly revenue: RevenueRule;
}

export interface CompanyTopUsersPlan extends WindowedScope {
  readonly report: "companyTopUsers";
  readonly companyId: string;
  /** Null: no limit, which is Infinity in the input. */
  readonly limit: number | null;
}

/** A page of events, before the position of the next page is sealed into a cursor. */
export interface FoundEvents {
  readonly next: CursorPosition | null;
  readonly events: readonly (EventRecord | FoundEvent)[];
}

/** A page of sessions, likewise. */
export interface FoundSessions {
  readonly identityId: string;
  readonly next: CursorPosition | null;
  readonly sessions: readonly SessionItem[];
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
export interface ReportRules extends SessionRules {
  readonly touch: TouchRule;
}
