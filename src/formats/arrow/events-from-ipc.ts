import { RecordBatchReader } from "apache-arrow";
import type { Field, RecordBatch, Schema } from "apache-arrow";
import { DaybookError, parameterError } from "../../core/base/errors.js";
import { LIMITS } from "../../core/base/limits.js";
import type { EventInput } from "../../core/schema/event.js";
import { eventAt, placesOf } from "./event-columns.js";
import type { ColumnTarget, ReadValue } from "./event-columns.js";
import { JSON_MARK } from "./json-mark.js";
import { jsonReader, valueReader } from "./read-values.js";
import { ValueRoom } from "./value-room.js";

/** What a column sets, and how to read it. */
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
