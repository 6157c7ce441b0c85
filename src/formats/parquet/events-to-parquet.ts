import { ByteWriter, ParquetWriter, type SchemaElement, type ColumnSource } from "hyparquet-writer";
import {
  daysOf, mergedInOrder, rowsInRange, whileLoaded, instantsOf, metadataTexts, valuesOf, identityIds, sequencesOf, type AddedColumns, type EventRange,
  type DayRows, type ReceivedAt,
} from "../arrow/day-rows.js";
import { yieldToEventLoop } from "../../core/base/yield.js";
import type { Dictionaries } from "../../storage/column/dictionaries.js";
import type { Rows } from "../../storage/segment/rows.js";
import { FIELDS, type FieldRow } from "../../core/schema/fields.js";
import { dayStartMs } from "../../core/base/time.js";
import { uuidText } from "../../core/base/uuid.js";
import { codeAt } from "../../storage/column/column.js";
import type { Dictionary } from "../../storage/column/dictionary.js";

type ParquetValues = ColumnSource["data"];

/** Characters of an id, which are also its bytes. */
const ID_LENGTH = 36;

const encoder = new TextEncoder();

/** In the order of the schema. The writer reads `data` once each, so one column's values are in memory at a time; ids are built at once. */
function rowGroupColumns(day: DayRows, rows: Uint32Array, dictionaries: Dictionaries, { identityIdOf, received }: Required<AddedColumns>): ColumnSource[] {
  const columns: ColumnSource[] = [
    { name: "id", data: idTexts(day, rows), encoding: "PLAIN" },
    lazily({ name: "createdAt", encoding: "DELTA_BINARY_PACKED" }, () => instantsOf(dayStartMs(day.day), day.times, rows)),
    ...FIELDS.map((field) => fieldColumn(field, day, rows, dictionaries.named(field.column))),
    // The bounds of JSON texts help no reader, and are as long as the texts.
    lazily({ name: "metadata", statistics: false }, () => metadataTexts(day, rows, dictionaries)),
  ];
  if (identityIdOf !== null) {
    const values = identityIds(day, rows, identityIdOf);
    columns.push(textColumn("identityId", values.some((id) => id !== null), () => values));
  }
  if (received !== null) {
    const sequences = sequencesOf(day, rows);
    columns.push(lazily({ name: "sequence" }, () => wide(sequences)), lazily({ name: "receivedAt" }, () => receivedDates(sequences, received)));
  }
  return columns;
}

function fieldColumn({ column, camel, accepts }: FieldRow, day: DayRows, rows: Uint32Array, dictionary: Dictionary): ColumnSource {
  const codes = day.column(column);
  if (accepts === "boolean") {
    const trueCode = dictionary.codeOf("true");
    return lazily({ name: camel }, () => valuesOf(rows, (row) => codeAt(codes, row) === trueCode));
  }
  const textOf = (row: number) => {
    const code = codeAt(codes, row);
    return code === 0 ? null : dictionary.valueOf(code);
  };
  if (accepts !== "number") return textColumn(camel, rows.some((row) => codeAt(codes, row) !== 0), () => valuesOf(rows, textOf));
  return lazily({ name: camel }, () => valuesOf(rows, (row) => {
    const text = textOf(row);
    return text === null ? null : Number(text);
  }));
}

/** As 64-bit integers, which readers of SQL take for whole numbers. */
function wide(numbers: Uint32Array): BigInt64Array {
  const words = new Uint32Array(numbers.length * 2);
  numbers.forEach((number, at) => (words[at * 2] = number));
  return new BigInt64Array(words.buffer);
}

/** Null: unknown. */
function receivedDates(sequences: Uint32Array, received: ReceivedAt): (Date | null)[] {
  return Array.from(sequences, (sequence) => {
    const receivedMs = received.of(sequence);
    return receivedMs === null ? null : new Date(receivedMs);
  });
}

/** Always dictionary-encoded, because readers group by codes; without values it is not, because some readers reject an empty dictionary. */
function textColumn(name: string, hasValues: boolean, make: () => ParquetValues): ColumnSource {
  return lazily(hasValues ? { name, encoding: "RLE_DICTIONARY" } : { name }, make);
}

function lazily(column: Omit<ColumnSource, "data">, make: () => ParquetValues): ColumnSource {
  return {
    ...column,
    get data() {
      return make();
    },
  };
}

/** Ids as bytes of their texts, views of one buffer: the writer would allocate an array and a buffer for each text. */
function idTexts({ ids }: DayRows, rows: Uint32Array): Uint8Array[] {
  const bytes = encoder.encode(valuesOf(rows, (row) => uuidText(ids, row * 16)).join(""));
  return Array.from({ length: rows.length }, (_, at) => bytes.subarray(at * ID_LENGTH, (at + 1) * ID_LENGTH));
}

