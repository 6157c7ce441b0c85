import type { ExportedEvent } from "../../schema/exported-event.js";
import { FIELDS } from "../../schema/fields.js";

const COLUMNS = ["id", "createdAt", ...FIELDS.map((field) => field.camel), "metadata"];

const WITH_IDENTITY_IDS = [...COLUMNS, "identityId"];

/** The header line of an exported CSV file. */
export function csvHeader(withIdentityIds: boolean): string {
  return `${(withIdentityIds ? WITH_IDENTITY_IDS : COLUMNS).join(",")}\r\n`;
}

/** How events become CSV. */
export interface CsvRules {
  readonly withIdentityIds: boolean;
  /** True: texts stay as they are stored, also where a spreadsheet takes them for formulas. */
  readonly rawCells: boolean;
}

/** One event as an RFC 4180 record; not-set fields are empty, metadata is JSON. With raw cells `import --format csv` reads it back as it was. */
export function csvLine(event: ExportedEvent, { withIdentityIds, rawCells }: CsvRules): string {
  const values: Readonly<Record<string, unknown>> = { ...event };
  const cell = (value: unknown) => quoted(rawCells || typeof value !== "string" ? cellText(value) : withoutFormula(value));
  return `${(withIdentityIds ? WITH_IDENTITY_IDS : COLUMNS).map((column) => cell(values[column])).join(",")}\r\n`;
}

const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i;

/** The text behind an apostrophe where a spreadsheet would take it for a formula. A number is none. */
function withoutFormula(text: string): string {
  return /^[=+\-@\t\r\n]/.test(text) && !NUMBER.test(text) ? `'${text}` : text;
}

function cellText(value: unknown): string {
  if (value === undefined || value === null) return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

function quoted(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
