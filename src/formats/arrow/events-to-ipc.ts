/* eslint-disable @typescript-eslint/no-non-null-assertion -- codes are bounded by their dictionary, rows by their column */
import {
  Field, RecordBatch, Schema, Struct, TimestampMillisecond, Utf8, makeData, Bool, Dictionary as DictionaryType, Float64, Int16, Int32, Int8, Uint32, Vector,
  AsyncByteQueue, RecordBatchFileWriter, RecordBatchStreamWriter, type Data,
} from "apache-arrow";
import { concatBytes } from "../../core/base/arrays.js";
import { dayStartMs } from "../../core/base/time.js";
import { yieldToEventLoop } from "../../core/base/yield.js";
import { uuidText } from "../../core/base/uuid.js";
import { codeAt, type CodeColumn } from "../../storage/column/column.js";
import type { Dictionaries } from "../../storage/column/dictionaries.js";
import { FIELDS, type FieldRow } from "../../core/schema/fields.js";
import type { Rows } from "../../storage/segment/rows.js";
import type { Dictionary } from "../../storage/column/dictionary.js";
import {
  asDayRows, daysOf, exportedRows, mergedInOrder, rowsInRange, whileLoaded, instantsOf, metadataTexts, valuesOf, identityIds, sequencesOf, type DayRows,
  type AddedColumns, type EventRange, type ReceivedAt,
} from "./day-rows.js";
import { JSON_MARK } from "./event-columns.js";
import { flagData, numberData, utf8Data, validityOf } from "./utf8-data.js";

/** `file` allows random access and ends with a footer; `stream` can be read while it arrives. */
export type IpcFormat = "file" | "stream";

class Chunks extends AsyncByteQueue {
  #chunks: Uint8Array[] = [];

  override write(chunk: Uint8Array): void {
    this.#chunks.push(chunk);
  }

