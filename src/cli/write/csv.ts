import type { ExportedEvent } from "../../schema/exported-event.js";
import { FIELDS } from "../../schema/fields.js";

const COLUMNS = ["id", "createdAt", ...FIELDS.map((field) => field.camel), "metadata"];

const WITH_IDENTITY_IDS = [...COLUMNS, "identityId"];

/** The header line of an exported CSV file. */
export function csvHeader(withIdentityIds: boolean): string {
  return `${(withIdentityIds ? WITH_IDENTITY_IDS : COLUMNS).join(",")}\r\n`;
}

/** One event as an RFC 4180 record; not-set fields are empty, metadata is JSON. `import --format csv` reads it back. */
export function csvLine(event: ExportedEvent, withIdentityIds: boolean): string {
  const values: Readonly<Record<string, unknown>> = { ...event };
  return `${(withIdentityIds ? WITH_IDENTITY_IDS : COLUMNS).map((column) => quoted(cellText(values[column]))).join(",")}\r\n`;
}

function cellText(value: unknown): string {
  if (value === undefined || value === null) return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

function quoted(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
