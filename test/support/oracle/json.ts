import { scaled } from "./decimal.js";

/** False for what counts as no value: a missing key, null, "", and arrays that hold nothing else. */
export function isSet(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(isSet);
  return value !== undefined && value !== null && value !== "";
}

/** What a comparison looks at: the set elements of an array, else the value itself where it is set. */
export function candidatesOf(value: unknown): unknown[] {
  const values: unknown[] = Array.isArray(value) ? value.flat(Infinity) : [value];
  return values.filter(isSet);
}

/** Strings verbatim, numbers and booleans as JSON text, anything else null: what text operators see. */
export function textOf(value: unknown): string | null {
  if (typeof value === "string") return value;
  return typeof value === "number" || typeof value === "boolean" ? JSON.stringify(value) : null;
}

/** The double nearest to what a text in JSON number form stands for, else null. */
export function jsonNumberOf(text: string): number | null {
  return /^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$/.test(text) ? Number(text) : null;
}

/** The same exactly: beyond 2^53 a whole number with all of its digits, a double being the number that it is printed as. */
export function exactNumberOf(text: string): number | bigint | null {
  const number = jsonNumberOf(text);
  if (number === null || Math.abs(number) < 2 ** 53 || Math.abs(number) === Infinity) return number;
  return /^-?[0-9]+$/.test(text) ? BigInt(text) : scaled(number, 0);
}

/** JSON text without blanks, the keys of every object sorted. */
export function canonicalJsonOf(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJsonOf).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).sort(([a], [b]) => byCodePoint(a, b));
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${canonicalJsonOf(member)}`).join(",")}}`;
}

/** Orders strings by their Unicode code points. */
export function byCodePoint(a: string, b: string): number {
  const [left, right] = [[...a], [...b]];
  const at = left.findIndex((character, index) => character !== right[index]);
  if (at === -1) return left.length - right.length;
  return (left[at]?.codePointAt(0) ?? 0) - (right[at]?.codePointAt(0) ?? -1);
}

/** What `aggregate` counts a value under: its texts, numbers and booleans as JSON text, objects canonical, `""` where not set. */
export function propertiesOf(value: unknown): Set<string> {
  const properties = candidatesOf(value).map((candidate) => textOf(candidate) ?? canonicalJsonOf(candidate));
  return new Set(properties.length === 0 ? [""] : properties);
}

/** A member that an object has itself. */
export function memberOf(value: unknown, key: string): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  return Object.getOwnPropertyDescriptor(value, key)?.value;
}

/** What stands at a path: the literal key where there is one, else a walk through nested objects at the dots. */
export function valueAt(value: object, path: string): unknown {
  if (Object.hasOwn(value, path)) return memberOf(value, path);
  return path.split(".").reduce<unknown>(memberOf, value);
}
