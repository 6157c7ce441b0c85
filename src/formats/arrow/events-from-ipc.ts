import { DaybookError, parameterError } from "../../core/base/errors.js";
import {
  DataType, Vector, Binary, BinaryView, Data, Dictionary, Field, FixedSizeList, LargeBinary, LargeList, List, Map_, Struct, RecordBatchReader,
  type RecordBatch, type Schema,
} from "apache-arrow";
import { createdAtOf } from "../../core/schema/instant.js";
import { integerOf, jsonOf, eventAt, placesOf, JSON_MARK, type ReadValue, type ColumnTarget } from "./event-columns.js";
import { LIMITS } from "../../core/base/limits.js";
import type { EventInput } from "../../core/schema/event.js";

/**
 * Counts the estimated bytes of a body's values as JSON. Rows that share a value, or have none, take almost no bytes of the body itself, but as
 * much time as others.
 */
export class ValueRoom {
  #byteLength = 0;

  constructor(readonly maxByteLength: number = Infinity) {}

  get byteLength(): number {
    return this.#byteLength;
  }

  /** Checks that so many bytes are left, without counting them. @throws body_too_large */
  expect(byteLength: number): void {
    const wanted = this.#byteLength + byteLength;
    if (wanted <= this.maxByteLength) return;
    throw new DaybookError("body_too_large", `expected events of at most ${this.maxByteLength} bytes as JSON, got ${wanted} bytes or more`);
  }

