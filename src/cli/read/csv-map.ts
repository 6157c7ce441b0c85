import { readFile } from "node:fs/promises";
import { shown } from "../../core/base/errors.js";
import { parseJsonText } from "../../core/base/json-text.js";
import { FIELDS } from "../../core/schema/fields.js";

/** How the text of a cell becomes a value. `time` accepts RFC 3339 or epoch milliseconds where no `format` is given. */
export type CellType = "text" | "integer" | "number" | "boolean" | "json" | "time";

/** The source of one value of an event: exactly one of `column`, `template`, `constant`. */
export interface ValueSource {
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
  /** Values by cell text; any other cell becomes `otherwise`, or rejects its row where that is absent. */
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

/** Reads and checks a map. @throws Error naming the file and the member at fault */
export async function readCsvMap(path: string): Promise<CsvMap> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    throw new Error(`${path}: cannot read the map (${error instanceof Error ? error.message : String(error)})`, { cause: error });
  }
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
