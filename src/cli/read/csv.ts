import { readFile } from "node:fs/promises";
import { shown } from "../../core/base/errors.js";
import { parseJsonText, withIdsOfJson } from "../../core/base/json-text.js";
import { FIELDS, placesOfColumns, type ColumnPlace } from "../../core/schema/fields.js";
import type { EventInput } from "../../core/schema/event.js";
import { createdAtOf } from "../../core/schema/instant.js";
import { integerOf } from "../../formats/arrow/event-columns.js";
import { parseTimestamp } from "../../core/base/time.js";
import { SERVER_LIMITS } from "../../core/base/server-limits.js";
import { withoutAdded, NO_TIME, rowId, FileFault, type ImportRow } from "./row.js";
import { readLines, withoutReturn } from "./lines.js";

/** How the text of a cell becomes a value. `time` accepts RFC 3339 or epoch milliseconds if no `format` is given. */
type CellType = "text" | "integer" | "number" | "boolean" | "json" | "time";

/** The source of one value of an event: exactly one of `column`, `template`, `constant`. */
interface ValueSource {
  readonly column?: string;
  /** Text with `{Column}` in it. */
  readonly template?: string;
  readonly constant?: unknown;
  /** Default `text`. */
  readonly as?: CellType;
  /** Of a `time`, in UTC: `YYYY MM DD HH mm ss SSS` stand for digits, anything else for itself. */
  readonly format?: string;
  /** Percent-encodes the column values in a template. */
  readonly encode?: "url";
  /** Values by cell text; any other cell becomes `otherwise`, or rejects its row if that is absent. */
  readonly lookup?: Readonly<Record<string, unknown>>;
  readonly otherwise?: unknown;
}

/** How rows of a CSV file become events: the JSON file of `import --map`. */
export interface CsvMap {
  /** Name of the data set, part of every row's id; default: the file's name. */
  readonly set?: string;
  /** Names of the columns of a file without a header line. */
  readonly columns?: readonly string[];
  /** One character; default a comma. */
  readonly delimiter?: string;
  /** Event field → source. */
  readonly event: Readonly<Record<string, ValueSource>>;
  /** Metadata key → source. */
  readonly metadata?: Readonly<Record<string, ValueSource>>;
}

const MAP_KEYS = ["set", "columns", "delimiter", "event", "metadata"];
const SOURCE_KEYS = ["column", "template", "constant", "as", "format", "encode", "lookup", "otherwise"];
const CELL_TYPES: readonly string[] = ["text", "integer", "number", "boolean", "json", "time"];

/** Every member of an event but metadata. */
const EVENT_MEMBERS: ReadonlySet<string> = new Set([
  ...["id", "createdAt", "created_at", "timestamp"],
  ...FIELDS.flatMap((field) => [field.camel, ...field.aliases]),
]);

