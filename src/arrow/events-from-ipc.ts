import { RecordBatchReader } from "apache-arrow";
import type { RecordBatch, Schema } from "apache-arrow";
import { DaybookError, parameterError } from "../base/errors.js";
import type { EventInput } from "../schema/event.js";
import { eventAt, placeOf } from "./event-columns.js";
import type { Place, ReadValue } from "./event-columns.js";
import { JSON_MARK } from "./json-mark.js";
import { jsonReader, valueReader } from "./read-values.js";

/** What a column fills, and how it is read. */
interface Target extends Place {
  readonly readerIn: (batch: RecordBatch) => ReadValue;
}

/**
 * Events of an Arrow IPC stream or file, for `ingest`. Columns called like event members, in camelCase or snake_case, fill
 * them; `createdAt` is a timestamp, a date, epoch ms or RFC 3339 text; `metadata` is JSON text or a struct; a column
 * `metadata.KEY`, and any other column, becomes a metadata key. Null is not set. Text may be dictionary-encoded. Integers
 * beyond 2^53 become text. Values are checked by `ingest`, event by event.
 * @param bytes all of it; not compressed
 * @throws invalid_parameter (no Arrow IPC, cut short, compressed, or a column of a type that events cannot have)
 */
export function* eventsFromIpc(bytes: Uint8Array): Generator<EventInput> {
  refuseCutShort(bytes);
  let targets: readonly Target[] | null = null;
  let rowCount = 0;
  for (const batch of batchesOf(bytes)) {
    rowCount += batch.numRows;
    // Each event has a name, and a name some byte: rows of columns that take none could be more than there is time for.
    if (rowCount > bytes.length) throw expected(`${rowCount} rows in ${bytes.length} bytes`);
    targets ??= targetsOf(batch.schema);
    const columns = targets.map(({ readerIn, ...place }) => ({ ...place, read: readerIn(batch) }));
    for (let row = 0; row < batch.numRows; row += 1) yield eventAt(columns, row);
  }
}

function targetsOf(schema: Schema): Target[] {
  return schema.fields.map((field, index) => {
    const { name, type } = field;
    const place = placeOf(name);
    const isJson = name === "metadata" || (place.member === null && field.metadata.get(JSON_MARK[0]) === JSON_MARK[1]);
    const readerOf = isJson ? jsonReader(name, type) : valueReader(name, type, place.isTime ? "ms" : "text");
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
  let reader: Iterator<RecordBatch>;
  try {
    reader = RecordBatchReader.from(bytes)[Symbol.iterator]();
  } catch (cause) {
    throw unreadable(cause);
  }
  for (;;) {
    let next: IteratorResult<RecordBatch>;
    try {
      next = reader.next();
    } catch (cause) {
      throw unreadable(cause);
    }
    if (next.done === true) return;
    yield next.value;
  }
}

const FILE_MAGIC = [..."ARROW1"].map((character) => character.charCodeAt(0));
const STREAM_END = [0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0];

/** The format has no checksum, and a stream cut between two batches looks whole: its end mark is asked for. */
function refuseCutShort(bytes: Uint8Array): void {
  if (!(bytes instanceof Uint8Array)) throw expected("something else");
  const isFile = FILE_MAGIC.every((byte, at) => bytes[at] === byte);
  const end = isFile ? FILE_MAGIC : STREAM_END;
  const isWhole = bytes.length > 2 * end.length && end.every((byte, at) => bytes[bytes.length - end.length + at] === byte);
  if (!isWhole) throw expected(`${bytes.length} bytes without ${isFile ? "the magic at the end" : "an end mark"}`);
}

function unreadable(cause: unknown): DaybookError {
  const reason = `expected an uncompressed Arrow IPC stream or file: ${cause instanceof Error ? cause.message : String(cause)}`;
  return new DaybookError("invalid_parameter", `bytes: ${reason}`, { param: "bytes", reason }, { cause });
}

function expected(got: string): DaybookError {
  return parameterError("invalid_parameter", "bytes", `expected an Arrow IPC stream or file, got ${got}`);
}
