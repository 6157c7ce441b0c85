import { shown } from "../../base/errors.js";
import { withIdsOfJson } from "../../base/numeric-id.js";
import { placesOfColumns, type ColumnPlace } from "../../schema/column-names.js";
import { FIELDS } from "../../schema/fields.js";
import type { EventInput } from "../../schema/event.js";
import { createdAtOf } from "../../schema/moment.js";
import { CellFault, compileSource, type Cell, type InstantForm } from "./cell.js";
import { readCsv } from "./csv.js";
import type { CsvMap, Source } from "./csv-map.js";
import { withoutIdentityId } from "./identity-id.js";
import { NO_TIME, rowId } from "./row-id.js";
import { FileFault, type Row } from "./row.js";

/** What turns the records of one file into events. */
interface Conversion {
  readonly columnCount: number;
  readonly hasTime: boolean;
  readonly event: readonly (readonly [name: string, cell: Cell])[];
  readonly metadata: readonly (readonly [key: string, cell: Cell])[];
}

/**
 * Reads CSV as events, by a map or, without one, by the header: columns named like event members fill them, `metadata`
 * holds a JSON object, `identityId` is passed over, every other column becomes a metadata key. This is the shape that `export --format csv` writes.
 * A record without an id gets one from set, line number and text.
 * @throws FileFault when the header cannot be read, or the map names a missing column
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
      if (conversion !== null) rows.push("reason" in record ? record : convert(record.line, record.text, record.fields, conversion, set));
      else if ("reason" in record) throw new FileFault(`line ${record.line}, which has to name the columns: ${record.reason}`);
      else conversion = conversionOf(record.fields, map);
    }
    yield rows;
  }
}

function conversionOf(header: readonly string[], map: CsvMap | null): Conversion {
  try {
    return map === null ? compile(mapOfHeader(header), header) : compile(map, header);
  } catch (error) {
    throw new FileFault(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

function compile(map: CsvMap, columns: readonly string[]): Conversion {
  const twice = columns.find((column, index) => columns.indexOf(column) !== index);
  if (twice !== undefined) throw new Error(`the header names the column ${JSON.stringify(twice)} twice`);
  const cells = (sources: Readonly<Record<string, Source>>, place: string, instant?: InstantForm) =>
    Object.entries(sources).map(([name, source]) => [name, compileSource(source, columns, `${place}${name}`, instant)] as const);
  const hasTime = TIMES.some((member) => map.event[member] !== undefined);
  return { columnCount: columns.length, hasTime, event: cells(map.event, "", createdAtOf), metadata: cells(map.metadata ?? {}, "metadata.") };
}

/** What a header has to name. */
const REQUIRED = [
  { member: "name", meaning: "the name of an event", names: "name or event" },
  { member: "createdAt", meaning: "its time", names: "createdAt, timestamp or time" },
];
/** Members of a map that are the time of an event. */
const TIMES = ["createdAt", "created_at", "timestamp"];
/** The key under which a JSON metadata column travels until its members are spread. */
const WHOLE_METADATA = "metadata";

function mapOfHeader(columns: readonly string[]): CsvMap {
  const places = placesOfColumns(columns);
  const missing = REQUIRED.find(({ member }) => places.every((place) => place.member !== member));
  if (missing !== undefined) {
    throw new Error(`no column is called like ${missing.meaning}, and no map is given with --map: expected ${missing.names}, got ${columns.map((column) => shown(column)).join(", ")}`);
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

function sourceOfColumn(column: string, { member }: ColumnPlace): Source {
  if (member === WHOLE_METADATA) return { column, as: "json" };
  if (member === "createdAt") return { column, as: "time" };
  const accepts = FIELDS.find(({ camel }) => camel === member)?.accepts;
  return accepts === "boolean" || accepts === "number" ? { column, as: accepts } : { column };
}

function convert(line: number, text: string, fields: readonly string[], conversion: Conversion, set: string): Row {
  if (fields.length !== conversion.columnCount) {
    return { line, reason: `expected ${conversion.columnCount} fields as in the header, got ${fields.length}` };
  }
  try {
    const event = valuesOf(conversion.event, fields);
    if (conversion.hasTime && TIMES.every((member) => event[member] === undefined)) return { line, reason: NO_TIME };
    const keys = valuesOf(conversion.metadata, fields);
    const whole = event[WHOLE_METADATA];
    // A metadata column that holds no object stays as it is, for the engine to reject by name.
    if (whole === undefined) event[WHOLE_METADATA] = keys;
    else if (isObject(whole)) event[WHOLE_METADATA] = { ...whole, ...keys };
    event["id"] ??= rowId(set, line, text);
    // Whether the object is an event is the engine's to say: it names the member that is wrong.
    return { line, event: withoutIdentityId(withIdsOfJson(event as Readonly<Record<string, unknown>> as Partial<EventInput> as EventInput)) };
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