  take(): Uint8Array {
    const bytes = concatBytes(this.#chunks);
    this.#chunks = [];
    return bytes;
  }
}

/** Rows of one record batch: its texts stay far below the 2 GiB that Arrow's offsets can address. */
const BATCH_ROW_COUNT = 16_384;

const ID = new Field("id", new Utf8(), false);
const CREATED_AT = new Field("createdAt", new TimestampMillisecond("UTC"), false);
const IDENTITY_ID = new Field("identityId", new Utf8(), true);
const METADATA = new Field("metadata", new Utf8(), true);
const MARKED_METADATA = new Field("metadata", new Utf8(), true, new Map([JSON_MARK, ["ARROW:extension:metadata", ""]]));

const SEQUENCE = new Field("sequence", new Uint32(), false);
const RECEIVED_AT = new Field("receivedAt", new TimestampMillisecond("UTC"), true);

interface IpcColumns extends AddedColumns {
  /** Marks `metadata` as JSON: readers without extension types reject such a file. Default false. */
  readonly jsonMark?: boolean;
}

/**
 * Exports every event of a range in (createdAt, event id) order as an Arrow IPC stream or file, in chunks. Columns: `id` as UUID text,
 * `createdAt` as UTC milliseconds, the fields by their camelCase names (texts dictionary-encoded, `notify` as true or false, `value` as a
 * number), and `metadata` as JSON text; null is not set. Each text field has one dictionary, written once, of the values in the exported
 * events. Days are read twice, for the dictionaries and for the rows, and one at a time.
 * @param rows of a snapshot that stays valid until the end
 * @param pause yields between segments and between batches; what it throws ends the export
 * @throws corruption
 */
export async function* eventsToIpc(
  rows: readonly Rows[],
  dictionaries: Dictionaries,
  range: EventRange,
  format: IpcFormat,
  { identityIdOf = null, received = null, jsonMark = false }: IpcColumns = {},
  pause: () => Promise<void> = yieldToEventLoop,
): AsyncGenerator<Uint8Array> {
  const projectCode = range.project === null ? null : dictionaries.named("project").codeOf(range.project);
  const days = daysOf(rows, range, projectCode);
  const columns = await columnsFor(days, dictionaries, range, projectCode, pause);
  const metadata = jsonMark ? MARKED_METADATA : METADATA;
  const schema = new Schema([ID, CREATED_AT, ...columns.map((column) => column.field), metadata, ...(identityIdOf === null ? [] : [IDENTITY_ID]), ...(received === null ? [] : [SEQUENCE, RECEIVED_AT])]);
  const added = { identityIdOf, received };
  const chunks = new Chunks();
  const writer = format === "file" ? new RecordBatchFileWriter() : new RecordBatchStreamWriter();
  writer.reset(chunks, schema);
  let batchCount = 0;
  for (const sources of days) {
    await pause();
    const day = await whileLoaded(sources, () => mergedInOrder(sources, range));
    const selected = rowsInRange(day, range, projectCode);
    for (let from = 0; from < selected.length; from += BATCH_ROW_COUNT) {
      await pause();
      writer.write(batchOf(day, selected.subarray(from, from + BATCH_ROW_COUNT), schema, columns, dictionaries, added));
      yield chunks.take();
      batchCount += 1;
    }
  }
  // Without a batch there would be no dictionaries, and some readers require them.
  if (batchCount === 0) writer.write(batchOf(NO_ROWS, new Uint32Array(0), schema, columns, dictionaries, added));
  writer.close();
  yield chunks.take();
}

const NO_ROWS: DayRows = {
  day: 0,
  times: new Int32Array(0),
  ids: new Uint8Array(0),
  sequences: new Uint32Array(0),
  column: () => ({ kind: "dense", codes: new Uint8Array(0) }),
};

async function columnsFor(
  days: readonly (readonly Rows[])[],
  dictionaries: Dictionaries,
  range: EventRange,
  projectCode: number | null,
  pause: () => Promise<void>,
): Promise<FieldColumn[]> {
  const used = FIELDS.map(({ column }) => new Uint8Array(dictionaries.named(column).size));
  for (const rows of days.flat()) {
    await pause();
    await whileLoaded([rows], () => {
      const day = asDayRows(rows);
      const selected = exportedRows(rows, range, projectCode);
      FIELDS.forEach(({ column }, field) => {
        const codes = day.column(column);
        for (let at = 0; at < selected.length; at += 1) used[field]![codeAt(codes, selected[at]!)] = 1;
      });
    });
  }
  return FIELDS.map((field, index) => fieldColumn(field, dictionaries.named(field.column), used[index]!, index));
}

function batchOf(
  day: DayRows,
  rows: Uint32Array,
  schema: Schema,
  columns: readonly FieldColumn[],
  dictionaries: Dictionaries,
  { identityIdOf, received }: Required<AddedColumns>,
): RecordBatch {
  const children: Data[] = [
    utf8Data(valuesOf(rows, (row) => uuidText(day.ids, row * 16))),
    makeData({ type: CREATED_AT.type, length: rows.length, nullCount: 0, data: instantsOf(dayStartMs(day.day), day.times, rows) }),
    ...FIELDS.map(({ column }, index) => columns[index]!.data(day.column(column), rows)),
    utf8Data(metadataTexts(day, rows, dictionaries)),
    ...(identityIdOf === null ? [] : [utf8Data(identityIds(day, rows, identityIdOf))]),
    ...(received === null ? [] : receiptData(sequencesOf(day, rows), received)),
  ];
  const data = makeData({ type: new Struct(schema.fields), length: rows.length, nullCount: 0, children });
  return new RecordBatch(schema, data);
}

function receiptData(sequences: Uint32Array, received: ReceivedAt): Data[] {
  const { length } = sequences;
  const times = new BigInt64Array(length);
  const isKnown = new Uint8Array(length);
  sequences.forEach((sequence, at) => {
    const receivedMs = received.of(sequence);
    if (receivedMs === null) return;
    times[at] = BigInt(receivedMs);
    isKnown[at] = 1;
  });
  return [
    makeData({ type: SEQUENCE.type, length, nullCount: 0, data: sequences }),
    makeData({ type: RECEIVED_AT.type, length, ...validityOf(isKnown).done(), data: times }),
  ];
}

interface FieldColumn {
  readonly field: Field;
  /** The values of some rows; null if not set. */
  data(column: CodeColumn, rows: Uint32Array): Data;
}

/** Its dictionary holds only values of exported events, so that one project reveals nothing of another. @param used 1 for each code in use */
function fieldColumn(row: FieldRow, dictionary: Dictionary, used: Uint8Array, id: number): FieldColumn {
  if (row.accepts === "boolean") {
    const trueCode = dictionary.codeOf("true");
    return { field: new Field(row.camel, new Bool(), false), data: (column, rows) => flagData(codesAt(column, rows), trueCode) };
  }
  if (row.accepts === "number") {
    const valueOf = (code: number) => Number(dictionary.valueOf(code));
    return { field: new Field(row.camel, new Float64(), true), data: (column, rows) => numberData(codesAt(column, rows), valueOf) };
  }
  return textColumn(row.camel, dictionary, used, id);
}

function codesAt(column: CodeColumn, rows: Uint32Array): Uint32Array {
  const codes = new Uint32Array(rows.length);
  for (let at = 0; at < rows.length; at += 1) codes[at] = codeAt(column, rows[at]!);
  return codes;
}

function textColumn(name: string, dictionary: Dictionary, used: Uint8Array, id: number): FieldColumn {
  const texts: string[] = [];
  const indexes = new Int32Array(used.length);
  for (let code = 1; code < used.length; code += 1) {
    if (used[code] === 0) continue;
    indexes[code] = texts.length;
    texts.push(dictionary.valueOf(code));
  }
  const values = new Vector([utf8Data(texts)]);
  const type = new DictionaryType(new Utf8(), indexType(texts.length), id);
  const data = (column: CodeColumn, rows: Uint32Array) => {
    const codes = codesAt(column, rows);
    const own = new type.indices.ArrayType(rows.length);
    for (let at = 0; at < rows.length; at += 1) own[at] = indexes[codes[at]!]!;
    return makeData({ type, length: rows.length, ...validityOf(codes).done(), data: own, dictionary: values });
  };
  return { field: new Field(name, type, true), data };
}

/** Signed, as the format recommends: some readers reject unsigned ones. */
function indexType(valueCount: number): Int8 | Int16 | Int32 {
  return valueCount <= 0x80 ? new Int8() : valueCount <= 0x8000 ? new Int16() : new Int32();
}
