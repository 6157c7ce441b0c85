import {
  parquetMetadataAsync, parquetScan, parquetSchema, type AsyncBuffer, type Compressors, type FileMetaData, type SchemaTree, type ParquetParsers,
  type ColumnMetaData, type PageHeader, type SchemaElement, type RowGroup,
} from "hyparquet";
import { parquetHeader } from "hyparquet/src/column.js";
import { eventAt, placesOf, integerOf, jsonOf, type EventColumn, type ColumnTarget } from "../arrow/event-columns.js";
import { DaybookError, parameterError } from "../../core/base/errors.js";
import type { EventInput } from "../../core/schema/event.js";
import { uuidText } from "../../core/base/uuid.js";
import { createdAtOf } from "../../core/schema/instant.js";

/** A leaf of the schema, and whether a row may have several of its values. */
interface Leaf {
  readonly path: string;
  readonly isRepeated: boolean;
}

/** Bytes of the magic at the start, and of the length of the metadata and the magic at the end. */
const HEAD_BYTES = 4;
const TAIL_BYTES = 8;

/** The columns with values, in the order of the schema. */
function leavesOf({ element, children, path }: SchemaTree, isRepeatedAbove = false): Leaf[] {
  const isRepeated = isRepeatedAbove || element.repetition_type === "REPEATED";
  return children.length === 0 ? [{ path: path.join("."), isRepeated }] : children.flatMap((child) => leavesOf(child, isRepeated));
}

/** The bytes of a column chunk, including its dictionary. */
function chunkRange({ dictionary_page_offset: dictionary, data_page_offset: data, total_compressed_size: size }: ColumnMetaData): [start: number, end: number] {
  // Some writers set the offset of a missing dictionary to zero; the reader accepts this, too.
  const start = Number(dictionary === undefined || dictionary === 0n ? data : dictionary);
  return [start, start + Number(size)];
}

/**
 * Checks metadata against itself and the length of the file before anything is read by it: the library counts as many rows, and reads as many
 * bytes, as it declares. @throws Error
 */
function refuseDamaged({ num_rows: count, row_groups: groups }: FileMetaData, leaves: readonly Leaf[], byteLength: number): void {
  const sum = groups.reduce((rows, group) => rows + group.num_rows, 0n);
  if (sum !== count) throw new Error(`it declares ${count} rows, its row groups ${sum}`);
  groups.forEach((group, at) => refuseGroup(group, at, leaves, byteLength));
}

function refuseGroup({ num_rows: rows, columns }: RowGroup, at: number, leaves: readonly Leaf[], byteLength: number): void {
  if (rows < 0n || (rows > 0n && leaves.length === 0)) throw new Error(`row group ${at} declares ${rows} rows of ${leaves.length} columns`);
  const chunks = new Map(columns.map(({ meta_data: chunk }) => [chunk?.path_in_schema.join("."), chunk]));
  if (columns.length !== leaves.length || chunks.size !== leaves.length) throw new Error(`row group ${at} has ${columns.length} of ${leaves.length} columns`);
  for (const { path, isRepeated } of leaves) {
    const chunk = chunks.get(path);
    if (chunk === undefined) throw new Error(`row group ${at} lacks its column ${path}`);
    const { num_values: values, data_page_offset: data } = chunk;
    if (isRepeated ? values < rows : values !== rows) throw new Error(`row group ${at} declares ${rows} rows, its column ${path} ${values} values`);
    const [start, end] = chunkRange(chunk);
    const isInFile = start >= HEAD_BYTES && end >= start && end <= byteLength - TAIL_BYTES && data >= start && (rows === 0n || data < end);
    if (!isInFile) throw new Error(`column ${path} of row group ${at} lies outside the file`);
  }
}

/** Converts the value of a row; null: not set. */
type ConvertCell = (value: unknown) => unknown;

/** Digits of a decimal number that a double represents exactly. */
const EXACT_DIGITS = 15;

/** How to convert values of a column to those of an event. @throws invalid_parameter (a type that events cannot have) */
function valueReader(tree: SchemaTree, { member, isTime }: ColumnTarget): ConvertCell {
  refuseTypes(tree, tree.path.join("."));
  const convert: ConvertCell = isTime ? (value) => (value instanceof Date ? createdAtOf(value.getTime()) : valueOf(value)) : valueOf;
  const isJson = member === "metadata" || (member === null && isJsonText(tree.element));
  return isJson ? (value) => jsonOf(convert(value)) : convert;
}

function isJsonText({ logical_type: logical, converted_type: converted }: SchemaElement): boolean {
  return logical?.type === "JSON" || converted === "JSON";
}

