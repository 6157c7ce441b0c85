import type { Operand, Range, QueryScope, SessionRules, TouchRule } from "../plan.js";
import type { CalendarUnit, EntityLevel, Interval, NumericMeasureType } from "../input.js";

/** The calendar of a query. */
export interface CalendarPlan {
  /** An IANA name, as given. */
  readonly timeZone: string;
  /** 0 for Monday. */
  readonly weekStart: number;
}

/** What all insight plans share. The scope's `userId` is null; its range is half-open, in ms, from dates in the time zone. */
export interface InsightScope extends QueryScope {
  readonly calendar: CalendarPlan;
  /** Sides without a date: the range reaches to the edge of representable time there. */
  readonly isOpen: { readonly start: boolean; readonly end: boolean };
  /** Epoch ms at which the query was made. */
  readonly nowMs: number;
  /** The sequence up to which events and records count; `latest`: all, and the result reports the newest; null: all. */
  readonly asOf: number | "latest" | null;
  /** `def_` and 32 hexadecimal digits. */
  readonly definition: string;
}

export interface BreakdownPlan {
  /** One or two. */
  readonly fields: readonly Operand[];
  readonly limit: number;
  readonly rest: boolean;
}

export type MeasurePlan =
  | { readonly type: "events" | "unique_users" | "sessions" | "revenue"; readonly field: null }
  | { readonly type: "unique_values" | NumericMeasureType; readonly field: Operand };

export interface TrendPlan extends InsightScope, SessionRules {
  readonly report: "trend";
  readonly measure: MeasurePlan;
  readonly interval: Interval;
  readonly breakdown: BreakdownPlan | null;
  /** The range to compare with; null: none. */
  readonly previous: Range | null;
  readonly cumulative: boolean;
  readonly fill: boolean;
}

export interface FunnelPlan extends InsightScope, SessionRules {
  readonly report: "funnel";
  /** The events of each step: of all time, with the query's own filters. */
  readonly steps: readonly { readonly scope: QueryScope; readonly name: string }[];
  readonly order: "sequential" | "strict" | "any";
  readonly windowMs: number;
  /** Steps are numbered from 1. */
  readonly exclusions: readonly { readonly scope: QueryScope; readonly afterStep: number; readonly beforeStep: number }[];
  readonly level: EntityLevel | "session";
  readonly breakdown: (BreakdownPlan & { readonly at: "entry" | "last" }) | null;
  readonly interval: CalendarUnit | null;
}

export interface RetentionPlan extends InsightScope {
  readonly report: "retention";
  /** Of all time, with the query's own filters. */
  readonly cohortEvent: QueryScope;
  readonly returnEvent: QueryScope;
  readonly cohort: "first_time" | "recurring";
  readonly returned: "on" | "on_or_after";
  readonly interval: "day" | "week" | "month";
  readonly periods: number;
  readonly level: EntityLevel;
  readonly breakdown: BreakdownPlan | null;
}

export interface LifecyclePlan extends InsightScope {
  readonly report: "lifecycle";
  readonly interval: "day" | "week" | "month";
  readonly level: EntityLevel;
}

export interface StickinessPlan extends InsightScope {
  readonly report: "stickiness";
  readonly interval: "week" | "month" | "quarter" | "year" | "total";
  readonly unit: "hour" | "day" | "week" | "month";
  readonly level: EntityLevel;
}

export interface PathsPlan extends InsightScope, SessionRules {
  readonly report: "paths";
  readonly node: Operand;
  readonly rules: readonly { readonly pattern: string; readonly label: string }[];
  readonly startAt: string | null;
  readonly endAt: string | null;
  readonly collapse: boolean;
  readonly maxDepth: number;
  readonly limit: number;
}

export interface SessionsOverviewPlan extends InsightScope, SessionRules {
  readonly report: "sessionsOverview";
  readonly interval: Interval;
  readonly breakdown: BreakdownPlan | null;
  readonly limit: number;
}

export interface WebOverviewPlan extends InsightScope, SessionRules {
  readonly report: "webOverview";
  readonly limit: number;
  readonly interval: CalendarUnit | null;
  readonly previous: Range | null;
  readonly touch: TouchRule;
}
