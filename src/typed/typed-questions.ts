import type { FieldName, KnownFieldName, QualifiedFieldName } from "../plan/field-names.js";
import type { NumericMeasureType, TrendMeasure } from "../plan/insights/input.js";
import type { FilterOperator, OperatorOf } from "../plan/filters/operators.js";

/** What the events of a `Daybook` are: names, each with its metadata. */
export type Events = Readonly<Record<string, object>>;

/** Each path with dots into an object, of at most five keys, with what is there; a list is one value, and so is `any`. */
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

/** Nothing but `any` takes in what is not there to be had. */
type IsAny<T> = 0 extends 1 & T ? true : false;

/** Each path that some event has, with what any of them has there. Pairs go in once: to look each path up in each event is quadratic. */
type MetadataFields<E> = { [Pair in { [Name in keyof E]: PairsOf<E[Name]> }[keyof E] as Pair[0]]: Pair[1] };

/** Keys of the metadata of any of the events, and paths into their objects. */
export type MetadataPath<E> = keyof MetadataFields<E>;

type NumericPath<E> = { [Path in keyof MetadataFields<E>]: MetadataFields<E>[Path] extends number ? Path : never }[keyof MetadataFields<E>];

/** What is no metadata: fields of events, and what is known of people, of companies and of who brought them. */
type OtherField = FieldName | KnownFieldName;

/** A field, or a metadata key that some event has. */
export type TypedField<E> = OtherField | `metadata.${MetadataPath<E>}`;

type OneOrMore = OperatorOf<"equals" | "in" | ">" | ">=" | "<" | "<=" | "between">;
type TextTest = OperatorOf<"contains" | "startsWith" | "endsWith" | "regex">;

/** A filter whose field is known, and whose value is one that the field can have. */
export type TypedFilter<E> =
  | { readonly fieldName: OtherField; readonly operator: FilterOperator; readonly value?: unknown }
  | { [Path in keyof MetadataFields<E>]: MetadataFilter<Path, MetadataFields<E>[Path]> }[keyof MetadataFields<E>];

type MetadataFilter<Path extends string, Value> =
  | { readonly fieldName: `metadata.${Path}`; readonly operator: OneOrMore; readonly value: Value | readonly Value[] }
  | { readonly fieldName: `metadata.${Path}`; readonly operator: TextTest; readonly value: string }
  | { readonly fieldName: `metadata.${Path}`; readonly operator: OperatorOf<"isSet">; readonly value?: null | undefined };

/** A measure of events, or of a field that holds what it needs. */
export type TypedMeasure<E> =
  | Extract<TrendMeasure, { readonly field?: null | undefined }>
  | { readonly type: "unique_values"; readonly field: TypedField<E> }
  | { readonly type: NumericMeasureType; readonly field: "value" | `metadata.${NumericPath<E>}` };

/** The members of questions that name events or what they hold. */
interface EventSlots<E> {
  readonly eventName: keyof E & string;
  readonly filterGroups: readonly { readonly filters: readonly TypedFilter<E>[] }[];
  readonly metadataField: MetadataPath<E>;
  /** Of a breakdown. */
  readonly fields: readonly TypedField<E>[];
  /** Of paths. */
  readonly node: TypedField<E>;
}

/** The input of a question, of which events, metadata filters and fields are those of `E`. */
export type Typed<E, Input> = Input extends readonly (infer Item)[]
  ? readonly Typed<E, Item>[]
  : Input extends object
    ? { readonly [Key in keyof Input]: TypedMember<E, Key, Input[Key]> }
    : Input;

/** What holds no name of an event or field, by whatever key. */
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
