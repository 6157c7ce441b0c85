import type { QualifiedFieldName } from "./field-names.js";
import type { InsightField, SegmentsInput } from "./insights/input.js";
import type { FilterOperator } from "./filters/filter-groups.js";

/** Input of queries, as camelCase twins of the HTTP bodies. `null` is the same as absent. */

/** Any text, while editors still suggest the known ones. */
export type OtherText = string & {};

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
  readonly filters: readonly FilterInput[];
}

/** A date-only string, an RFC 3339 timestamp with a zone, or a `Date`. */
export type DateInput = string | Date;

export interface UniqueUsersInput extends SegmentsInput {
  /** Only rows of this project; absent: the whole organization. */
  readonly project?: string | null | undefined;
  readonly eventName?: string | null | undefined;
  readonly startDate?: DateInput | null | undefined;
  readonly endDate?: DateInput | null | undefined;
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
  readonly companyId: string;
  /** 1 to 365 days before now; default 30. */
  readonly rangeDays?: number | null | undefined;
  /** 1 to 100; default 20. */
  readonly limit?: number | null | undefined;
}

export interface ExportInput {
  readonly project?: string | null | undefined;
  readonly startDate?: DateInput | null | undefined;
  readonly endDate?: DateInput | null | undefined;
  /** Adds to each event the id of its identity, as known when the export begins. Default false. */
  readonly identityIds?: boolean | null | undefined;
}

export interface ExportArrowInput extends ExportInput {
  /** Marks the column `metadata` as the extension type `arrow.json`, which some readers refuse. Default false. */
  readonly jsonMark?: boolean | null | undefined;
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
