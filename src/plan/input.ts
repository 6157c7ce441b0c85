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
  readonly field?: string | null;
  readonly metadataField?: string | null;
  /** At most this many rows, the largest; absent: all. */
  readonly limit?: number | null;
}

export interface SearchEventsInput extends CountEventsInput {
  readonly cursor?: string | null;
  /** 1 to 1,000; default 100. */
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
