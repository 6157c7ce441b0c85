import { parameterError, shown } from "../core/base/errors.js";

/** Converts the dates of an input, including those of its segments, to text. @throws invalid_parameter, invalid_date */
export function queryOf(input: unknown): object {
  const members = withDates(requireObject(input ?? {}), "");
  const { segments } = members;
  if (!isObject(segments)) return members;
  return { ...members, segments: Object.fromEntries(Object.entries(segments).map(([name, segment]) => [name, segmentOf(segment, `segments.${name}.`)])) };
}

/** Converts the dates of a segment's conditions to text. @param path prefix of its members. @throws invalid_date */
export function segmentOf(segment: unknown, path: string): unknown {
  return withItems(segment, "groups", path, (group, place) =>
    withItems(group, "conditions", place, (condition, at) => (isObject(condition) ? withDates(condition, at) : condition)),
  );
}

/** Maps the items of a list member; a value without that list stays unchanged. */
function withItems(value: unknown, name: string, path: string, change: (item: unknown, path: string) => unknown): unknown {
  const list: unknown = isObject(value) ? value[name] : null;
  if (!Array.isArray(list)) return value;
  return { ...(value as object), [name]: Array.from(list, (item: unknown, at) => change(item, `${path}${name}[${at}].`)) };
}

function withDates(members: Readonly<Record<string, unknown>>, path: string): Record<string, unknown> {
  const changed: Record<string, unknown> = { ...members };
  for (const name of ["startDate", "endDate"]) if (changed[name] instanceof Date) changed[name] = dateText(changed[name], `${path}${name}`);
  return changed;
}

function dateText(date: Date, param: string): string {
  if (Number.isNaN(date.getTime())) throw parameterError("invalid_date", param, "expected a date, got an invalid Date");
  return date.toISOString();
}

/** @throws invalid_parameter */
export function requireObject(input: unknown): Readonly<Record<string, unknown>> {
  if (isObject(input)) return input;
  throw parameterError("invalid_parameter", "input", `expected an object, got ${shown(input)}`);
}

/** Whether a text may become a part of a path: others could change it. */
export function isPathPart(text: unknown): text is string {
  return typeof text === "string" && /^[\w-]{1,100}$/.test(text);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return Object.prototype.toString.call(value) === "[object Object]";
}

export function camelCase(path: string): string {
  return path.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** Converts all wire names in an answer to the library's names; not for values with names that callers chose. */
export function libraryNames(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(libraryNames);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [camelCase(name), libraryNames(member)]));
}

/** Converts all of the library's names in a request to wire names; not for values with names that callers chose. */
export function wireNames(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(wireNames);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), wireNames(member)]));
}
