import type { FieldName, KnownFieldName, QualifiedFieldName } from "../query/plan/field-names.js";
import type { NumericMeasureType, TrendMeasure } from "../query/plan/insights/input.js";
import type { FilterOperator, OperatorOf } from "../query/plan/filters/operators.js";

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

/** Members of queries that name events or their content. */
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
