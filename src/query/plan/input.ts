import type { QualifiedFieldName } from "./field-names.js";
import type { FilterOperator } from "./filters/filter-groups.js";

// Input of queries, as camelCase twins of the HTTP bodies. `null` is the same as absent.

/** Any text, while editors still suggest the known ones. */
type OtherText = string & {};

export interface FilterInput {
  /** A field by any of its names, `metadata.<path>`, `person.<path>`, `company.<path>`, a touch of attribution, or a top-level metadata key. */
  readonly fieldName: InsightField;
  /** Case-insensitive. */
  readonly operator: FilterOperator | OtherText;
  /**
   * A text, number or boolean; a list of them for `in` and `between` and their complements; none for `is_set` and `is_not_set`; the name of a
   * segment for `in_segment` and `not_in_segment`, which only `identity_id` accepts.
   */
  readonly value?: unknown;
}

export interface FilterGroupInput {
  /** An event passes a group if it passes each of its filters. */
  readonly filters: readonly FilterInput[];
}

/** A date-only string, an RFC 3339 timestamp with a zone, or a `Date`. */
export type DateInput = string | Date;

export interface UniqueUsersInput extends SegmentsInput {
  /** Only rows of this project; absent: the whole organization. */
  readonly project?: string | null | undefined;
  /** Exactly this name; absent: any. */
  readonly eventName?: string | null | undefined;
  /** The first day, or millisecond. A date without a time is that day in UTC. Default: open. */
  readonly startDate?: DateInput | null | undefined;
  /** The last day, or millisecond, inclusive. Default: open. */
  readonly endDate?: DateInput | null | undefined;
  /** Groups are OR-ed, the filters of a group AND-ed: at most 20 groups per list, and 100 filters per query. */
  readonly filterGroups?: readonly FilterGroupInput[] | null | undefined;
}

export interface CountEventsInput extends UniqueUsersInput {
  /** Only events of the identity that this id resolves to. */
  readonly userId?: string | null | undefined;
}

export interface PerDayInput extends CountEventsInput {
  /** Adds days without events as 0, from the first to the last day of the range (or of the result). */
  readonly fill?: boolean | null | undefined;
}

export interface UniqueUsersPerDayInput extends UniqueUsersInput {
  /** Adds days without events as 0, from the first to the last day of the range (or of the result). */
  readonly fill?: boolean | null | undefined;
}

/** By a field or by a metadata key: exactly one of the two. */
type AggregatedInput =
  | {
      /** Any field name that filters accept, including `metadata.KEY`, but no bare metadata key. */
      readonly field: QualifiedFieldName;
      readonly metadataField?: null | undefined;
    }
  | {
      /** A metadata key, or a path with dots. */
      readonly metadataField: string;
      readonly field?: null | undefined;
    };

export type AggregateInput = UniqueUsersInput &
  AggregatedInput & {
    /** What to count per value: `events` (default), or `unique_users` as `countUniqueUsers` counts them. */
    readonly measure?: "events" | "unique_users" | null | undefined;
    /** At most this many rows, the largest first; absent: all. */
    readonly limit?: number | null | undefined;
  };

export interface SearchEventsInput extends CountEventsInput {
  /** Of the previous page; absent: the first page. */
  readonly cursor?: string | null | undefined;
  /** Whether to return events with all data they were sent with and their identity, instead of plain records. Default true. */
  readonly allFields?: boolean | null | undefined;
  /** 1 to 1,000; default 100. */
  readonly limit?: number | null | undefined;
}

/** Selects an identity: exactly one of the two. */
type SubjectInput =
  | {
      /** The identity most recently identified with this email. */
      readonly email: string;
      readonly userId?: null | undefined;
    }
  | {
      /** A user id, else an anonymous id of this value. */
      readonly userId: string;
      readonly email?: null | undefined;
    };

export type IdentityInput = SubjectInput & {
  /** Default: 30 days before now. */
  readonly startDate?: DateInput | null | undefined;
  /** Default: now. */
  readonly endDate?: DateInput | null | undefined;
};

export type IdentitySessionsInput = IdentityInput & {
  /** Of the previous page; absent: the first page. */
  readonly cursor?: string | null | undefined;
  /** 1 to 100; default 50. */
  readonly limit?: number | null | undefined;
};

export type IdentityReferrersInput = IdentityInput & {
  /** 1 to 50; default 10. */
  readonly limit?: number | null | undefined;
};

export type RevenueLevel = "account" | "identity";