  /** Counts bytes. @throws body_too_large */
  take(byteLength: number): void {
    if (this.#byteLength + byteLength > this.maxByteLength) this.expect(byteLength);
    this.#byteLength += byteLength;
  }
}

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Decodes text exactly: the library drops a leading byte order mark and replaces invalid UTF-8 with U+FFFD. @throws TypeError */
function textOf(bytes: unknown): string {
  return decoder.decode(bytes as Uint8Array);
}

function isText(type: DataType): boolean {
  return DataType.isUtf8(type) || DataType.isLargeUtf8(type) || DataType.isUtf8View(type);
}

/** The same column with bytes instead of texts, at any depth; shares the buffers. */
function withTextBytes(column: Vector): Vector {
  return new Vector(column.data.map(dataWithBytes));
}

function dataWithBytes(data: Data): Data {
  const { type, offset, length, nullCount, children, variadicBuffers } = data;
  const inner = children.map(dataWithBytes);
  const dictionary = data.dictionary === undefined ? undefined : withTextBytes(data.dictionary);
  return new Data(typeWithBytes(type), offset, length, nullCount, data, inner, dictionary, variadicBuffers);
}

function typeWithBytes(type: DataType): DataType {
  if (DataType.isUtf8(type)) return new Binary();
  if (DataType.isLargeUtf8(type)) return new LargeBinary();
  if (DataType.isUtf8View(type)) return new BinaryView();
  if (DataType.isDictionary(type)) return new Dictionary(typeWithBytes(type.dictionary as DataType), type.indices, type.id, type.isOrdered);
  if (DataType.isStruct(type)) return new Struct(type.children.map(fieldWithBytes));
  if (DataType.isList(type)) return new List(fieldWithBytes(type.children[0] as Field));
  if (DataType.isLargeList(type)) return new LargeList(fieldWithBytes(type.children[0] as Field));
  if (DataType.isFixedSizeList(type)) return new FixedSizeList(type.listSize, fieldWithBytes(type.children[0] as Field));
  if (DataType.isMap(type)) return new Map_(fieldWithBytes(type.children[0] as Field) as ConstructorParameters<typeof Map_>[0], type.keysSorted);
  return type;
}

function fieldWithBytes(field: Field): Field {
  return new Field(field.name, typeWithBytes(field.type as DataType), field.nullable, field.metadata);
}

/** Makes the reader of a field's column in one batch. */
type ReaderOf = (column: Vector) => ReadValue;

/** The form of an instant: epoch ms as events accept it, or ISO text. */
type InstantForm = "ms" | "text";

/** Estimated bytes of a number or flag as JSON. */
const SCALAR_BYTES = 4;

/** Reads values as events accept them. @param room that counts their bytes @throws invalid_parameter (a type that events cannot have) */
function valueReader(name: string, type: DataType, instants: InstantForm, room: ValueRoom): ReaderOf {
  return readerOf(type, converter(name, type, instants, room), room);
}

/** Reads text as the JSON it contains; other text stays text. A struct or map is already an object. */
function jsonReader(name: string, type: DataType, room: ValueRoom): ReaderOf {
  const convert = converter(name, type, "text", room);
  return readerOf(type, (value) => jsonOf(convert(value)), room);
}

type ConvertValue = (value: unknown) => unknown;

/** A value of a dictionary, and the bytes that each use of it counts for. */
interface DictionaryValue {
  readonly value: unknown;
  readonly byteLength: number;
}

function readerOf(type: DataType, convert: ConvertValue, room: ValueRoom): ReaderOf {
  if (!DataType.isDictionary(type)) {
    return (column) => {
      const ofBytes = withTextBytes(column);
      return (row) => valueOf(convert, valueAt(ofBytes, row));
    };
  }
  // Converts each value of a dictionary once, however many rows have it.
  const known = new WeakMap<Vector, { readonly ofBytes: Vector; readonly values: Map<number, DictionaryValue> }>();
  return (column) => {
    const [data] = column.data;
    const dictionary = data?.dictionary;
    if (data === undefined || dictionary === undefined) return () => null;
    const { ofBytes, values } = known.get(dictionary) ?? { ofBytes: withTextBytes(dictionary), values: new Map<number, DictionaryValue>() };
    known.set(dictionary, { ofBytes, values });
    const indexes = data.values as ArrayLike<number | bigint>;
    return (row) => {
      const index = data.getValid(row) ? Number(indexes[row]) : -1;
      if (!(index >= 0 && index < dictionary.length)) return null;
      const met = values.get(index);
      if (met !== undefined) {
        room.take(met.byteLength);
        return met.value;
      }
      const before = room.byteLength;
      const value = valueOf(convert, valueAt(ofBytes, index));
      values.set(index, { value, byteLength: room.byteLength - before });
      return value;
    };
  };
}

/** The library throws for an instant beyond 2^53 ms. It becomes the text of its number, so that `ingest` rejects only its event. */
function valueAt(column: Vector, row: number): unknown {
  if (!DataType.isTimestamp(column.type) && !DataType.isDate(column.type)) return column.get(row);
  try {
    return column.get(row);
  } catch (cause) {
    const raw = rawAt(column, row);
    if (typeof raw === "bigint") return String(raw);
    throw cause;
  }
}

function rawAt(column: Vector, row: number): unknown {
  let at = row;
  for (const data of column.data) {
    if (at < data.length) return (data.values as ArrayLike<unknown>)[at];
    at -= data.length;
  }
  return null;
}

function valueOf(convert: ConvertValue, value: unknown): unknown {
  return value === null || value === undefined ? null : convert(value);
}

function converter(name: string, type: DataType, instants: InstantForm, room: ValueRoom): ConvertValue {
  const inner = (path: string, inside: DataType) => converter(path, inside, "text", room);
  const taken: ConvertValue = (value) => {
    room.take(typeof value === "string" ? value.length : SCALAR_BYTES);
    return value;
  };
  // An item without a value also takes time, and a byte or more as JSON.
  const itemOf = (convert: ConvertValue, item: unknown) => {
    room.take(1);
    return valueOf(convert, item);
  };
  if (DataType.isDictionary(type)) return converter(name, type.dictionary as DataType, instants, room);
  if (DataType.isInt(type)) return (value) => integerOf(taken(value));
  if (DataType.isTimestamp(type) || DataType.isDate(type)) return instants === "ms" ? (value) => createdAtOf(taken(value)) : (value) => isoText(taken(value));
  if (DataType.isStruct(type)) {
    const members = type.children.map((child) => [child.name, inner(`${name}.${child.name}`, child.type)] as const);
    return (value) => Object.fromEntries(members.map(([key, convert]) => [key, itemOf(convert, (value as Record<string, unknown>)[key])]));
  }
  if (DataType.isMap(type)) {
    const convert = inner(name, type.valueType as DataType);
    const keyOf = inner(name, type.keyType as DataType);
    const entry = ([key, item]: readonly [unknown, unknown]) => [keyOf(key) as string, itemOf(convert, item)] as const;
    return (value) => Object.fromEntries(Array.from(value as Iterable<[unknown, unknown]>, entry));
  }
  if (DataType.isList(type) || DataType.isLargeList(type) || DataType.isFixedSizeList(type)) {
    const convert = inner(name, type.valueType as DataType);
    return (value) => Array.from(value as Iterable<unknown>, (item) => itemOf(convert, item));
  }
  if (isText(type)) return (value) => taken(textOf(value));
  if (DataType.isNull(type) || DataType.isBool(type) || DataType.isFloat(type)) return taken;
  throw parameterError("invalid_parameter", "bytes", `column ${name}: events cannot have values of type ${String(type)}; write them as numbers or text`);
}

/** An instant out of the range of `Date` stays a number. */
function isoText(value: unknown): unknown {
  const date = new Date(value as number);
  return Number.isNaN(date.getTime()) ? value : date.toISOString();
}

interface IpcColumn extends ColumnTarget {
  readonly readerIn: (batch: RecordBatch) => ReadValue;
}

/**
 * Events of an Arrow IPC stream or file, for `ingest`. Columns named like event members, ignoring case and separators, set these;
 * `createdAt` is a timestamp, a date, epoch ms or RFC 3339 text; `metadata` is JSON text or a struct; a column `metadata.KEY`, and any other
 * column, becomes a metadata key. Null is not set. Text may be dictionary-encoded. Integers beyond 2^53 become text. `ingest` checks the
 * values of each event.
 * @param bytes all of it; not compressed
 * @param room that counts the bytes of the events
 * @throws invalid_parameter (no Arrow IPC, cut short, compressed, or a column of a type or a name that events cannot have), body_too_large
 */
export function* eventsFromIpc(bytes: Uint8Array, room: ValueRoom = new ValueRoom()): Generator<EventInput> {
  refuseCutShort(bytes);
  let targets: readonly IpcColumn[] | null = null;
  let rowCount = 0;
  for (const batch of batchesOf(bytes)) {
    rowCount += batch.numRows;
    // Every event needs a name of at least one byte: columns without bytes could declare more rows than there is time for.
    if (rowCount > bytes.length) throw expected(`${rowCount} rows in ${bytes.length} bytes`);
    targets ??= readable(() => targetsOf(batch.schema, room));
    const columns = readable(() => targets?.map(({ readerIn, ...place }) => ({ ...place, read: readerIn(batch) })) ?? []);
    const rowBytes = LIMITS.arrowEventBytes + columns.length * LIMITS.arrowCellBytes;
    room.expect(rowBytes * batch.numRows);
    for (let row = 0; row < batch.numRows; row += 1) {
      room.take(rowBytes);
      yield readable(() => eventAt(columns, row));
    }
  }
}

function targetsOf(schema: Schema, room: ValueRoom): IpcColumn[] {
  const places = placesOf(schema.fields.map(({ name }) => name), "bytes");
  return places.map((place, index) => {
    const { name, type, metadata } = schema.fields[index] as Field;
    const isJson = place.member === "metadata" || (place.member === null && metadata.get(JSON_MARK[0]) === JSON_MARK[1]);
    const readerOf = isJson ? jsonReader(name, type, room) : valueReader(name, type, place.isTime ? "ms" : "text", room);
    return {
      ...place,
      readerIn: (batch: RecordBatch) => {
        const column = batch.getChildAt(index);
        if (column === null) throw parameterError("invalid_parameter", "bytes", `column ${name} is missing in a batch`);
        return readerOf(column);
      },
    };
  });
}

function* batchesOf(bytes: Uint8Array): Generator<RecordBatch> {
  const reader: Iterator<RecordBatch> = readable(() => RecordBatchReader.from(bytes)[Symbol.iterator]());
  for (;;) {
    const next = readable(() => reader.next());
    if (next.done === true) return;
    yield next.value;
  }
}

const FILE_MAGIC = [..."ARROW1"].map((character) => character.charCodeAt(0));
const STREAM_END = [0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0];

/** The format has no checksum, and a stream cut between two batches looks whole: require the end mark. */
function refuseCutShort(bytes: Uint8Array): void {
  if (!(bytes instanceof Uint8Array)) throw expected("a value that is not a Uint8Array");
  const isFile = FILE_MAGIC.every((byte, at) => bytes[at] === byte);
  const end = isFile ? FILE_MAGIC : STREAM_END;
  const isWhole = bytes.length > 2 * end.length && end.every((byte, at) => bytes[bytes.length - end.length + at] === byte);
  if (!isWhole) throw expected(`${bytes.length} bytes without ${isFile ? "the magic bytes at the end" : "an end-of-stream mark"}`);
}

/** Any error of the library means that the bytes are invalid. */
function readable<T>(read: () => T): T {
  try {
    return read();
  } catch (cause) {
    if (cause instanceof DaybookError) throw cause;
    const reason = `expected an uncompressed Arrow IPC stream or file: ${cause instanceof Error ? cause.message : String(cause)}`;
    throw new DaybookError("invalid_parameter", `bytes: ${reason}`, { param: "bytes", reason }, { cause });
  }
}

function expected(got: string): DaybookError {
  return parameterError("invalid_parameter", "bytes", `expected an Arrow IPC stream or file, got ${got}`);
}
