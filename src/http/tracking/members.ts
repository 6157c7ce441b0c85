import { digitsOf } from "../../base/json-text.js";

export type JsonObject = Readonly<Record<string, unknown>>;

/** An object as it is; for anything else one without members. */
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

/** An id as text: senders have numbers too. Null for anything else. */
export function idOf(value: unknown): string | null {
  return typeof value === "number" && Number.isFinite(value) ? digitsOf(value) : textOf(value);
}

/** All members but these. */
export function without(members: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(members).filter(([name]) => !names.includes(name)));
}

/** As screens are told: width and height in pixels; null where one of them is no number. */
export function screenOf(width: unknown, height: unknown): string | null {
  return typeof width === "number" && typeof height === "number" ? `${width}x${height}` : null;
}