const TEXT = { type: "BYTE_ARRAY", converted_type: "UTF8", logical_type: { type: "STRING" } } as const;
const UTC_MS = { type: "TIMESTAMP", isAdjustedToUTC: true, unit: "MILLIS" } as const;
const TIME = { type: "INT64", converted_type: "TIMESTAMP_MILLIS", logical_type: UTC_MS } as const;
const JSON_TEXT = { type: "BYTE_ARRAY", logical_type: { type: "JSON" } } as const;

function parquetSchema({ identityIdOf, received }: Required<AddedColumns>): SchemaElement[] {
  const columns: SchemaElement[] = [
    { name: "id", repetition_type: "REQUIRED", ...TEXT },
    { name: "createdAt", repetition_type: "REQUIRED", ...TIME },
    ...FIELDS.map(elementOf),
    { name: "metadata", repetition_type: "OPTIONAL", ...JSON_TEXT },
  ];
  if (identityIdOf !== null) columns.push({ name: "identityId", repetition_type: "OPTIONAL", ...TEXT });
  if (received !== null) columns.push({ name: "sequence", repetition_type: "REQUIRED", type: "INT64" }, { name: "receivedAt", repetition_type: "OPTIONAL", ...TIME });
  return [{ name: "events", num_children: columns.length }, ...columns];
}

function elementOf({ camel, accepts }: FieldRow): SchemaElement {
  if (accepts === "boolean") return { name: camel, repetition_type: "REQUIRED", type: "BOOLEAN" };
  if (accepts === "number") return { name: camel, repetition_type: "OPTIONAL", type: "DOUBLE" };
  return { name: camel, repetition_type: "OPTIONAL", ...TEXT };
}

/** Rows of one row group, which readers hold in memory as a whole. With more, garbage would outlive the heap's young generation. */
const GROUP_ROW_COUNT = 16_384;

/**
 * Exports every event of a range in (createdAt, event id) order as a Parquet file, in chunks. The columns are those of an Arrow export: texts
 * dictionary-encoded, `createdAt` a timestamp of UTC milliseconds, `metadata` JSON text; null is not set. A row group holds at most
 * `GROUP_ROW_COUNT` rows of one day; it is compressed with Snappy, and has the smallest and largest value of each column but `metadata`.
 * @param rows of a snapshot that stays valid until the end
 * @param pause yields between row groups; what it throws ends the export
 * @throws corruption
 */
export async function* eventsToParquet(
  rows: readonly Rows[],
  dictionaries: Dictionaries,
  range: EventRange,
  { identityIdOf = null, received = null }: AddedColumns = {},
  pause: () => Promise<void> = yieldToEventLoop,
): AsyncGenerator<Uint8Array> {
  const projectCode = range.project === null ? null : dictionaries.named("project").codeOf(range.project);
  const bytes = new ByteWriter();
  const added = { identityIdOf, received };
  const writer = new ParquetWriter({ writer: bytes, schema: parquetSchema(added), createdBy: "daybook" });
  for (const sources of daysOf(rows, range, projectCode)) {
    await pause();
    const day = await whileLoaded(sources, () => mergedInOrder(sources, range));
    for (const group of groupsOf(rowsInRange(day, range, projectCode))) {
      await pause();
      await writer.write({ columnData: rowGroupColumns(day, group, dictionaries, added), rowGroupSize: GROUP_ROW_COUNT });
      copyBounds(writer);
      yield taken(bytes);
    }
  }
  // Readers of the older mark need it in the file. If it were set before, the writer would treat the texts as values and quote them.
  for (const element of writer.schema) if (element.logical_type?.type === "JSON") element.converted_type = "JSON";
  await writer.finish();
  yield taken(bytes);
}

function* groupsOf(rows: Uint32Array): Generator<Uint32Array> {
  const length = Math.ceil(rows.length / Math.ceil(rows.length / GROUP_ROW_COUNT));
  for (let from = 0; from < rows.length; from += length) yield rows.subarray(from, from + length);
}

/** The bounds of a row group's ids are held until the end; as views they would hold the bytes of all its ids. */
function copyBounds({ row_groups }: ParquetWriter): void {
  const statistics = row_groups.at(-1)?.columns[0]?.meta_data?.statistics;
  if (statistics === undefined) return;
  for (const bound of ["min_value", "max_value"] as const) {
    const id = statistics[bound];
    if (id instanceof Uint8Array) statistics[bound] = id.slice();
  }
}

function taken(bytes: ByteWriter): Uint8Array {
  const piece = bytes.getBytes().slice();
  bytes.index = 0;
  return piece;
}
