import type { EventRecord } from "../schema/event.js";
import type { AggregateItem, PerDayItem } from "./input.js";

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
  | { readonly kind: "companyId" };

/** A list item or an equality value: text, and the rules that let it equal a JSON number or boolean. */
export type Test =
  | { readonly op: "equals"; readonly values: readonly string[] }
  | { readonly op: "contains" | "startsWith" | "endsWith"; readonly text: string }
  | { readonly op: "regex"; readonly pattern: string }
  | { readonly op: "number"; readonly order: Order; readonly bound: number }
  | { readonly op: "numberBetween"; readonly low: number; readonly high: number }
  /** Holds for instants in `[fromMs, toMs)`. `>` a day starts after it; bounds may be infinite (null). */
  | { readonly op: "instant"; readonly fromMs: number | null; readonly toMs: number | null }
  | { readonly op: "isSet" };

export type Order = ">" | ">=" | "<" | "<=";

/** One settled filter. `negated`: true exactly where the test is false (two-valued logic). */
export interface Comparison {
  readonly operand: Operand;
  readonly test: Test;
  readonly negated: boolean;
}

/** OR of groups, each an AND of comparisons; empty: no constraint. */
export type Where = readonly (readonly Comparison[])[];

/** What all event questions share. */
export interface Scope {
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
  /** Rows with a greater store sequence are invisible to this and later pages. */
  readonly sequence: number;
}

export interface PlanByReport {
  countEvents: Scope & { readonly report: "countEvents" };
  countEventsPerDay: Scope & { readonly report: "countEventsPerDay"; readonly fill: boolean };
  countEventsRunningTotalPerDay: Scope & {
    readonly report: "countEventsRunningTotalPerDay";
    readonly fill: boolean;
  };
  countUniqueUsers: Scope & { readonly report: "countUniqueUsers" };
  countUniqueUsersPerDay: Scope & { readonly report: "countUniqueUsersPerDay"; readonly fill: boolean };
  aggregate: Scope & {
    readonly report: "aggregate";
    readonly by: Operand;
    readonly limit: number | null;
  };
  searchEvents: Scope & {
    readonly report: "searchEvents";
    readonly limit: number;
    readonly cursor: CursorPosition | null;
    /** Fingerprint of the query without limit and cursor. */
    readonly fingerprint: string;
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
  searchEvents: { readonly next: CursorPosition | null; readonly events: readonly EventRecord[] };
}
export type Answer<K extends ReportName> = AnswerByReport[K];

/** Answers settled plans: in memory here, elsewhere for those who outgrow one machine. */
export interface Executor {
  /** @throws aborted, query_timeout, corruption */
  execute<K extends ReportName>(plan: PlanByReport[K], signal?: AbortSignal): Promise<Answer<K>>;
}
