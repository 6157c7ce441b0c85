import type { SchemaElement, SchemaTree } from "hyparquet";
import { integerOf, jsonOf } from "../arrow/event-columns.js";
import type { Place } from "../arrow/event-columns.js";
import { parameterError } from "../base/errors.js";
import { createdAtOf } from "../schema/moment.js";

/** What the value of a row becomes; null: it is not set. */
export type Convert = (value: unknown) => unknown;

/** Digits of a decimal number that a double holds exactly. */
const EXACT_DIGITS = 15;

/** How values of a column become those of an event. @throws invalid_parameter when events cannot have values of its type */
export function valueReader(tree: SchemaTree, { member, isTime }: Place): Convert {
  refuseTypes(tree, tree.path.join("."));
  const convert: Convert = isTime ? (value) => (value instanceof Date ? createdAtOf(value.getTime()) : valueOf(value)) : valueOf;
  const isJson = member === "metadata" || (member === null && isJsonText(tree.element));
  return isJson ? (value) => jsonOf(convert(value)) : convert;
}

function isJsonText({ logical_type: logical, converted_type: converted }: SchemaElement): boolean {
  return logical?.type === "JSON" || converted === "JSON";
}

/** A value as JSON has it: instants are ISO text, those that no date can hold are not set. */
function valueOf(value: unknown): unknown {
  if (value === null || value === undefined) return null;
  if (typeof value !== "object") return integerOf(value);
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  if (Array.isArray(value) || ArrayBuffer.isView(value)) return Array.from(value as Iterable<unknown>, valueOf);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, valueOf(item)]));
}

function refuseTypes({ element, children }: SchemaTree, name: string): void {
  const refused = children.length > 0 ? null : refusedType(element);
  if (refused !== null)
    throw parameterError("invalid_parameter", "file", `column ${name}: events cannot have values of type ${refused}; write them as numbers or text`);
  for (const child of children) refuseTypes(child, `${name}.${child.element.name}`);
}

/** The name of a type that is neither number, text, instant, true or false; null for others. */
function refusedType({ type, converted_type: converted, logical_type: logical, precision = 0 }: SchemaElement): string | null {
  if (converted === "DECIMAL" || logical?.type === "DECIMAL") return precision > EXACT_DIGITS ? `DECIMAL of ${precision} digits` : null;
  if (logical?.type === "TIME" || converted === "TIME_MILLIS" || converted === "TIME_MICROS") return "TIME";
  if (converted === "INTERVAL" || converted === "BSON") return converted;
  if (logical?.type === "GEOMETRY" || logical?.type === "GEOGRAPHY") return logical.type;
  return type === "FIXED_LEN_BYTE_ARRAY" && logical?.type !== "UUID" && logical?.type !== "FLOAT16" ? "FIXED_LEN_BYTE_ARRAY" : null;
}
