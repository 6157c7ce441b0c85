import type { FieldName, KnownFieldName, QualifiedFieldName } from "../query/plan/field-names.js";
import type {
  AggregateInput,
  AggregateItem,
  CountEventsInput,
  FunnelInput,
  LifecycleInput,
  NumericMeasureType,
  PathsInput,
  PeopleSegment,
  PerDayInput,
  PerDayItem,
  RetentionInput,
  SearchEventsInput,
  SessionsOverviewInput,
  StickinessInput,
  TrendInput,
  TrendMeasure,
  UniqueUsersInput,
  UniqueUsersPerDayInput,
  WebOverviewInput,
} from "../query/plan/input.js";
import type { FilterOperator, OperatorOf } from "../query/plan/filters/filter-groups.js";
import type { Daybook } from "../engine/daybook.js";
import type { IngestOptions, TrackOptions } from "../core/base/options.js";
import type { QueryOptions } from "../query/queries.js";
import type { SavedSegment, Segments } from "../engine/query/saved-segments.js";
import type { SearchEventsPage } from "../query/plan/answers.js";
import type { Funnel, Lifecycle, Paths, Retention, SessionsOverview, Stickiness, Trend, WebOverview } from "../query/plan/insights/answers.js";
import type { EventInput, EventRecord, IngestResult } from "../core/schema/event.js";

/** The events of a `Daybook`: names, each with the type of its metadata. */
export type Events = Readonly<Record<string, object>>;

/** Dotted paths into an object, of at most five keys, each with the type found there; a list is one value, and so is `any`. */
type PairsOf<T, Prefix extends string = "", Keys extends readonly 1[] = []> = T extends readonly unknown[]
  ? never
  : {
      [Key in keyof T & string]-?: NonNullable<T[Key]> extends infer Value ? PairsAt<`${Prefix}${Key}`, Value, [...Keys, 1]> : never;
    }[keyof T & string];

type PairsAt<Path extends string, Value, Keys extends readonly 1[]> = IsAny<Value> extends true
  ? readonly [Path, Value]
  : Value extends readonly unknown[]
    ? readonly [Path, Value]
    : Value extends object
      ? readonly [Path, Value] | (Keys["length"] extends 5 ? never : PairsOf<Value, `${Path}.`, Keys>)
      : readonly [Path, Value];

/** True only for `any`, the one type whose intersection with 1 includes 0. */
type IsAny<T> = 0 extends 1 & T ? true : false;

/** Paths that any event has, with the types found there. Pairs are collected once: a lookup of each path in each event would be quadratic. */
type MetadataFields<E> = { [Pair in { [Name in keyof E]: PairsOf<E[Name]> }[keyof E] as Pair[0]]: Pair[1] };

/** Keys of the metadata of any of the events, and paths into their objects. */
export type MetadataPath<E> = keyof MetadataFields<E>;

type NumericPath<E> = { [Path in keyof MetadataFields<E>]: MetadataFields<E>[Path] extends number ? Path : never }[keyof MetadataFields<E>];

/** Fields that are not metadata: those of events, and traits of persons, companies and attribution. */
type OtherField = FieldName | KnownFieldName;

/** A field, or a metadata key that some event has. */
export type TypedField<E> = OtherField | `metadata.${MetadataPath<E>}`;

type OneOrMore = OperatorOf<"equals" | "in" | ">" | ">=" | "<" | "<=" | "between">;
type TextTest = OperatorOf<"contains" | "startsWith" | "endsWith" | "regex">;

/** A filter with a known field, and a value that the field can have. */
export type TypedFilter<E> =
  | { readonly fieldName: OtherField; readonly operator: FilterOperator; readonly value?: unknown }
  | { [Path in keyof MetadataFields<E>]: MetadataFilter<Path, MetadataFields<E>[Path]> }[keyof MetadataFields<E>];

type MetadataFilter<Path extends string, Value> =
  | { readonly fieldName: `metadata.${Path}`; readonly operator: OneOrMore; readonly value: Value | readonly Value[] }
  | { readonly fieldName: `metadata.${Path}`; readonly operator: TextTest; readonly value: string }
  | { readonly fieldName: `metadata.${Path}`; readonly operator: OperatorOf<"isSet">; readonly value?: null | undefined };

/** A measure of events, or of a field with the required type. */
export type TypedMeasure<E> =
  | Extract<TrendMeasure, { readonly field?: null | undefined }>
  | { readonly type: "unique_values"; readonly field: TypedField<E> }
  | { readonly type: NumericMeasureType; readonly field: "value" | `metadata.${NumericPath<E>}` };

interface EventSlots<E> {
  readonly eventName: keyof E & string;
  readonly filterGroups: readonly { readonly filters: readonly TypedFilter<E>[] }[];
  readonly metadataField: MetadataPath<E>;
  /** Of a breakdown. */
  readonly fields: readonly TypedField<E>[];
  /** Of paths. */
  readonly node: TypedField<E>;
}

/** The input of a query, limited to the events, metadata filters and fields of `E`. */
export type Typed<E, Input> = Input extends readonly (infer Item)[]
  ? readonly Typed<E, Item>[]
  : Input extends object
    ? { readonly [Key in keyof Input]: TypedMember<E, Key, Input[Key]> }
    : Input;

