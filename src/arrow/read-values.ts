import { DataType } from "apache-arrow";
import type { Vector } from "apache-arrow";
import { parameterError } from "../base/errors.js";
import { integerOf, jsonOf } from "./event-columns.js";
import type { ReadValue } from "./event-columns.js";

/** How the columns of one field are read, batch by batch. */
export type ReaderOf = (column: Vector) => ReadValue;

/** What an instant becomes: a number of epoch ms, or ISO text. */
export type InstantForm = "ms" | "text";

/** @throws invalid_parameter when events cannot have values of this type */
export function valueReader(name: string, type: DataType, instants: InstantForm): ReaderOf {
  const convert = converter(name, type, instants);
  if (!DataType.isDictionary(type)) return (column) => (row) => valueOf(convert, column.get(row));
  // Each text of a dictionary is decoded once, however many rows have it.
  const texts = new WeakMap<Vector, unknown[]>();
  return (column) => {
    const [data] = column.data;
    const dictionary = data?.dictionary;
    if (data === undefined || dictionary === undefined) return () => null;
    let values = texts.get(dictionary);
    if (values === undefined) {
      values = Array.from(dictionary, (value) => valueOf(convert, value));
      texts.set(dictionary, values);
    }
    const known = values;
    const indexes = data.values as ArrayLike<number | bigint>;
    return (row) => (data.getValid(row) ? (known[Number(indexes[row])] ?? null) : null);
  };
}

/** Text as the JSON it holds; text that is none stays text. A struct or map is the object it is. */
export function jsonReader(name: string, type: DataType): ReaderOf {
  const read = valueReader(name, type, "text");
  return (column) => {
    const value = read(column);
    return (row) => jsonOf(value(row));
  };
}

type Convert = (value: unknown) => unknown;

function valueOf(convert: Convert, value: unknown): unknown {
  return value === null || value === undefined ? null : convert(value);
}

const asIs: Convert = (value) => value;

function converter(name: string, type: DataType, instants: InstantForm): Convert {
  if (DataType.isDictionary(type)) return converter(name, type.dictionary as DataType, instants);
  if (DataType.isInt(type)) return integerOf;
  if (DataType.isTimestamp(type) || DataType.isDate(type)) return instants === "ms" ? asIs : isoText;
  if (DataType.isStruct(type)) {
    const members = type.children.map((child) => [child.name, converter(`${name}.${child.name}`, child.type, "text")] as const);
    return (value) =>
      Object.fromEntries(members.map(([key, convert]) => [key, valueOf(convert, (value as Record<string, unknown>)[key])]));
  }
  if (DataType.isMap(type)) {
    const convert = converter(name, type.valueType as DataType, "text");
    return (value) => Object.fromEntries([...(value as Iterable<[string, unknown]>)].map(([key, item]) => [key, valueOf(convert, item)]));
  }
  if (DataType.isList(type) || DataType.isLargeList(type) || DataType.isFixedSizeList(type)) {
    const convert = converter(name, type.valueType as DataType, "text");
    return (value) => Array.from(value as Iterable<unknown>, (item) => valueOf(convert, item));
  }
  const isPlain =
    DataType.isNull(type) || DataType.isBool(type) || DataType.isFloat(type) || DataType.isUtf8(type) ||
    DataType.isLargeUtf8(type) || DataType.isUtf8View(type);
  if (isPlain) return asIs;
  throw parameterError("invalid_parameter", "bytes", `column ${name}: events cannot have values of type ${String(type)}; write them as numbers or text`);
}

/** An instant that no date can hold stays a number. */
function isoText(value: unknown): unknown {
  const date = new Date(value as number);
  return Number.isNaN(date.getTime()) ? value : date.toISOString();
}
