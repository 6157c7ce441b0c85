import { parameterError } from "../../core/base/errors.js";
import { parseJsonText } from "../../core/base/json-text.js";
import { LIMITS } from "../../core/base/limits.js";
import { placesOfColumns, type ColumnPlace } from "../../core/schema/fields.js";
import type { EventInput } from "../../core/schema/event.js";

/** The value of a row in the form of an event's member; null if not set. */
export type ReadValue = (row: number) => unknown;

/** What a column of a file sets: a member of the event, or else a key of its metadata. */
export interface ColumnTarget extends ColumnPlace {
  /** True for `createdAt`, whose instants become epoch ms; those of other columns become ISO text. */
  readonly isTime: boolean;
}

/** A column of some rows, and what its values set. */
export interface EventColumn extends ColumnTarget {
  readonly read: ReadValue;
}

/**
 * What columns set, by their names.
 * @param source of the columns, for the error
 * @throws invalid_parameter (names that are empty, duplicate or nearly those of members)
 */
export function placesOf(names: readonly string[], source: "bytes" | "file"): ColumnTarget[] {
  try {
    return placesOfColumns(names).map((place) => ({ ...place, isTime: place.member === "createdAt" }));
  } catch (cause) {
    throw parameterError("invalid_parameter", source, cause instanceof Error ? cause.message : String(cause));
  }
}

export function eventAt(columns: readonly EventColumn[], row: number): EventInput {
  const event: Record<string, unknown> = {};
  const keys: [string, unknown][] = [];
  for (const { member, key, read } of columns) {
    const value = read(row);
    if (value === null) continue;
    if (member !== null) event[member] = value;
    else keys.push([key, value]);
  }
  if (keys.length > 0) event["metadata"] = withKeys(event["metadata"], keys);
  // `ingest` checks whether it is a valid event.
  return event as Partial<EventInput> as EventInput;
}

function withKeys(metadata: unknown, keys: readonly [string, unknown][]): unknown {
  if (metadata === undefined) return Object.fromEntries(keys);
  if (typeof metadata !== "object" || metadata === null) return metadata;
  return Object.fromEntries([...Object.entries(metadata), ...keys]);
}

/** Parses JSON text. Text that is no JSON, or longer than metadata may be, stays text, and `ingest` rejects it. */
export function jsonOf(value: unknown): unknown {
  if (typeof value !== "string" || value.length > LIMITS.metadataBytes) return value;
  try {
    return parseJsonText(value);
  } catch {
    return value;
  }
}

/** Converts a 64-bit integer to a number; beyond 2^53 to text. */
export function integerOf(value: unknown): unknown {
  if (typeof value !== "bigint") return value;
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : String(value);
}

/** Marks a text column whose values are JSON: the canonical extension type `arrow.json`, as field metadata. */
export const JSON_MARK: readonly [key: string, value: string] = ["ARROW:extension:name", "arrow.json"];
