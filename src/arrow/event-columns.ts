import { parameterError } from "../base/errors.js";
import { parseJsonText } from "../base/json-text.js";
import { LIMITS } from "../base/limits.js";
import { placesOfColumns, type ColumnPlace } from "../schema/column-names.js";
import type { EventInput } from "../schema/event.js";

/** The value of a row as an event's member takes it; null where it is not set. */
export type ReadValue = (row: number) => unknown;

/** What a column of a file fills: a member of the event, or else a key of its metadata. */
export interface ColumnTarget extends ColumnPlace {
  /** Of an instant: it becomes epoch ms; any other becomes ISO text. */
  readonly isTime: boolean;
}

/** A column of some rows, and where its values go. */
export interface EventColumn extends ColumnTarget {
  readonly read: ReadValue;
}

/**
 * Where the values of columns go, by their names.
 * @param source what the error names
 * @throws invalid_parameter for names that are empty, doubled or nearly those of members
 */
export function placesOf(names: readonly string[], source: "bytes" | "file"): ColumnTarget[] {
  try {
    return placesOfColumns(names).map((place) => ({ ...place, isTime: place.member === "createdAt" }));
  } catch (cause) {
    throw parameterError("invalid_parameter", source, cause instanceof Error ? cause.message : String(cause));
  }
}

/** The event of a row. */
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
  // Whether it is an event, and a good one, is for `ingest` to say.
  return event as Partial<EventInput> as EventInput;
}

function withKeys(metadata: unknown, keys: readonly [string, unknown][]): unknown {
  if (metadata === undefined) return Object.fromEntries(keys);
  if (typeof metadata !== "object" || metadata === null) return metadata;
  return Object.fromEntries([...Object.entries(metadata), ...keys]);
}

/** Text as the JSON it holds; text that is none, or longer than metadata may be, stays text, for `ingest` to say so. */
export function jsonOf(value: unknown): unknown {
  if (typeof value !== "string" || value.length > LIMITS.metadataBytes) return value;
  try {
    return parseJsonText(value);
  } catch {
    return value;
  }
}

/** A 64-bit integer as a number; beyond 2^53 as text. */
export function integerOf(value: unknown): unknown {
  if (typeof value !== "bigint") return value;
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : String(value);
}
