import { compareCodePoints } from "../../core/base/order.js";

/** `url` up to the first `?` or `#`. */
export function pathOf(url: string): string {
  const end = url.search(/[?#]/);
  return end === -1 ? url : url.slice(0, end);
}

/** The value at a path of object keys; undefined if a key is missing or a value on the way is no object. */
export function walk(value: unknown, segments: readonly string[]): unknown {
  let current = value;
  for (const segment of segments) {
    if (!isObject(current) || !Object.hasOwn(current, segment)) return undefined;
    current = current[segment];
  }
  return current;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether a JSON value is set: not missing, null, `""`, nor an array without an element that is set. */
export function isSetJson(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(isSetJson);
  return value !== undefined && value !== null && value !== "";
}

/**
 * The distinct properties under which an aggregate counts a JSON value: texts as they are, numbers and booleans as JSON text, objects as
 * canonical JSON, an array once per distinct element that is set; `[""]` for not set.
 */
export function propertiesOf(value: unknown): readonly string[] {
  if (!isSetJson(value)) return [""];
  if (!Array.isArray(value)) return [propertyOf(value)];
  const distinct = new Set<string>();
  for (const element of value.filter(isSetJson)) {
    for (const property of propertiesOf(element)) distinct.add(property);
  }
  return [...distinct];
}

/** The label of a whole JSON value: its property, or the canonical JSON of an array; `""` for not set. */
export function labelOf(value: unknown): string {
  return isSetJson(value) ? propertyOf(value) : "";
}

function propertyOf(value: unknown): string {
  return typeof value === "string" ? value : canonicalJson(value);
}

/** JSON without white space, with the keys of every object sorted by code point. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const keys = Object.keys(value).sort(compareCodePoints);
  return `{${keys.map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key])}`).join(",")}}`;
}