/** Types that contain no name of an event or field, whatever their key. */
type Plain = number | boolean | Date | null | undefined;

type TypedMember<E, Key, Member> = [Member] extends [Plain]
  ? Member
  : Key extends keyof EventSlots<E>
    ? EventSlots<E>[Key] | Extract<Member, null | undefined>
    : [Key, Member] extends ["field", QualifiedFieldName | Plain]
      ? TypedField<E> | Extract<Member, null | undefined>
    : [Member] extends [string | Plain]
      ? Member
      : [Member] extends [TrendMeasure | Plain]
        ? TypedMeasure<E> | Extract<Member, null | undefined>
        : Typed<E, Member>;

/** An event with one of the names of `E` and its metadata, which may be left out if it has no required member. */
export type TypedEvent<E extends Events> = {
  [Name in keyof E & string]: Omit<EventInput, "name" | "metadata"> & { readonly name: Name } & WithMetadata<E[Name]>;
}[keyof E & string];

type WithMetadata<Metadata extends object> = Record<never, never> extends Metadata ? { readonly metadata?: Metadata | null | undefined } : { readonly metadata: Metadata };

/**
 * A Daybook whose events, filters and fields the compiler checks: the same methods, but all names must exist.
 * @typeParam S the metadata of events as it is stored, which queries name
 */
export type TypedDaybook<E extends Events, D = Daybook, S extends Events = E> = Omit<D, keyof TypedMethods<E>> & TypedMethods<E, S>;

/** The methods that differ from those of `Daybook`. */
export interface TypedMethods<E extends Events, S extends Events = E> {
  /** As `Daybook.track`, with a known event; with a check, events that fail it go to `onError` as `invalid_event`, or are reported. */
  track(event: TypedEvent<E>, options?: TrackOptions): void;
  /** As `Daybook.ingest`; with a check, events that fail it are returned in `rejected` as `invalid_event`, or are reported. */
  ingest(events: readonly TypedEvent<E>[], options?: IngestOptions): Promise<IngestResult>;
  /** As `Daybook.countEvents`. */
  countEvents(input?: Typed<S, CountEventsInput>, options?: QueryOptions): Promise<number>;
  /** As `Daybook.countEventsPerDay`. */
  countEventsPerDay(input?: Typed<S, PerDayInput>, options?: QueryOptions): Promise<readonly PerDayItem[]>;
  /** As `Daybook.countEventsRunningTotalPerDay`. */
  countEventsRunningTotalPerDay(input?: Typed<S, PerDayInput>, options?: QueryOptions): Promise<readonly PerDayItem[]>;
  /** As `Daybook.countUniqueUsers`. */
  countUniqueUsers(input?: Typed<S, UniqueUsersInput>, options?: QueryOptions): Promise<number>;
  /** As `Daybook.countUniqueUsersPerDay`. */
  countUniqueUsersPerDay(input?: Typed<S, UniqueUsersPerDayInput>, options?: QueryOptions): Promise<readonly PerDayItem[]>;
  /** As `Daybook.aggregate`; `metadataField` is a key of some event. */
  aggregate(input: Typed<S, AggregateInput>, options?: QueryOptions): Promise<readonly AggregateItem[]>;
  /** As `Daybook.searchEvents`, with records only. */
  searchEvents(input: Typed<S, SearchEventsInput> & { readonly allFields: false }, options?: QueryOptions): Promise<SearchEventsPage<EventRecord>>;
  /** As `Daybook.searchEvents`. Its metadata has no type, because it also finds events stored before the shapes existed. */
  searchEvents(input?: Typed<S, SearchEventsInput>, options?: QueryOptions): Promise<SearchEventsPage>;
  /** As `Daybook.trend`; sums, averages and percentiles require numeric fields. */
  trend(input?: Typed<S, TrendInput>, options?: QueryOptions): Promise<Trend>;
  /** As `Daybook.funnel`. */
  funnel(input: Typed<S, FunnelInput>, options?: QueryOptions): Promise<Funnel>;
  /** As `Daybook.retention`. */
  retention(input?: Typed<S, RetentionInput>, options?: QueryOptions): Promise<Retention>;
  /** As `Daybook.lifecycle`. */
  lifecycle(input?: Typed<S, LifecycleInput>, options?: QueryOptions): Promise<Lifecycle>;
  /** As `Daybook.stickiness`. */
  stickiness(input?: Typed<S, StickinessInput>, options?: QueryOptions): Promise<Stickiness>;
  /** As `Daybook.paths`. */
  paths(input?: Typed<S, PathsInput>, options?: QueryOptions): Promise<Paths>;
  /** As `Daybook.sessionsOverview`. */
  sessionsOverview(input?: Typed<S, SessionsOverviewInput>, options?: QueryOptions): Promise<SessionsOverview>;
  /** As `Daybook.webOverview`. */
  webOverview(input?: Typed<S, WebOverviewInput>, options?: QueryOptions): Promise<WebOverview>;
  /** As `Daybook.segments`. */
  readonly segments: TypedSegments<S>;
}

/** As `Segments`, with known events only. */
export interface TypedSegments<E extends Events> extends Omit<Segments, "put"> {
  /** As `Segments.put`. */
  put(name: string, segment: Typed<E, PeopleSegment>): Promise<SavedSegment>;
}
