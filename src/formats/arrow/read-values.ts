import {
  DataType, Vector, Binary, BinaryView, Data, Dictionary, Field, FixedSizeList, LargeBinary, LargeList, List, Map_, Struct,
} from "apache-arrow";
import { parameterError } from "../../core/base/errors.js";
import { createdAtOf } from "../../core/schema/instant.js";
import { integerOf, jsonOf, type ReadValue } from "./event-columns.js";
import type { ValueRoom } from "./value-room.js";

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Decodes text exactly: the library drops a leading byte order mark and replaces invalid UTF-8 with U+FFFD. @throws TypeError */
function textOf(bytes: unknown): string {
  return decoder.decode(bytes as Uint8Array);
}

function isText(type: DataType): boolean {
  return DataType.isUtf8(type) || DataType.isLargeUtf8(type) || DataType.isUtf8View(type);
}

/** The same column with bytes instead of texts, at any depth; shares the buffers. */
function withTextBytes(column: Vector): Vector {
  return new Vector(column.data.map(dataWithBytes));
}

function dataWithBytes(data: Data): Data {
  const { type, offset, length, nullCount, children, variadicBuffers } = data;
  const inner = children.map(dataWithBytes);
  const dictionary = data.dictionary === undefined ? undefined : withTextBytes(data.dictionary);
  return new Data(typeWithBytes(type), offset, length, nullCount, data, inner, dictionary, variadicBuffers);
}

function typeWithBytes(type: DataType): DataType {
  if (DataType.isUtf8(type)) return new Binary();
  if (DataType.isLargeUtf8(type)) return new LargeBinary();
  if (DataType.isUtf8View(type)) return new BinaryView();
  if (DataType.isDictionary(type)) return new Dictionary(typeWithBytes(type.dictionary as DataType), type.indices, type.id, type.isOrdered);
  if (DataType.isStruct(type)) return new Struct(type.children.map(fieldWithBytes));
  if (DataType.isList(type)) return new List(fieldWithBytes(type.children[0] as Field));
  if (DataType.isLargeList(type)) return new LargeList(fieldWithBytes(type.children[0] as Field));
  if (DataType.isFixedSizeList(type)) return new FixedSizeList(type.listSize, fieldWithBytes(type.children[0] as Field));
  if (DataType.isMap(type)) return new Map_(fieldWithBytes(type.children[0] as Field) as ConstructorParameters<typeof Map_>[0], type.keysSorted);
  return type;
}

function fieldWithBytes(field: Field): Field {
  return new Field(field.name, typeWithBytes(field.type as DataType), field.nullable, field.metadata);
}

/** Makes the reader of a field's column in one batch. */
export type ReaderOf = (column: Vector) => ReadValue;

/** The form of an instant: epoch ms as events accept it, or ISO text. */
export type InstantForm = "ms" | "text";

/** Estimated bytes of a number or flag as JSON. */
const SCALAR_BYTES = 4;

/** Reads values as events accept them. @param room that counts their bytes @throws invalid_parameter (a type that events cannot have) */
export function valueReader(name: string, type: DataType, instants: InstantForm, room: ValueRoom): ReaderOf {
  return readerOf(type, converter(name, type, instants, room), room);
}

/** Reads text as the JSON it contains; other text stays text. A struct or map is already an object. */
export function jsonReader(name: string, type: DataType, room: ValueRoom): ReaderOf {
  const convert = converter(name, type, "text", room);
  return readerOf(type, (value) => jsonOf(convert(value)), room);
}

type ConvertValue = (value: unknown) => unknown;

/** A value of a dictionary, and the bytes that each use of it counts for. */
interface DictionaryValue {
  readonly value: unknown;
  readonly byteLength: number;
}

