import type { Daybook } from "../../engine/daybook.js";
import type { ExportInput } from "../../query/plan/input.js";
import { jsonWithoutFormulas, quotedCell, withoutFormulas } from "../../page/format/sheet.js";
import type { ExportedEvent } from "../../core/schema/event.js";
import { FIELDS } from "../../core/schema/fields.js";

const COLUMNS = ["id", "createdAt", ...FIELDS.map((field) => field.camel), "metadata"];

const WITH_IDENTITY_IDS = [...COLUMNS, "identityId"];

function csvHeader(withIdentityIds: boolean): string {
  return `${(withIdentityIds ? WITH_IDENTITY_IDS : COLUMNS).join(",")}\r\n`;
}

interface CsvRules {
  readonly withIdentityIds: boolean;
  /** True: texts stay as stored, even if a spreadsheet would read them as formulas. */
  readonly rawCells: boolean;
}

/** One event as an RFC 4180 record; unset fields are empty, metadata is JSON. With raw cells, `import --format csv` restores it exactly. */
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

/** The methods that an export needs. */
export type ExportSource = Pick<Daybook, "exportEvents" | "exportRecords">;

/** Counts of what is written so far. */
export interface ExportProgress {
  events: number;
  /** Identity records, and projects. */
  records: number;
}

/** Lines per chunk of a few hundred kilobytes. */
const BLOCK_LINES = 500;

/** NDJSON: records, if requested, then events. @param onBlock called before each block with the counts including it */
export async function* ndjsonBlocks(
  daybook: ExportSource,
  input: ExportInput,
  withRecords: boolean,
  onBlock: (written: ExportProgress) => void,
): AsyncGenerator<string> {
  const written: ExportProgress = { events: 0, records: 0 };
  const lines = async function* (): AsyncGenerator<string> {
    if (withRecords)
      for await (const record of daybook.exportRecords()) {
        written.records += 1;
        yield `${JSON.stringify(record)}\n`;
      }
    for await (const event of daybook.exportEvents(input)) {
      written.events += 1;
      yield `${JSON.stringify(event)}\n`;
    }
  };
  yield* inBlocks(lines(), () => onBlock(written));
}

/** Events as CSV, after a header. @param rawCells keeps texts as stored @param onBlock called before each block with the counts including it */
export async function* csvBlocks(daybook: ExportSource, input: ExportInput, rawCells: boolean, onBlock: (written: ExportProgress) => void): AsyncGenerator<string> {
  const written: ExportProgress = { events: 0, records: 0 };
  const withIdentityIds = input.identityIds === true;
  const lines = async function* (): AsyncGenerator<string> {
    yield csvHeader(withIdentityIds);
    for await (const event of daybook.exportEvents(input)) {
      written.events += 1;
      yield csvLine(event, { withIdentityIds, rawCells });
    }
  };
  yield* inBlocks(lines(), () => onBlock(written));
}

async function* inBlocks(lines: AsyncIterable<string>, onBlock: () => void): AsyncGenerator<string> {
  let block: string[] = [];
  for await (const line of lines) {
    block.push(line);
    if (block.length < BLOCK_LINES) continue;
    onBlock();
    yield block.join("");
    block = [];
  }
  onBlock();
  yield block.join("");
}