/** A value as in JSON: instants become ISO text, or not set if out of the range of `Date`. */
function valueOf(value: unknown): unknown {
  if (value === null || value === undefined) return null;
  if (typeof value !== "object") return integerOf(value);
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  if (Array.isArray(value) || ArrayBuffer.isView(value)) return Array.from(value as Iterable<unknown>, valueOf);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, valueOf(item)]));
}

function refuseTypes({ element, children }: SchemaTree, name: string): void {
  const refused = children.length > 0 ? null : refusedType(element);
  if (refused !== null)
    throw parameterError("invalid_parameter", "file", `column ${name}: events cannot have values of type ${refused}; write them as numbers or text`);
  for (const child of children) refuseTypes(child, `${name}.${child.element.name}`);
}

/** The name of a type that is no number, text, instant or boolean; null for others. */
function refusedType({ type, converted_type: converted, logical_type: logical, precision = 0 }: SchemaElement): string | null {
  if (converted === "DECIMAL" || logical?.type === "DECIMAL") return precision > EXACT_DIGITS ? `DECIMAL of ${precision} digits` : null;
  if (logical?.type === "TIME" || converted === "TIME_MILLIS" || converted === "TIME_MICROS") return "TIME";
  if (converted === "INTERVAL" || converted === "BSON") return converted;
  if (logical?.type === "GEOMETRY" || logical?.type === "GEOGRAPHY") return logical.type;
  return type === "FIXED_LEN_BYTE_ARRAY" && logical?.type !== "UUID" && logical?.type !== "FLOAT16" ? "FIXED_LEN_BYTE_ARRAY" : null;
}

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Bytes of a text column that are no UTF-8. */
class NotText extends Error {}

function textOf(bytes: Uint8Array | undefined): string | undefined {
  if (bytes === undefined) return undefined;
  try {
    return decoder.decode(bytes);
  } catch (cause) {
    throw new NotText("expected text in UTF-8", { cause });
  }
}

/** JSON stays text, because `jsonOf` decides about invalid JSON. Text must be UTF-8. */
const parsers: Partial<ParquetParsers> = {
  stringFromBytes: textOf,
  jsonFromBytes: textOf,
  uuidFromBytes: (bytes: Uint8Array | undefined) => (bytes === undefined ? undefined : uuidText(bytes)),
};

/** A file with random access. */
export type ParquetFile = AsyncBuffer;

export type Inflaters = Compressors;

/** A column of the file, what it sets, and how to convert its values. */
interface ParquetColumn extends ColumnTarget {
  readonly column: string;
  readonly leaves: readonly Leaf[];
  readonly convert: ConvertCell;
}

interface ParquetInput {
  readonly file: ParquetFile;
  readonly metadata: FileMetaData;
  readonly inflaters: Inflaters;
}

/** Events in one block. */
const BLOCK_EVENT_COUNT = 512;

/** Codecs that need no inflater. */
const KNOWN_CODECS = ["UNCOMPRESSED", "SNAPPY"];

/**
 * Events of a Parquet file for `ingest`, in blocks of some hundred; one row group at a time is in memory. Columns set members of events as those
 * of an Arrow file do: instants are timestamps, dates, epoch ms or text; `metadata` is JSON text or a struct; any other column becomes a
 * metadata key; null is not set; integers beyond 2^53 become text.
 * @param inflaters of codecs besides Snappy
 * @throws invalid_parameter (no Parquet, damaged, a codec without inflater, or a column of a type or a name that events cannot have)
 */
export async function* eventsFromParquet(file: ParquetFile, inflaters: Inflaters = {}): AsyncGenerator<readonly EventInput[]> {
  // Not with `parsers`: statistics may cut the bounds of a text column within a character, which `textOf` rejects.
  const metadata = await readable(() => parquetMetadataAsync(file, { geoparquet: false }));
  refuseCodecs(metadata, inflaters);
  const { children } = await readable(() => schemaOf(metadata, file.byteLength));
  const places = placesOf(children.map(({ element }) => element.name), "file");
  const targets = children.map((tree, index) => targetOf(tree, places[index] as ColumnTarget));
  const groups = metadata.row_groups.reverse();
  // Frees the metadata of each group after use: in a large file it is a good part of an import's memory.
  for (let group = groups.pop(); group !== undefined; group = groups.pop()) {
    const rowCount = Number(group.num_rows);
    if (rowCount === 0) continue;
    const columns = await readable(() => columnsOf({ file, metadata: { ...metadata, row_groups: [group] }, inflaters }, targets, rowCount));
    for (let from = 0; from < rowCount; from += BLOCK_EVENT_COUNT) {
      const length = Math.min(BLOCK_EVENT_COUNT, rowCount - from);
      yield Array.from({ length }, (_, at) => eventAt(columns, from + at));
    }
  }
}

