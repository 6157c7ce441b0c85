import { shown } from "../../base/errors.js";
import { SERVER_LIMITS } from "../../base/server-limits.js";
import { readLines, withoutReturn } from "./lines.js";

/** One record of a CSV text: its fields, or why it has none. `line` is the record's first, from 1. */
export type CsvRecord =
  | { readonly line: number; readonly text: string; readonly fields: readonly string[] }
  | { readonly line: number; readonly reason: string };

const LONE_RETURN = "a carriage return that neither ends the line nor stands in quotes";

/** A record whose last field is in quotes that the lines read so far did not close. */
interface OpenRecord {
  readonly line: number;
  readonly texts: string[];
  readonly fields: string[];
  /** The lines of the open field. */
  readonly parts: string[];
  charCount: number;
}

/**
 * Reads RFC 4180: fields in quotes may hold delimiters, doubled quotes and line breaks; records end with LF or CRLF, or all with CR; empty lines are
 * skipped. A record that breaks the rules comes back as a reason for each of its lines, and reading goes on with the next line.
 */
export async function* readCsv(bytes: AsyncIterable<Uint8Array>, delimiter = ","): AsyncGenerator<readonly CsvRecord[]> {
  let open: OpenRecord | null = null;
  for await (const lines of readLines(bytes)) {
    const records: CsvRecord[] = [];
    for (const { number, text, fault } of lines) {
      if (fault !== null) {
        if (open !== null) records.push(...rejected(open, `the quoted field that it opens meets line ${number}: ${fault}`));
        records.push({ line: number, reason: fault });
        open = null;
        continue;
      }
      if (open === null && text.startsWith("\ufeff")) {
        records.push({ line: number, reason: "a byte order mark within the file" });
        continue;
      }
      if (open === null && withoutReturn(text) === "") continue;
      const record: OpenRecord = open ?? { line: number, texts: [], fields: [], parts: [], charCount: 0 };
      const reason = scanLine(text, delimiter, record, open !== null);
      open = null;
      if (reason !== null) records.push(...rejected(record, reason));
      else if (record.parts.length === 0) records.push(closed(record));
      else if (record.charCount <= SERVER_LIMITS.importedLineBytes) open = record;
      else records.push(...rejected(record, `a quoted field is not closed within ${SERVER_LIMITS.importedLineBytes} characters`));
    }
    yield records;
  }
  if (open !== null) yield rejected(open, "a quoted field is not closed at the end of the file");
}

/** A reason for each line of a record: what an open quote takes in may be records that are good by themselves. */
function rejected({ line, texts }: OpenRecord, reason: string): CsvRecord[] {
  return texts.map((_, at) => ({ line: line + at, reason: at === 0 ? reason : `is within the quotes that line ${line} opens` }));
}

function closed(record: OpenRecord): CsvRecord {
  const text = record.texts.length === 1 ? (record.texts[0] ?? "") : record.texts.join("\n");
  return { line: record.line, text: withoutReturn(text), fields: record.fields };
}

/** Adds one line's fields to the record, or says why it cannot; `record.parts` is left non-empty when a quote stays open. */
function scanLine(text: string, delimiter: string, record: OpenRecord, continued: boolean): string | null {
  record.texts.push(text);
  record.charCount += text.length + 1;
  if (!continued && !text.includes('"')) {
    record.fields.push(...withoutReturn(text).split(delimiter));
    return withoutReturn(text).includes("\r") ? LONE_RETURN : null;
  }
  let at = 0;
  let inQuotes = continued;
  for (;;) {
    if (!inQuotes && text[at] !== '"') {
      const next = text.indexOf(delimiter, at);
      const field = next === -1 ? withoutReturn(text.slice(at)) : text.slice(at, next);
      if (field.includes("\r")) return LONE_RETURN;
      if (field.includes('"')) return `field ${record.fields.length + 1}: a quote inside a field that does not begin with one`;
      record.fields.push(field);
      if (next === -1) return null;
      at = next + 1;
      continue;
    }
    const start = inQuotes ? at : at + 1;
    const quote = closingQuote(text, start);
    record.parts.push(text.slice(start, quote === -1 ? undefined : quote));
    if (quote === -1) return null;
    record.fields.push(record.parts.join("\n").replaceAll('""', '"'));
    record.parts.length = 0;
    inQuotes = false;
    const rest = text.slice(quote + 1, quote + 3);
    if (rest === "" || rest === "\r") return null;
    if (rest[0] !== delimiter) {
      return `field ${record.fields.length}: expected ${shown(delimiter)} after the closing quote, got ${shown(rest[0])}`;
    }
    at = quote + 2;
  }
}

/** Index of the quote that closes a field, doubled ones passed over; -1 when the line ends first. */
function closingQuote(text: string, start: number): number {
  let at = text.indexOf('"', start);
  while (at !== -1 && text[at + 1] === '"') at = text.indexOf('"', at + 2);
  return at;
}
