/** The questions as a caller puts them: camelCase twins of the HTTP bodies. `null` is the same as absent. */

export interface FilterInput {
  readonly fieldName: string;
  readonly operator: string;
  readonly value?: unknown;
}

export interface FilterGroupInput {
  readonly filters: readonly FilterInput[];
}

/** A date-only string, an RFC 3339 timestamp with a zone, or a `Date`. */
export type DateInput = string | Date;

export interface UniqueUsersInput {
  /** Only rows of this project; absent: all of the organization. */
  readonly project?: string | null;
  readonly eventName?: string | null;
  readonly startDate?: DateInput | null;
  readonly endDate?: DateInput | null;
  readonly filterGroups?: readonly FilterGroupInput[] | null;
}

export interface CountEventsInput extends UniqueUsersInput {
  /** Events of the identity that this id resolves to. */
  readonly userId?: string | null;
}

export interface PerDayInput extends CountEventsInput {
  /** Adds days without events as 0, from the first to the last day of the range (or of the answer). */
  readonly fill?: boolean | null;
}

export interface UniqueUsersPerDayInput extends UniqueUsersInput {
  readonly fill?: boolean | null;
}

export interface AggregateInput extends UniqueUsersInput {
  /** A field that filters take too, by any of its names. */
  readonly field?: string | null;
  /** A metadata key, or a path with dots. Exactly one of the two. */
  readonly metadataField?: string | null;
  /** What is counted of each value: `events` (default), or `unique_users` as `countUniqueUsers` counts them. */
  readonly measure?: "events" | "unique_users" | null;
  /** At most this many rows, the largest; absent: all. */
  readonly limit?: number | null;
}

export interface SearchEventsInput extends CountEventsInput {
  readonly cursor?: string | null;
  /** 1 to 1,000; default 100. */
  readonly limit?: number | null;
}

/** Whose events: exactly one of the two. */
export interface IdentityInput {
  /** The identity most recently identified with this email. */
  readonly email?: string | null;
  /** A user id, else an anonymous id of this value. */
  readonly userId?: string | null;
  /** Default: 30 days before now. */
  readonly startDate?: DateInput | null;
  /** Default: now. */
  readonly endDate?: DateInput | null;
}

export interface IdentitySessionsInput extends IdentityInput {
  readonly cursor?: string | null;
  /** 1 to 100; default 50. */
  readonly limit?: number | null;
}

export interface IdentityReferrersInput extends IdentityInput {
  /** 1 to 50; default 10. */
  readonly limit?: number | null;
}

export type RevenueLevel = "account" | "identity";

export interface RevenueByAttributionInput {
  /** Payments of this project. */
  readonly project: string;
  /** Default `first_touch`. */
  readonly model?: "first_touch" | "last_touch" | null;
  /** Default `account`. */
  readonly level?: RevenueLevel | null;
  /** Default `source`. */
  readonly dimension?: "source" | "medium" | "campaign" | null;
  /** Default: 30 days before now. */
  readonly startDate?: DateInput | null;
  /** Default: now. */
  readonly endDate?: DateInput | null;
  /** 1 to 100 rows; default 20. */
  readonly limit?: number | null;
}

export interface LtvCohortsInput {
  readonly project: string;
  /** Default `account`. */
  readonly level?: RevenueLevel | null;
  /** 1 to 60 months; default 24. */
  readonly limit?: number | null;
}

export interface TopCompaniesInput {
  /** 1 to 365 days before now; default 30. */
  readonly rangeDays?: number | null;
  /** Default `users`. */
  readonly sort?: "users" | "events" | "last_seen" | "revenue" | null;
  /** 1 to 200; default 50. */
  readonly limit?: number | null;
}

export interface CompanyTopUsersInput {
  readonly companyId: string;
  /** 1 to 365 days before now; default 30. */
  readonly rangeDays?: number | null;
  /** 1 to 100; default 20. */
  readonly limit?: number | null;
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

/**
 * What the embedding application says one unit of `from` is worth in `to` on a UTC day (`YYYY-MM-DD`); undefined: unknown.
 */
export type Rates = (from: string, to: string, day: string) => number | undefined;