/** @throws Error (damaged metadata) */
function schemaOf(metadata: FileMetaData, byteLength: number): SchemaTree {
  const schema = parquetSchema(metadata);
  refuseDamaged(metadata, schema.children.flatMap((child) => leavesOf(child)), byteLength);
  return schema;
}

function targetOf(tree: SchemaTree, place: ColumnTarget): ParquetColumn {
  return { ...place, column: tree.element.name, leaves: leavesOf(tree), convert: valueReader(tree, place) };
}

/** The columns of one row group, read one by one: the garbage of decoding one is freed before the next. */
async function columnsOf({ file, metadata, inflaters }: ParquetInput, targets: readonly ParquetColumn[], rowCount: number): Promise<EventColumn[]> {
  const scan = await parquetScan({ file, metadata, compressors: inflaters, parsers, geoparquet: false, useOffsetIndex: false });
  const chunks = metadata.row_groups.flatMap((group) => group.columns.flatMap(({ meta_data: chunk }) => chunk ?? []));
  const columns: EventColumn[] = [];
  for (const { column, leaves, convert, ...place } of targets) {
    for (const leaf of leaves) {
      const chunk = chunks.find(({ path_in_schema: path }) => path.join(".") === leaf.path);
      if (chunk !== undefined) await refuseDamagedPages(file, chunk, leaf);
    }
    const values: ArrayLike<unknown> = await scan.readColumn({ column, rowStart: 0, rowEnd: rowCount }).catch((cause: unknown) => {
      if (!(cause instanceof NotText)) throw cause;
      throw parameterError("invalid_parameter", "file", `column ${column}: expected text in UTF-8, got other bytes; write them as numbers or text`);
    });
    if (values.length !== rowCount) throw new Error(`column ${column} has ${values.length} values in ${rowCount} rows`);
    columns.push({ ...place, read: (row: number) => convert(values[row]) });
  }
  return columns;
}

function refuseCodecs({ row_groups: groups }: FileMetaData, inflaters: Inflaters): void {
  const known = [...KNOWN_CODECS, ...Object.keys(inflaters)];
  const codec = groups.flatMap(({ columns }) => columns.flatMap(({ meta_data: chunk }) => chunk?.codec ?? [])).find((name) => !known.includes(name));
  if (codec === undefined) return;
  throw parameterError("invalid_parameter", "file", `it is compressed with ${codec}, which is not supported; expected one of ${known.join(", ")}`);
}

async function readable<T>(read: () => T | Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (cause) {
    if (cause instanceof DaybookError) throw cause;
    const reason = `expected a whole Parquet file: ${cause instanceof Error ? cause.message : String(cause)}`;
    throw new DaybookError("invalid_parameter", `file: ${reason}`, { param: "file", reason }, { cause });
  }
}

/**
 * Walks the page headers of a column chunk as the library will: each page must follow its header and lie within the chunk, and all together must
 * hold the declared number of values. The library would read a page with a negative or missing length forever. @throws Error
 */
async function refuseDamagedPages(file: AsyncBuffer, chunk: ColumnMetaData, { path, isRepeated }: Leaf): Promise<void> {
  const [start, end] = chunkRange(chunk);
  const reader = { view: new DataView(await file.slice(start, end)), offset: 0 };
  const { byteLength } = reader.view;
  const valueCount = Number(chunk.num_values);
  let seenCount = 0;
  while ((isRepeated || seenCount < valueCount) && reader.offset < byteLength - 1) {
    const header = parquetHeader(reader);
    const { compressed_page_size: size } = header;
    if (!isWhole(header) || reader.offset + size > byteLength) throw new Error(`column ${path} has a page outside its bytes`);
    reader.offset += size;
    seenCount += (header.data_page_header_v2 ?? header.data_page_header)?.num_values ?? 0;
  }
  if (seenCount !== valueCount) throw new Error(`column ${path} declares ${valueCount} values, its pages ${seenCount}`);
}

/** Whether the header has every number that reading its page requires. */
function isWhole({ type, compressed_page_size: size, uncompressed_page_size: wholeSize, ...header }: PageHeader): boolean {
  if (!isCount(size) || !isCount(wholeSize)) return false;
  if (type === "DICTIONARY_PAGE") return isCount(header.dictionary_page_header?.num_values);
  if (type === "DATA_PAGE") return isCount(header.data_page_header?.num_values);
  const page = header.data_page_header_v2;
  if (page === undefined) return false;
  const { definition_levels_byte_length: definitions, repetition_levels_byte_length: repetitions } = page;
  return [page.num_values, page.num_rows, page.num_nulls, definitions, repetitions].every(isCount) && definitions + repetitions <= size;
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
