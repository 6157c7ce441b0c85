import { z } from "zod";
import { unwrap } from "../shapes/check-shape.js";
import { camelCase } from "./wire-names.js";

/**
 * Converts a body that passed its schema to input of the library: members in camelCase, at every level that the schema describes.
 * Names that callers chose, and values that the schema does not describe, stay unchanged.
 */
export function libraryInput(schema: z.ZodType, body: unknown): unknown {
  const kind = unwrap(schema);
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
  return Object.fromEntries(Object.entries(body).flatMap(([name, value]) => [member(name, value)].filter((entry) => entry !== null)));
}