export interface RevenueByAttributionInput {
  /** Payments of this project. */
  readonly project: string;
  /** Default `first_touch`. */
  readonly model?: "first_touch" | "last_touch" | null | undefined;
  /** Default `account`. */
  readonly level?: RevenueLevel | null | undefined;
  /** Default `source`. */
  readonly dimension?: "source" | "medium" | "campaign" | null | undefined;
  /** Default: 30 days before now. */
  readonly startDate?: DateInput | null | undefined;
  /** Default: now. */
  readonly endDate?: DateInput | null | undefined;
  /** 1 to 100 rows; default 20. */
  readonly limit?: number | null | undefined;
}

export interface LtvCohortsInput {
  /** Of people or companies with an event in this project, and what they paid in it. */
  readonly project: string;
  /** Default `account`. */
  readonly level?: RevenueLevel | null | undefined;
  /** 1 to 60 months; default 24. */
  readonly limit?: number | null | undefined;
}

export interface TopCompaniesInput {
  /** 1 to 365 days before now; default 30. */
  readonly rangeDays?: number | null | undefined;
  /** Default `users`. */
  readonly sort?: "users" | "events" | "last_seen" | "revenue" | null | undefined;
  /** 1 to 200; default 50. */
  readonly limit?: number | null | undefined;
}

export interface CompanyTopUsersInput {
  /** The id that events and groups name. */
  readonly companyId: string;
  /** 1 to 365 days before now; default 30. */
  readonly rangeDays?: number | null | undefined;
  /** 1 to 100; default 20. */
  readonly limit?: number | null | undefined;
}

/** What a measure, a breakdown or a path reads: a field of filters, of people, of companies or of attribution, or a metadata key. */
export type InsightField = QualifiedFieldName | OtherText;

/** The entities of steps, returns and activity: people, or the companies of events, and people where these have none. Default `identity`. */
export type EntityLevel = "identity" | "account";

/** The first day of a week. */
export type WeekDay = "monday" | "tuesday" | "wednesday" | "thursday" | "friday" | "saturday" | "sunday";
/** By the clocks of the query's time zone: a day may have 23 or 25 hours. */
export type CalendarUnit = "minute" | "hour" | "day" | "week" | "month" | "quarter" | "year";
/** `total` is one bucket: the whole range. */
export type Interval = CalendarUnit | "total";

/** Selects events. Both absent: any event. */
export interface EventSelector {
  /** Exactly this name. */
  readonly eventName?: string | null | undefined;
  /** Groups are OR-ed, the filters of a group AND-ed: at most 20 groups per list, and 100 filters per query. */
  readonly filterGroups?: readonly FilterGroupInput[] | null | undefined;
}

/** Between two dates, or the last days before now, not both; neither: all time. */
interface ConditionWindow {
  /** A date without a time is that day in the query's time zone. */
  readonly startDate?: DateInput | null | undefined;
  /** Inclusive. */
  readonly endDate?: DateInput | null | undefined;
  /** 1 to 3,660, of 86,400 s each. */
  readonly lastDays?: number | null | undefined;
}

/** What a person did, or is. Only events of the query's project count; its other filters do not apply. */
export type SegmentCondition =
  | ({
      readonly type: "did";
      /** 1 to 1,000,000; default 1. */
      readonly atLeast?: number | null | undefined;
      /** At least `atLeast`; default: no bound. */
      readonly atMost?: number | null | undefined;
    } & EventSelector & ConditionWindow)
  | ({ readonly type: "did_not" } & EventSelector & ConditionWindow)
  /** When the person's first, or last, event of all time was. The window is required. */
  | ({ readonly type: "first_seen" | "last_seen" } & ConditionWindow)
  | {
      readonly type: "trait";
      readonly field: string;
      readonly operator: FilterOperator | OtherText;
      readonly value?: unknown;
    }
  | {
      readonly type: "company";
      /** A trait of the company that the person was last seen with; absent: its id. */
      readonly field?: string | null | undefined;
      readonly operator: FilterOperator | OtherText;
      readonly value?: unknown;
    };

/** People selected by what they did and are: groups are OR-ed, the conditions of a group AND-ed. */
export interface PeopleSegment {
  /** 1 to 20. */
  readonly groups: readonly {
    /** 1 to 50. */
    readonly conditions: readonly SegmentCondition[];
  }[];
}

/** Segments of this query by name, for filters `{ fieldName: "identity_id", operator: "in_segment", value: NAME }`. */
export interface SegmentsInput {
  /** At most 10; names of 1 to 64 letters, digits, `_` and `-`. */
  readonly segments?: Readonly<Record<string, PeopleSegment>> | null | undefined;
}