/** Reads and checks a map. @throws Error naming the file and the invalid member */
export async function readCsvMap(path: string): Promise<CsvMap> {
  const text = await readFile(path, "utf8").catch((error: unknown) => {
    throw new Error(`${path}: cannot read the map (${error instanceof Error ? error.message : String(error)})`, { cause: error });
  });
  let value: unknown;
  try {
    value = parseJsonText(text);
  } catch (error) {
    throw new Error(`${path}: the map is not JSON (${error instanceof Error ? error.message : String(error)})`, { cause: error });
  }
  try {
    return checkCsvMap(value);
  } catch (error) {
    throw new Error(`${path}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}

/** Checks the shape of a map. @throws Error naming the member and what was expected */
export function checkCsvMap(value: unknown): CsvMap {
  const map = objectAt(value, "the map", MAP_KEYS);
  if (map["set"] !== undefined && typeof map["set"] !== "string") fail("set", "text", map["set"]);
  if (map["columns"] !== undefined && !isTextArray(map["columns"])) fail("columns", "an array of column names", map["columns"]);
  const delimiter = map["delimiter"];
  if (delimiter !== undefined && (typeof delimiter !== "string" || !/^[^"\r\n]$/u.test(delimiter))) {
    fail("delimiter", "one character other than a quote or a line break", delimiter);
  }
  const event = objectAt(map["event"], "event", null);
  for (const [name, source] of Object.entries(event)) {
    if (!EVENT_MEMBERS.has(name)) throw new Error(`event.${name}: not a member of an event (metadata keys go under "metadata")`);
    checkSource(source, `event.${name}`);
  }
  if (event["name"] === undefined) throw new Error(`event.name: expected a source, for instance { "constant": "purchase" }`);
  for (const [key, source] of Object.entries(map["metadata"] === undefined ? {} : objectAt(map["metadata"], "metadata", null))) {
    checkSource(source, `metadata.${key}`);
  }
  return value as CsvMap;
}

function checkSource(value: unknown, place: string): void {
  const source = objectAt(value, place, SOURCE_KEYS);
  const origins = ["column", "template", "constant"].filter((key) => source[key] !== undefined);
  if (origins.length !== 1) fail(place, `exactly one of "column", "template", "constant"`, value);
  for (const key of ["column", "template", "format"]) {
    if (source[key] !== undefined && typeof source[key] !== "string") fail(`${place}.${key}`, "text", source[key]);
  }
  const type = source["as"];
  if (type !== undefined && (typeof type !== "string" || !CELL_TYPES.includes(type))) fail(`${place}.as`, CELL_TYPES.join(", "), type);
  if (source["format"] !== undefined && type !== "time") fail(`${place}.format`, `"as": "time" with it`, type);
  if (source["encode"] !== undefined && source["encode"] !== "url") fail(`${place}.encode`, `"url"`, source["encode"]);
  if (source["lookup"] !== undefined) objectAt(source["lookup"], `${place}.lookup`, null);
}

function objectAt(value: unknown, place: string, keys: readonly string[] | null): Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) fail(place, "a JSON object", value);
  for (const key of Object.keys(value)) {
    if (keys !== null && !keys.includes(key)) throw new Error(`${place}: unknown member ${shown(key)}, expected ${keys.join(", ")}`);
  }
  return value as Readonly<Record<string, unknown>>;
}

function isTextArray(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === "string");
}

function fail(place: string, expected: string, got: unknown): never {
  throw new Error(`${place}: expected ${expected}, got ${shown(got)}`);
}

/** One record of a CSV text: its fields, or why it is rejected. `line` is the first line of the record, from 1. */
export type CsvRecord =
  | { readonly line: number; readonly text: string; readonly fields: readonly string[] }
  | { readonly line: number; readonly reason: string };

const LONE_RETURN = "a carriage return that is neither at the end of the line nor in quotes";

/** A record whose last field has an open quote after the lines read so far. */
interface OpenRecord {
  readonly line: number;
  readonly texts: string[];
  readonly fields: string[];
  /** Lines of the open field. */
  readonly parts: string[];
  charCount: number;
}

/**
 * Reads RFC 4180: quoted fields may hold delimiters, doubled quotes and line breaks; records end with LF or CRLF, or all with CR; empty lines are
 * skipped. An invalid record yields a reason for each of its lines, and reading continues with the next line.
 */
export async function* readCsv(bytes: AsyncIterable<Uint8Array>, delimiter = ","): AsyncGenerator<readonly CsvRecord[]> {
  let open: OpenRecord | null = null;
  for await (const lines of readLines(bytes)) {
    const records: CsvRecord[] = [];
    for (const { number, text, fault } of lines) {
      if (fault !== null) {
        if (open !== null) records.push(...rejected(open, `its quoted field runs into line ${number}: ${fault}`));
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
      else if (record.parts.length === 0) records.push(completed(record));
      else if (record.charCount <= SERVER_LIMITS.importedLineBytes) open = record;
      else records.push(...rejected(record, `a quoted field is not closed within ${SERVER_LIMITS.importedLineBytes} characters`));
    }
    yield records;
  }
  if (open !== null) yield rejected(open, "a quoted field is not closed at the end of the file");
}

/** A reason for each line of a record: lines within an open quote may be valid records themselves. */
function rejected({ line, texts }: OpenRecord, reason: string): CsvRecord[] {
  return texts.map((_, at) => ({ line: line + at, reason: at === 0 ? reason : `is inside the quotes that line ${line} opens` }));
}

function completed(record: OpenRecord): CsvRecord {
  const text = record.texts.length === 1 ? (record.texts[0] ?? "") : record.texts.join("\n");
  return { line: record.line, text: withoutReturn(text), fields: record.fields };
}

/** Adds a line's fields to the record, or returns why it cannot; leaves `record.parts` non-empty if a quote stays open. */
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

/** Index of the quote that closes a field, skipping doubled ones; -1 when the line ends first. */
function closingQuote(text: string, start: number): number {
  let at = text.indexOf('"', start);
  while (at !== -1 && text[at + 1] === '"') at = text.indexOf('"', at + 2);
  return at;
}

/** The reason for rejecting a row, thrown by one of its cells. */
class CellFault extends Error {}

/** Reads one value of an event from the fields of a record; undefined if the cell is empty. @throws CellFault */
type ReadCell = (fields: readonly string[]) => unknown;

type ConvertText = (text: string) => unknown;

/** Converts an instant in epoch ms to the value of a member. */
type WriteInstant = (ms: number) => number | string;

/** Compiles a source for the columns of a file. @throws Error if it names a missing column */
function compileSource(source: ValueSource, columns: readonly string[], place: string, instant: WriteInstant = (ms) => ms): ReadCell {
  if (source.constant !== undefined) return () => source.constant;
  const convert = withLookup(source, converter(source.as ?? "text", source.format, instant), place);
  if (source.column !== undefined) {
    const index = columnIndex(source.column, columns, place);
    return (fields) => {
      const text = fields[index] ?? "";
      return text === "" && source.lookup?.[""] === undefined ? undefined : convert(text);
    };
  }
  const pieces = (source.template ?? "").split(/\{([^{}]*)\}/);
  const indexes = pieces.map((piece, at) => (at % 2 === 1 ? columnIndex(piece, columns, place) : -1));
  const encode = source.encode === "url" ? encodeURIComponent : (text: string) => text;
  return (fields) => convert(pieces.map((piece, at) => (at % 2 === 1 ? encode(fields[indexes[at] ?? -1] ?? "") : piece)).join(""));
}

function columnIndex(name: string, columns: readonly string[], place: string): number {
  const index = columns.indexOf(name);
  if (index === -1) throw new Error(`${place}: the file has no column ${shown(name)}, it has ${columns.map((column) => shown(column)).join(", ")}`);
  return index;
}

function withLookup(source: ValueSource, convert: ConvertText, place: string): ConvertText {
  const { lookup, otherwise } = source;
  if (lookup === undefined) {
    return (text) => {
      const value = convert(text);
      if (value !== undefined) return value;
      throw new CellFault(`${place}: expected ${expected(source)}, got ${shown(text)}`);
    };
  }
  const values = new Map(Object.entries(lookup));
  return (text) => {
    if (values.has(text)) return values.get(text);
    if (otherwise !== undefined) return otherwise;
    throw new CellFault(`${place}: ${shown(text)} is not in the lookup and there is no "otherwise"`);
  };
}

function expected(source: ValueSource): string {
  const type = source.as ?? "text";
  if (type === "time") return source.format === undefined ? "an RFC 3339 time or epoch ms" : `a time like ${source.format}`;
  return type === "integer" ? "a whole number" : type === "json" ? "JSON" : type === "boolean" ? "true or false" : `a ${type}`;
}

/** The reader of one cell type; it returns undefined for invalid text. */
function converter(type: CellType, format: string | undefined, instant: WriteInstant): ConvertText {
  switch (type) {
    case "text":
      return (text) => text;
    case "number":
      return (text) => (isNumber(text) ? numberIn(text) : undefined);
    case "integer":
      return (text) => (isInteger(text) ? integerOf(BigInt(text)) : isNumber(text) && Number.isSafeInteger(Number(text)) ? Number(text) : undefined);
    case "boolean":
      return (text) => (text === "true" ? true : text === "false" ? false : undefined);
    case "json":
      return jsonOrUndefined;
    case "time":
      return format === undefined ? plainTime(instant) : formattedTime(format, instant);
  }
}

/** A number as in JSON: an integer that a double cannot represent becomes the text of its digits. */
function numberIn(text: string): unknown {
  return isInteger(text) ? parseJsonText(String(BigInt(text))) : Number(text);
}

function isInteger(text: string): boolean {
  return /^[+-]?\d+$/.test(text);
}

function isNumber(text: string): boolean {
  return /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i.test(text) && Number.isFinite(Number(text));
}

function jsonOrUndefined(text: string): unknown {
  try {
    return parseJsonText(text);
  } catch {
    return undefined;
  }
}

/** Digits become a number: the engine checks whether they are epoch ms. */
function plainTime(instant: WriteInstant): ConvertText {
  return (text) => (/^\d{1,15}$/.test(text) ? Number(text) : instantOf(text, instant));
}

function instantOf(text: string, instant: WriteInstant): number | string | undefined {
  const ms = parseTimestamp(text);
  return ms === null ? undefined : instant(ms);
}

const FORMAT_TOKENS: Readonly<Record<string, string>> = {
  YYYY: "(?<year>\\d{4})",
  MM: "(?<month>\\d{2})",
  DD: "(?<day>\\d{2})",
  HH: "(?<hour>\\d{2})",
  mm: "(?<minute>\\d{2})",
  SSS: "(?<ms>\\d{3})",
  ss: "(?<second>\\d{2})",
};

function formattedTime(format: string, instant: WriteInstant): ConvertText {
  const pattern = format.replace(/YYYY|MM|DD|HH|mm|SSS|ss|[^A-Za-z0-9\s]/g, (token) => FORMAT_TOKENS[token] ?? `\\${token}`);
  const shape = new RegExp(`^${pattern}$`);
  let lastText = "";
  let last: number | string | undefined;
  // Cache the last text: adjacent rows often have the same time.
  return (text) => {
    if (text === lastText) return last;
    const part = shape.exec(text)?.groups;
    lastText = text;
    if (part === undefined) last = undefined;
    else {
      const { year = "1970", month = "01", day = "01", hour = "00", minute = "00", second = "00", ms = "000" } = part;
      last = instantOf(`${year}-${month}-${day}T${hour}:${minute}:${second}.${ms}Z`, instant);
    }
    return last;
  };
}

interface CsvConversion {
  readonly columnCount: number;
  readonly hasTime: boolean;
  readonly event: readonly (readonly [name: string, cell: ReadCell])[];
  readonly metadata: readonly (readonly [key: string, cell: ReadCell])[];
}

/**
 * Reads CSV as events, by a map or, without one, by the header: columns named like event members fill them, `metadata` holds a JSON object,
 * `identityId` is ignored, every other column becomes a metadata key. `export --format csv` writes this shape.
 * A record without an id gets one from set, line number and text.
 * @throws FileFault when the header is invalid, or the map names a missing column
 */
export async function* readCsvEvents(
  bytes: AsyncIterable<Uint8Array>,
  set: string,
  map: CsvMap | null = null,
): AsyncGenerator<readonly ImportRow[]> {
  let conversion = map?.columns === undefined ? null : compile(map, map.columns);
  for await (const records of readCsv(bytes, map?.delimiter)) {
    const rows: ImportRow[] = [];
    for (const record of records) {
      if (conversion !== null) rows.push("reason" in record ? record : convert(record.line, record.text, record.fields, conversion, set));
      else if ("reason" in record) throw new FileFault(`line ${record.line}, the header: ${record.reason}`);
      else conversion = conversionOf(record.fields, map);
    }
    yield rows;
  }
}

function conversionOf(header: readonly string[], map: CsvMap | null): CsvConversion {
  try {
    return map === null ? compile(mapOfHeader(header), header) : compile(map, header);
  } catch (error) {
    throw new FileFault(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

function compile(map: CsvMap, columns: readonly string[]): CsvConversion {
  const duplicate = columns.find((column, index) => columns.indexOf(column) !== index);
  if (duplicate !== undefined) throw new Error(`the header names the column ${JSON.stringify(duplicate)} twice`);
  const cells = (sources: Readonly<Record<string, ValueSource>>, place: string, instant?: WriteInstant) =>
    Object.entries(sources).map(([name, source]) => [name, compileSource(source, columns, `${place}${name}`, instant)] as const);
  const hasTime = TIMES.some((member) => map.event[member] !== undefined);
  return { columnCount: columns.length, hasTime, event: cells(map.event, "", createdAtOf), metadata: cells(map.metadata ?? {}, "metadata.") };
}

/** Members that a header must name. */
const REQUIRED = [
  { member: "name", meaning: "the name of an event", names: "name or event" },
  { member: "createdAt", meaning: "the time of an event", names: "createdAt, timestamp or time" },
];
/** Names of an event's time in a map. */
const TIMES = ["createdAt", "created_at", "timestamp"];
/** The key of a JSON metadata column until its members are spread. */
const WHOLE_METADATA = "metadata";

function mapOfHeader(columns: readonly string[]): CsvMap {
  const places = placesOfColumns(columns);
  const missing = REQUIRED.find(({ member }) => places.every((place) => place.member !== member));
  if (missing !== undefined) {
    throw new Error(`no column for ${missing.meaning}, and no --map: expected a column named ${missing.names}, got ${columns.map((column) => shown(column)).join(", ")}`);
  }
  // `fromEntries`, not assignment: a column may be called __proto__.
  const sources = (isMember: boolean) =>
    Object.fromEntries(
      columns.flatMap((column, index) => {
        const place = places[index];
        return place !== undefined && (place.member !== null) === isMember ? [[place.member ?? place.key, sourceOfColumn(column, place)]] : [];
      }),
    );
  return { event: sources(true), metadata: sources(false) };
}

function sourceOfColumn(column: string, { member }: ColumnPlace): ValueSource {
  if (member === WHOLE_METADATA) return { column, as: "json" };
  if (member === "createdAt") return { column, as: "time" };
  const accepts = FIELDS.find(({ camel }) => camel === member)?.accepts;
  return accepts === "boolean" || accepts === "number" ? { column, as: accepts } : { column };
}

function convert(line: number, text: string, fields: readonly string[], conversion: CsvConversion, set: string): ImportRow {
  if (fields.length !== conversion.columnCount) {
    return { line, reason: `expected ${conversion.columnCount} fields as in the header, got ${fields.length}` };
  }
  try {
    const event = valuesOf(conversion.event, fields);
    if (conversion.hasTime && TIMES.every((member) => event[member] === undefined)) return { line, reason: NO_TIME };
    const keys = valuesOf(conversion.metadata, fields);
    const metadata = event[WHOLE_METADATA];
    // Metadata that is not an object stays unchanged: the engine rejects it, naming the member.
    if (metadata === undefined) event[WHOLE_METADATA] = keys;
    else if (isObject(metadata)) event[WHOLE_METADATA] = { ...metadata, ...keys };
    event["id"] ??= rowId(set, line, text);
    // The engine checks whether the object is an event, and names the invalid member.
    return { line, event: withoutAdded(withIdsOfJson(event as Readonly<Record<string, unknown>> as Partial<EventInput> as EventInput)) };
  } catch (error) {
    if (error instanceof CellFault) return { line, reason: error.message };
    throw error;
  }
}

function valuesOf(cells: CsvConversion["event"], fields: readonly string[]): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const [name, cell] of cells) {
    const value = cell(fields);
    if (value === undefined) continue;
    // A column may be called __proto__; assigning it would set the prototype.
    if (name === "__proto__") Object.defineProperty(values, name, { value, enumerable: true, configurable: true, writable: true });
    else values[name] = value;
  }
  return values;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
