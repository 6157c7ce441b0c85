import { jsonWithoutFormulas, quotedCell, withoutFormulas } from "../../page/format/csv-cell.js";
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
  const cell = (value: unknown) => quotedCell(rawCells ? cellText(value) : guardedText(value));
  return `${(withIdentityIds ? WITH_IDENTITY_IDS : COLUMNS).map((column) => cell(values[column])).join(",")}\r\n`;
}

function guardedText(value: unknown): string {
  if (typeof value === "string") return withoutFormulas(value);
  return typeof value === "object" ? jsonWithoutFormulas(cellText(value)) : cellText(value);
}

function cellText(value: unknown): string {
  if (value === undefined || value === null) return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
