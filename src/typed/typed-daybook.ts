import type { Daybook } from "../engine/daybook.js";
import type { IngestOptions } from "../core/base/call-options.js";
import type { QueryOptions } from "../engine/query/query-options.js";
import type { SavedSegment, Segments } from "../engine/query/saved-segments.js";
import type { SearchEventsPage } from "../query/plan/answers.js";
import type { PerDayItem, AggregateItem, AggregateInput, CountEventsInput, PerDayInput, SearchEventsInput, UniqueUsersInput, UniqueUsersPerDayInput } from "../query/plan/input.js";
import type { Funnel, Lifecycle, Paths, Retention, SessionsOverview, Stickiness, Trend, WebOverview } from "../query/plan/insights/answers.js";
import type {
  FunnelInput,
  LifecycleInput,
  PathsInput,
  RetentionInput,
  PeopleSegment,
  SessionsOverviewInput,
  StickinessInput,
  TrendInput,
  WebOverviewInput,
} from "../query/plan/insights/input.js";
import type { EventInput, EventRecord, IngestResult } from "../core/schema/event.js";
import type { Events, Typed } from "./typed-queries.js";

/** An event with one of the names of `E` and its metadata, which may be left out if it has no required member. */
export type TypedEvent<E extends Events> = {
  [Name in keyof E & string]: Omit<EventInput, "name" | "metadata"> & { readonly name: Name } & WithMetadata<E[Name]>;
}[keyof E & string];

type WithMetadata<Metadata extends object> = Record<never, never> extends Metadata ? { readonly metadata?: Metadata | null | undefined } : { readonly metadata: Metadata };

/** A Daybook whose events, filters and fields the compiler checks: the same methods, but all names must exist. */
export type TypedDaybook<E extends Events, D = Daybook> = Omit<D, keyof TypedMethods<E>> & TypedMethods<E>;

/** The methods that differ from those of `Daybook`. */
export interface TypedMethods<E extends Events> {
  /** As `Daybook.ingest`; with a check, events that fail it are returned in `rejected` as `invalid_event`, or are reported. */
  ingest(events: readonly TypedEvent<E>[], options?: IngestOptions): Promise<IngestResult>;
  /** As `Daybook.countEvents`. */
  countEvents(input?: Typed<E, CountEventsInput>, options?: QueryOptions): Promise<number>;
  /** As `Daybook.countEventsPerDay`. */
  countEventsPerDay(input?: Typed<E, PerDayInput>, options?: QueryOptions): Promise<readonly PerDayItem[]>;
  /** As `Daybook.countEventsRunningTotalPerDay`. */
  countEventsRunningTotalPerDay(input?: Typed<E, PerDayInput>, options?: QueryOptions): Promise<readonly PerDayItem[]>;
  /** As `Daybook.countUniqueUsers`. */
  countUniqueUsers(input?: Typed<E, UniqueUsersInput>, options?: QueryOptions): Promise<number>;
  /** As `Daybook.countUniqueUsersPerDay`. */
  countUniqueUsersPerDay(input?: Typed<E, UniqueUsersPerDayInput>, options?: QueryOptions): Promise<readonly PerDayItem[]>;
  /** As `Daybook.aggregate`; `metadataField` is a key of some event. */
  aggregate(input: Typed<E, AggregateInput>, options?: QueryOptions): Promise<readonly AggregateItem[]>;
  /** As `Daybook.searchEvents`, with records only. */
  searchEvents(input: Typed<E, SearchEventsInput> & { readonly allFields: false }, options?: QueryOptions): Promise<SearchEventsPage<EventRecord>>;
  /** As `Daybook.searchEvents`. Its metadata has no type, because it also finds events stored before the shapes existed. */
  searchEvents(input?: Typed<E, SearchEventsInput>, options?: QueryOptions): Promise<SearchEventsPage>;
  /** As `Daybook.trend`; sums, averages and percentiles require numeric fields. */
  trend(input?: Typed<E, TrendInput>, options?: QueryOptions): Promise<Trend>;
  /** As `Daybook.funnel`. */
  funnel(input: Typed<E, FunnelInput>, options?: QueryOptions): Promise<Funnel>;
  /** As `Daybook.retention`. */
  retention(input?: Typed<E, RetentionInput>, options?: QueryOptions): Promise<Retention>;
  /** As `Daybook.lifecycle`. */
  lifecycle(input?: Typed<E, LifecycleInput>, options?: QueryOptions): Promise<Lifecycle>;
  /** As `Daybook.stickiness`. */
  stickiness(input?: Typed<E, StickinessInput>, options?: QueryOptions): Promise<Stickiness>;
  /** As `Daybook.paths`. */
  paths(input?: Typed<E, PathsInput>, options?: QueryOptions): Promise<Paths>;
  /** As `Daybook.sessionsOverview`. */
  sessionsOverview(input?: Typed<E, SessionsOverviewInput>, options?: QueryOptions): Promise<SessionsOverview>;
  /** As `Daybook.webOverview`. */
  webOverview(input?: Typed<E, WebOverviewInput>, options?: QueryOptions): Promise<WebOverview>;
  /** As `Daybook.segments`. */
  readonly segments: TypedSegments<E>;
}

/** As `Segments`, with known events only. */
export interface TypedSegments<E extends Events> extends Omit<Segments, "put"> {
  /** As `Segments.put`. */
  put(name: string, segment: Typed<E, PeopleSegment>): Promise<SavedSegment>;
}
