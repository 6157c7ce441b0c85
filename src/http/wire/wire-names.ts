import { z } from "zod";
import { bare } from "../shapes/check-shape.js";

/** A camelCase name in snake_case, as on the wire. */
export function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** A name of the wire in camelCase. */
export function camelCase(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** Path parts that callers name themselves. */
const NAMED_BY_CALLERS = /^(segments\.)([^.[]*)/;

/** A parameter path as on the wire: `segments.MyOwn.groups[0].conditions[0].at_least`. */
export function wireParam(path: string): string {
  const [named = "", segments = "", name = ""] = NAMED_BY_CALLERS.exec(path) ?? [];
  return `${segments}${name}${snakeCase(path.slice(named.length))}`;
}

/** Converts all names in an answer to names of the wire, at every level; not for values with names that callers chose. */
export function wireNames(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(wireNames);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [snakeCase(name), wireNames(member)]));
}

/**
 * Converts a body that passed its schema to input of the library: members in camelCase, at every level that the schema describes.
 * Names that callers chose, and values that the schema does not describe, stay unchanged.
 */
export function libraryInput(schema: z.ZodType, body: unknown): unknown {
  const kind = bare(schema);
  if (kind instanceof z.ZodArray) return Array.isArray(body) ? body.map((item) => libraryInput(kind.element as z.ZodType, item)) : body;
  if (typeof body !== "object" || body === null) return body;
  if (kind instanceof z.ZodRecord) return membersOf(body, (name, value) => [name, libraryInput(kind.valueType as z.ZodType, value)]);
  if (!(kind instanceof z.ZodObject)) return body;
  const shape = new Map(Object.entries(kind.shape as Readonly<Record<string, z.ZodType>>));
  return membersOf(body, (name, value) => {
    const member = shape.get(name);
    // A body may have unknown members if they are null, which counts as absent.
    return member === undefined ? null : [camelCase(name), libraryInput(member, value)];
  });
}

function membersOf(body: object, member: (name: string, value: unknown) => readonly [string, unknown] | null): object {
  return Object.fromEntries(Object.entries(body).flatMap(([name, value]) => [member(name, value)].filter((each) => each !== null)));
}