function readerOf(type: DataType, convert: ConvertValue, room: ValueRoom): ReaderOf {
  if (!DataType.isDictionary(type)) {
    return (column) => {
      const ofBytes = withTextBytes(column);
      return (row) => valueOf(convert, valueAt(ofBytes, row));
    };
  }
  // Converts each value of a dictionary once, however many rows have it.
  const known = new WeakMap<Vector, { readonly ofBytes: Vector; readonly values: Map<number, DictionaryValue> }>();
  return (column) => {
    const [data] = column.data;
    const dictionary = data?.dictionary;
    if (data === undefined || dictionary === undefined) return () => null;
    const { ofBytes, values } = known.get(dictionary) ?? { ofBytes: withTextBytes(dictionary), values: new Map<number, DictionaryValue>() };
    known.set(dictionary, { ofBytes, values });
    const indexes = data.values as ArrayLike<number | bigint>;
    return (row) => {
      const index = data.getValid(row) ? Number(indexes[row]) : -1;
      if (!(index >= 0 && index < dictionary.length)) return null;
      const met = values.get(index);
      if (met !== undefined) {
        room.take(met.byteLength);
        return met.value;
      }
      const before = room.byteLength;
      const value = valueOf(convert, valueAt(ofBytes, index));
      values.set(index, { value, byteLength: room.byteLength - before });
      return value;
    };
  };
}

/** The library throws for an instant beyond 2^53 ms. It becomes the text of its number, so that `ingest` rejects only its event. */
function valueAt(column: Vector, row: number): unknown {
  if (!DataType.isTimestamp(column.type) && !DataType.isDate(column.type)) return column.get(row);
  try {
    return column.get(row);
  } catch (cause) {
    const raw = rawAt(column, row);
    if (typeof raw === "bigint") return String(raw);
    throw cause;
  }
}

function rawAt(column: Vector, row: number): unknown {
  let at = row;
  for (const data of column.data) {
    if (at < data.length) return (data.values as ArrayLike<unknown>)[at];
    at -= data.length;
  }
  return null;
}

function valueOf(convert: ConvertValue, value: unknown): unknown {
  return value === null || value === undefined ? null : convert(value);
}

function converter(name: string, type: DataType, instants: InstantForm, room: ValueRoom): ConvertValue {
  const inner = (path: string, inside: DataType) => converter(path, inside, "text", room);
  const taken: ConvertValue = (value) => {
    room.take(typeof value === "string" ? value.length : SCALAR_BYTES);
    return value;
  };
  // An item without a value also takes time, and a byte or more as JSON.
  const itemOf = (convert: ConvertValue, item: unknown) => {
    room.take(1);
    return valueOf(convert, item);
  };
  if (DataType.isDictionary(type)) return converter(name, type.dictionary as DataType, instants, room);
  if (DataType.isInt(type)) return (value) => integerOf(taken(value));
  if (DataType.isTimestamp(type) || DataType.isDate(type)) return instants === "ms" ? (value) => createdAtOf(taken(value)) : (value) => isoText(taken(value));
  if (DataType.isStruct(type)) {
    const members = type.children.map((child) => [child.name, inner(`${name}.${child.name}`, child.type)] as const);
    return (value) => Object.fromEntries(members.map(([key, convert]) => [key, itemOf(convert, (value as Record<string, unknown>)[key])]));
  }
  if (DataType.isMap(type)) {
    const convert = inner(name, type.valueType as DataType);
    const keyOf = inner(name, type.keyType as DataType);
    const entry = ([key, item]: readonly [unknown, unknown]) => [keyOf(key) as string, itemOf(convert, item)] as const;
    return (value) => Object.fromEntries(Array.from(value as Iterable<[unknown, unknown]>, entry));
  }
  if (DataType.isList(type) || DataType.isLargeList(type) || DataType.isFixedSizeList(type)) {
    const convert = inner(name, type.valueType as DataType);
    return (value) => Array.from(value as Iterable<unknown>, (item) => itemOf(convert, item));
  }
  if (isText(type)) return (value) => taken(textOf(value));
  if (DataType.isNull(type) || DataType.isBool(type) || DataType.isFloat(type)) return taken;
  throw parameterError("invalid_parameter", "bytes", `column ${name}: events cannot have values of type ${String(type)}; write them as numbers or text`);
}

/** An instant out of the range of `Date` stays a number. */
function isoText(value: unknown): unknown {
  const date = new Date(value as number);
  return Number.isNaN(date.getTime()) ? value : date.toISOString();
}
