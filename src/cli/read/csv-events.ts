import { FIELDS } from "../../schema/fields.js";
import type { EventInput } from "../../schema/event.js";
import { createdAtOf } from "../../schema/moment.js";
import { CellFault, compileSource, type Cell, type InstantForm } from "./cell.js";
import { readCsv } from "./csv.js";
import { EVENT_MEMBERS, type CsvMap, type Source } from "./csv-map.js";
import { IDENTITY_ID, withoutIdentityId } from "./identity-id.js";
import { rowId } from "./row-id.js";
import type { Row } from "./row.js";

/** What turns the records of one file into events. */
interface Conversion {
  readonly columnCount: number;
  readonly event: readonly (readonly [name: string, cell: Cell])[];
  readonly metadata: readonly (readonly [key: string, cell: Cell])[];
}

/**
 * Reads CSV as events, by a map or, without one, by the header: columns named like event members fill them, `metadata`
 * holds a JSON object, `identityId` is passed over, every other column becomes a metadata key. This is the shape that `export --format csv` writes.
 * A record without an id gets one from set, line number and text. @throws Error when the map names a missing column
 */
export async function* readCsvEvents(
  bytes: AsyncIterable<Uint8Array>,
  set: string,
  map: CsvMap | null = null,
): AsyncGenerator<readonly Row[]> {
  let conversion = map?.columns === undefined ? null : compile(map, map.columns);
  for await (const records of readCsv(bytes, map?.delimiter)) {
    const rows: Row[] = [];
    for (const record of records) {
      if ("reason" in record) rows.push(record);
      else if (conversion === null) conversion = compile(map ?? mapOfHeader(record.fields), record.fields);
      else rows.push(convert(record.line, record.text, record.fields, conversion, set));
    }
    yield rows;
  }
}

function compile(map: CsvMap, columns: readonly string[]): Conversion {
  const twice = columns.find((column, index) => columns.indexOf(column) !== index);
  if (twice !== undefined) throw new Error(`the header names the column ${JSON.stringify(twice)} twice`);
  const cells = (sources: Readonly<Record<string, Source>>, place: string, instant?: InstantForm) =>
    Object.entries(sources).map(([name, source]) => [name, compileSource(source, columns, `${place}${name}`, instant)] as const);
  return { columnCount: columns.length, event: cells(map.event, "", createdAtOf), metadata: cells(map.metadata ?? {}, "metadata.") };
}

/** The key under which a JSON metadata column travels until its members are spread. */
const WHOLE_METADATA = "metadata";

function mapOfHeader(columns: readonly string[]): CsvMap {
  if (!columns.includes("name")) {
    throw new Error(`the header has no column "name": name the columns like event fields, or give a map with --map`);
  }
  const isMember = (column: string) => [WHOLE_METADATA, IDENTITY_ID].includes(column) || EVENT_MEMBERS.has(column);
  // `fromEntries`, not assignment: a column may be called __proto__.
  const sources = (chosen: readonly string[]) => Object.fromEntries(chosen.map((column) => [column, sourceOfColumn(column)]));
  return { event: sources(columns.filter(isMember)), metadata: sources(columns.filter((column) => !isMember(column))) };
}

function sourceOfColumn(column: string): Source {
  if (column === WHOLE_METADATA) return { column, as: "json" };
  if (["createdAt", "created_at", "timestamp"].includes(column)) return { column, as: "time" };
  const accepts = FIELDS.find((field) => field.camel === column || field.aliases.includes(column))?.accepts;
  return accepts === "boolean" || accepts === "number" ? { column, as: accepts } : { column };
}

function convert(line: number, text: string, fields: readonly string[], conversion: Conversion, set: string): Row {
  if (fields.length !== conversion.columnCount) {
    return { line, reason: `expected ${conversion.columnCount} fields as in the header, got ${fields.length}` };
  }
  try {
    const event = valuesOf(conversion.event, fields);
    const keys = valuesOf(conversion.metadata, fields);
    const whole = event[WHOLE_METADATA];
    // A metadata column that holds no object stays as it is, for the engine to reject by name.
    if (whole === undefined) event[WHOLE_METADATA] = keys;
    else if (isObject(whole)) event[WHOLE_METADATA] = { ...whole, ...keys };
    event["id"] ??= rowId(set, line, text);
    // Whether the object is an event is the engine's to say: it names the member that is wrong.
    return { line, event: withoutIdentityId(event as Readonly<Record<string, unknown>> as Partial<EventInput> as EventInput) };
  } catch (error) {
    if (error instanceof CellFault) return { line, reason: error.message };
    throw error;
  }
}

function valuesOf(cells: Conversion["event"], fields: readonly string[]): Record<string, unknown> {
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