/** What all insights accept: the selected events, and the calendar. */
export interface InsightInput extends EventSelector, SegmentsInput {
  /** Only rows of this project; absent: the whole organization. */
  readonly project?: string | null | undefined;
  /** The first day, or millisecond. A date without a time is that day in `timeZone`. Default: open. */
  readonly startDate?: DateInput | null | undefined;
  /** The last day, or millisecond, inclusive. Default: open. */
  readonly endDate?: DateInput | null | undefined;
  /** An IANA name such as `Europe/Berlin`; default `UTC`. */
  readonly timeZone?: string | null | undefined;
  /** Default `monday`. */
  readonly weekStart?: WeekDay | null | undefined;
  /**
   * The sequence up to which events and identity records count, as an earlier result reported it; `latest`: all, and the result reports the newest.
   * Default: all. A sequence costs as much as the first query of a process.
   */
  readonly asOf?: number | "latest" | null | undefined;
}

export type NumericMeasureType = "sum" | "avg" | "min" | "max" | "p25" | "median" | "p75" | "p90" | "p95" | "p99";

/**
 * A figure: events, people, sessions, or revenue in the reporting currency; or the number of distinct values of a field, or a statistic of its
 * numbers, computed exactly and rounded once.
 */
export type TrendMeasure =
  | { readonly type: "events" | "unique_users" | "sessions" | "revenue"; readonly field?: null | undefined }
  | { readonly type: "unique_values" | NumericMeasureType; readonly field: InsightField };

/** Splits a result by values: the largest combinations first, ties by their values. */
export interface BreakdownInput {
  /** One or two different fields. */
  readonly fields: readonly InsightField[];
  /** 1 to 1,000; default 25. */
  readonly limit?: number | null | undefined;
  /** Whether the result includes all other combinations as one. Default false. */
  readonly rest?: boolean | null | undefined;
}

/** As many whole units before, else as many days, else as many ms; or the same local times one year before. */
export type Comparison = "previous_period" | "previous_year";

export interface TrendInput extends InsightInput {
  /** Default `{ type: "events" }`. */
  readonly measure?: TrendMeasure | null | undefined;
  /** Default `day`. */
  readonly interval?: Interval | null | undefined;
  /** One series per combination of values, instead of one for all. */
  readonly breakdown?: BreakdownInput | null | undefined;
  /** Needs both dates. */
  readonly compare?: Comparison | null | undefined;
  /** Whether each figure covers the range up to the end of its bucket. Default false. */
  readonly cumulative?: boolean | null | undefined;
  /** Whether to show buckets in which nothing counts. Default true. */
  readonly fill?: boolean | null | undefined;
}

/** An event's name, a filter, or both. */
export interface FunnelStepInput extends EventSelector {
  /** Its name in the result, 1 to 200 characters. Default: the event's name. */
  readonly name?: string | null | undefined;
}

/** An event that ends an attempt between two steps. */
export interface FunnelExclusionInput extends EventSelector {
  /** Default: the first step. */
  readonly afterStep?: number | null | undefined;
  /** Default: the last step. */
  readonly beforeStep?: number | null | undefined;
}

export interface FunnelInput extends InsightInput {
  /** 2 to 20. */
  readonly steps: readonly FunnelStepInput[];
  /** `strict`: no other event of the entity that matches the query between two steps; `any`: in any order. Default `sequential`. */
  readonly order?: "sequential" | "strict" | "any" | null | undefined;
  /** Seconds from the first step to the last one: 1 to 31,622,400; default 1,209,600 (14 days). */
  readonly conversionWindowSec?: number | null | undefined;
  /** At most 10. */
  readonly exclusions?: readonly FunnelExclusionInput[] | null | undefined;
  /** `session`: all steps within one session. Default `identity`. */
  readonly level?: EntityLevel | "session" | null | undefined;
  /** `at`: by the values of the chain's first event (`entry`, default) or of its last one. Not together with `interval`. */
  readonly breakdown?: (BreakdownInput & { readonly at?: "entry" | "last" | null | undefined }) | null | undefined;
  /** Adds the funnel of each bucket, counting only entries in it. */
  readonly interval?: CalendarUnit | null | undefined;
}

