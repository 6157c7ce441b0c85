import { parameterError, shown } from "../core/base/errors.js";

/** An input with its dates as text, those of its segments included. @throws invalid_parameter, invalid_date */
export function queryOf(input: unknown): object {
  const given = input ?? {};
  if (!isObject(given)) throw parameterError("invalid_parameter", "input", `expected an object, got ${shown(given)}`);
  const members = withDates(given, "");
  const { segments } = members;
  if (!isObject(segments)) return members;
  return { ...members, segments: Object.fromEntries(Object.entries(segments).map(([name, segment]) => [name, segmentOf(segment, `segments.${name}.`)])) };
}

/** A segment with the dates of its conditions as text. @param path prefix of its members. @throws invalid_date */
export function segmentOf(segment: unknown, path: string): unknown {
  return withItems(segment, "groups", path, (group, place) =>
    withItems(group, "conditions", place, (condition, at) => (isObject(condition) ? withDates(condition, at) : condition)),
  );
}

/** Changes each item of a list that is a member of a value; a value without such a list stays unchanged. */
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

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return Object.prototype.toString.call(value) === "[object Object]";
}

/** A name of the wire, or a path of such names, in camelCase. */
export function camelCase(path: string): string {
  return path.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** Converts all names in an answer of the wire to names of the library; not for values with names that callers chose. */
export function libraryNames(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(libraryNames);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [camelCase(name), libraryNames(member)]));
}

/** Converts all names in a request to names of the wire; not for values with names that callers chose. */
export function wireNames(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(wireNames);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), wireNames(member)]));
}
