import { RecordBatchReader } from "apache-arrow";
import type { RecordBatch, Schema } from "apache-arrow";
import { DaybookError, parameterError } from "../base/errors.js";
import type { EventInput } from "../schema/event.js";
import { FIELDS } from "../schema/fields.js";
import { JSON_MARK } from "./json-mark.js";
import { jsonReader, valueReader } from "./read-values.js";
import type { ReadValue } from "./read-values.js";

/** Members of an event; every other column is a metadata key. */
const MEMBERS: ReadonlySet<string> = new Set([
  "id", "createdAt", "created_at", "timestamp", "metadata", "identityId",
  ...FIELDS.flatMap(({ camel, aliases }) => [camel, ...aliases]),
]);
const TIMES: ReadonlySet<string> = new Set(["createdAt", "created_at", "timestamp"]);
const METADATA_PREFIX = "metadata.";

/** What a column fills: a member of the event or a key of its metadata. */
interface Target {
  readonly member: string | null;
  readonly key: string;
  readonly read: (batch: RecordBatch) => ReadValue;
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
  for (const batch of batchesOf(bytes)) {
    targets ??= targetsOf(batch.schema);
    const columns = targets.map(({ member, key, read }) => ({ member, key, read: read(batch) }));
    for (let row = 0; row < batch.numRows; row += 1) yield eventAt(columns, row);
  }
}

function eventAt(columns: readonly { member: string | null; key: string; read: ReadValue }[], row: number): EventInput {
  const event: Record<string, unknown> = {};
  const keys: [string, unknown][] = [];
  for (const { member, key, read } of columns) {
    const value = read(row);
    if (value === null) continue;
    if (member !== null) event[member] = value;
    else keys.push([key, value]);
  }
  if (keys.length > 0) event["metadata"] = withKeys(event["metadata"], keys);
  // Whether it is an event, and a good one, is for `ingest` to say.
  return event as Partial<EventInput> as EventInput;
}

function withKeys(metadata: unknown, keys: readonly [string, unknown][]): unknown {
  if (metadata === undefined) return Object.fromEntries(keys);
  if (typeof metadata !== "object" || metadata === null) return metadata;
  return Object.fromEntries([...Object.entries(metadata), ...keys]);
}

function targetsOf(schema: Schema): Target[] {
  return schema.fields.map((field, index) => {
    const { name, type } = field;
    const member = MEMBERS.has(name) ? name : null;
    const key = name.startsWith(METADATA_PREFIX) ? name.slice(METADATA_PREFIX.length) : name;
    const isJson = name === "metadata" || (member === null && field.metadata.get(JSON_MARK[0]) === JSON_MARK[1]);
    const readerOf = isJson ? jsonReader(name, type) : valueReader(name, type, TIMES.has(name) ? "ms" : "text");
    return {
      member,
      key,
      read: (batch: RecordBatch) => {
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
