import { createHash } from "node:crypto";
import { uuidText } from "../../core/base/uuid.js";
import type { EventInput } from "../../core/schema/event.js";
import { withoutIdentityId } from "./identity-id.js";
import type { ImportRow } from "./row.js";

/**
 * The id of a row without one: a UUID (version 8) from set name, line number and the line itself.
 * Importing a file twice adds nothing, and two files of one name do not hide each other's rows.
 */
export function rowId(set: string, line: number, text: string): string {
  const bytes = createHash("sha256").update(`row\0${set}\0${line}\0${text}`).digest();
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x80;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return uuidText(bytes);
}

/** A row of a columnar file, with an id where it has none. */
export function rowOf(read: EventInput, set: string, line: number): ImportRow {
  const event = withoutIdentityId(read);
  if (event.createdAt === undefined) return { line, reason: NO_TIME };
  return { line, event: event.id === undefined || event.id === null ? { ...event, id: rowId(set, line, JSON.stringify(event)) } : event };
}

/** Without a time the event would get that of the import. */
export const NO_TIME = "createdAt: expected a time, got none";