export interface RetentionInput extends InsightInput {
  /** The event that makes an entity a member of a cohort. Default: any event. */
  readonly cohortEvent?: EventSelector | null | undefined;
  /** The event that counts as a return. Default: any event. */
  readonly returnEvent?: EventSelector | null | undefined;
  /** `first_time`: entities with their first such event of all time in the bucket (default); `recurring`: all with such an event in it. */
  readonly cohort?: "first_time" | "recurring" | null | undefined;
  /** In the bucket, or in it or any later one. Default `on`. */
  readonly returned?: "on" | "on_or_after" | null | undefined;
  /** Default `day`. */
  readonly interval?: "day" | "week" | "month" | null | undefined;
  /** Buckets after the cohort's own: 1 to 366; default 11. */
  readonly periods?: number | null | undefined;
  /** The entities whose returns count. Default `identity`. */
  readonly level?: EntityLevel | null | undefined;
  /** By the values of a member's first cohort event in the bucket. */
  readonly breakdown?: BreakdownInput | null | undefined;
}

export interface LifecycleInput extends InsightInput {
  /** Default `day`. */
  readonly interval?: "day" | "week" | "month" | null | undefined;
  /** The entities whose activity counts. Default `identity`. */
  readonly level?: EntityLevel | null | undefined;
}

export interface StickinessInput extends InsightInput {
  /** Default `total`. */
  readonly interval?: "week" | "month" | "quarter" | "year" | "total" | null | undefined;
  /** Shorter than the interval. Default `day`. */
  readonly unit?: "hour" | "day" | "week" | "month" | null | undefined;
  /** The entities whose activity counts. Default `identity`. */
  readonly level?: EntityLevel | null | undefined;
}

export interface PathsInput extends InsightInput {
  /** The field whose values are the nodes. Default `path`. */
  readonly node?: InsightField | null | undefined;
  /** At most 50. The first pattern, a regular expression, that matches a value gives its label. */
  readonly rules?: readonly { readonly pattern: string; readonly label: string }[] | null | undefined;
  /** A label, after the rules: sequences start at its first occurrence. */
  readonly startAt?: string | null | undefined;
  /** Sequences end at its first occurrence; without `startAt` the last `maxDepth` nodes are kept. */
  readonly endAt?: string | null | undefined;
  /** Whether equal labels in a row are one node. Default true. */
  readonly collapse?: boolean | null | undefined;
  /** Nodes of a sequence: 2 to 20; default 5. */
  readonly maxDepth?: number | null | undefined;
  /** Limit of nodes and edges per step, and of sequences: 1 to 1,000; default 50. */
  readonly limit?: number | null | undefined;
}

export interface SessionsOverviewInput extends InsightInput {
  /** Default `total`. */
  readonly interval?: Interval | null | undefined;
  /** By the first event of a session. */
  readonly breakdown?: BreakdownInput | null | undefined;
  /** Limit of pages: 1 to 1,000; default 10. */
  readonly limit?: number | null | undefined;
}

export interface WebOverviewInput extends InsightInput {
  /** Limit of each list: 1 to 1,000; default 10. */
  readonly limit?: number | null | undefined;
  /** Absent: no chart. */
  readonly interval?: CalendarUnit | null | undefined;
  /** Needs both dates. */
  readonly compare?: Comparison | null | undefined;
}

/** `project`, dates, `eventName`, `filterGroups` and `segments` select events as in queries. */
export interface ExportInput extends UniqueUsersInput {
  /** Adds to each event the id of its identity, as known when the export begins. Default false. */
  readonly identityIds?: boolean | null | undefined;
  /**
   * Only events stored after this sequence, whatever their time; 0: all. Adds to each event its `sequence`: the greatest one of a copy is what the
   * next export continues after. Absent: all events, without sequences.
   */
  readonly afterSequence?: number | null | undefined;
  /** Only events stored up to this sequence, so that several exports stop at the same event. Absent: all that are stored when the export begins. */
  readonly upToSequence?: number | null | undefined;
}

export interface ExportArrowInput extends ExportInput {
  /** Marks the column `metadata` as the extension type `arrow.json`, which some readers refuse. Default false. */
  readonly jsonMark?: boolean | null | undefined;
}

export interface ExportDeletionsInput {
  /** The sequence that the copy had reached before the export of events that precedes this call; 0 for an empty copy. */
  readonly afterSequence: number;
}

export interface RecordBatchesInput extends Pick<ExportInput, "project" | "startDate" | "endDate"> {
  /** `id`, `createdAt`, `sequence`, fields by their camelCase names, and `metadata.KEY`. Default: all that the rows have. */
  readonly columns?: readonly string[] | null | undefined;
}

export interface PerDayItem {
  /** 00:00:00.000 UTC of the day, ISO 8601. */
  readonly day: string;
  readonly count: number;
}

export interface AggregateItem {
  readonly property: string;
  readonly count: number;
}

/** The application's exchange rates: the value of one unit of `from` in `to` on a UTC day (`YYYY-MM-DD`); undefined: unknown. */
export type Rates = (from: string, to: string, day: string) => number | undefined;
