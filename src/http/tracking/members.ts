import { digitsOf } from "../../core/base/json-text.js";

export type JsonObject = Readonly<Record<string, unknown>>;

/** An object as it is; `{}` for anything else. */
export function objectOf(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Text of at least one character; null for anything else. */
export function textOf(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}

/** An id as text, also if it was sent as a number; null for anything else. */
export function idOf(value: unknown): string | null {
  return typeof value === "number" && Number.isFinite(value) ? digitsOf(value) : textOf(value);
}

/** All members except the named ones. */
export function without(members: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(members).filter(([name]) => !names.includes(name)));
}

/** Screen size in pixels, as `WIDTHxHEIGHT`; null if either is no number. */
export function screenOf(width: unknown, height: unknown): string | null {
  return typeof width === "number" && typeof height === "number" ? `${width}x${height}` : null;
}
