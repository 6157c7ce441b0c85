/* eslint-disable @typescript-eslint/no-non-null-assertion -- codes are bounded by their dictionary, rows by their column */
import { Field, RecordBatch, Schema, Struct, TimestampMillisecond, Utf8, makeData } from "apache-arrow";
import type { Data } from "apache-arrow";
import { dayStartMs } from "../base/time.js";
import { nextTurn } from "../base/turn.js";
import { uuidText } from "../base/uuid.js";
import { codeAt } from "../column/column.js";
import type { Dictionaries } from "../column/dictionaries.js";
import { FIELDS } from "../schema/fields.js";
import type { Rows } from "../segment/rows.js";
import { asDayRows, daysOf, inOrder, rowsInRange, whileLoaded } from "./day-rows.js";
import type { DayRows, EventRange, IdentityIdOf } from "./day-rows.js";
import { fieldColumn } from "./field-column.js";
import type { FieldColumn } from "./field-column.js";
import { instantsOf } from "./instants.js";
import { IpcWriter } from "./ipc-writer.js";
import type { IpcFormat } from "./ipc-writer.js";
import { JSON_MARK } from "./json-mark.js";
import { metadataTexts } from "./metadata-texts.js";
import { utf8Data } from "./utf8-data.js";

/** Rows of one record batch: its texts stay far below the 2 GiB that Arrow's offsets reach. */
const BATCH_ROW_COUNT = 16_384;

const ID = new Field("id", new Utf8(), false);
const CREATED_AT = new Field("createdAt", new TimestampMillisecond("UTC"), false);
const IDENTITY_ID = new Field("identityId", new Utf8(), true);
const METADATA = new Field("metadata", new Utf8(), true);
const MARKED_METADATA = new Field("metadata", new Utf8(), true, new Map([JSON_MARK, ["ARROW:extension:metadata", ""]]));

/** What an export has or lacks besides. */
export interface IpcColumns {
  /** For a last column `identityId`; absent: none. */
  readonly identityIdOf?: IdentityIdOf | null;
  /** Marks `metadata` as JSON: readers that know no extension types refuse such a file. Default false. */
  readonly jsonMark?: boolean;
}

/**
 * Every event of a range in (createdAt, event id) order as an Arrow IPC stream or file, in pieces. Columns: `id` as UUID
 * text, `createdAt` as UTC milliseconds, the fields under their camelCase names (texts dictionary-encoded, `notify` as
 * true or false, `value` as a number), and `metadata` as JSON text; null is not set. Each of these text columns has one dictionary,
 * written once, of the values that the exported events have. Days are read twice, for the dictionaries and for the rows,
 * and one at a time.
 * @param rows of a snapshot that is kept until the end
 * @param pause gives others a turn between segments and between batches; what it throws ends the export
 * @throws corruption
 */
export async function* eventsToIpc(
  rows: readonly Rows[],
  dictionaries: Dictionaries,
  range: EventRange,
  format: IpcFormat,
  { identityIdOf = null, jsonMark = false }: IpcColumns = {},
  pause: () => Promise<void> = nextTurn,
): AsyncGenerator<Uint8Array> {
  const projectCode = range.project === null ? null : dictionaries.named("project").codeOf(range.project);
  const days = daysOf(rows, range, projectCode);
  const columns = await columnsFor(days, dictionaries, range, projectCode, pause);
  const metadata = jsonMark ? MARKED_METADATA : METADATA;
  const schema = new Schema([ID, CREATED_AT, ...columns.map((column) => column.field), metadata, ...(identityIdOf === null ? [] : [IDENTITY_ID])]);
  const writer = new IpcWriter(format, schema);
  let batchCount = 0;
  for (const sources of days) {
    await pause();
    const day = await whileLoaded(sources, () => inOrder(sources));
    const selected = rowsInRange(day, range, projectCode);
    for (let from = 0; from < selected.length; from += BATCH_ROW_COUNT) {
      await pause();
      yield writer.write(batchOf(day, selected.subarray(from, from + BATCH_ROW_COUNT), schema, columns, dictionaries, identityIdOf));
      batchCount += 1;
    }
  }
  // Without a batch there would be no dictionaries, and some readers look for them.
  if (batchCount === 0) yield writer.write(batchOf(NO_ROWS, new Uint32Array(0), schema, columns, dictionaries, identityIdOf));
  yield writer.end();
}

const NO_ROWS: DayRows = {
  day: 0,
  times: new Int32Array(0),
  ids: new Uint8Array(0),
  column: () => ({ kind: "dense", codes: new Uint8Array(0) }),
};

/** The columns of the fields, once it is known which values the events have. */
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
      const selected = rowsInRange(day, range, projectCode);
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
  identityIdOf: IdentityIdOf | null,
): RecordBatch {
  const children: Data[] = [
    utf8Data(Array.from(rows, (row) => uuidText(day.ids, row * 16))),
    instants(day, rows),
    ...FIELDS.map(({ column }, index) => columns[index]!.data(day.column(column), rows)),
    utf8Data(metadataTexts(day, rows, dictionaries)),
    ...(identityIdOf === null ? [] : [identityIds(day, rows, identityIdOf)]),
  ];
  const data = makeData({ type: new Struct(schema.fields), length: rows.length, nullCount: 0, children });
  return new RecordBatch(schema, data);
}

function identityIds({ column }: DayRows, rows: Uint32Array, identityIdOf: IdentityIdOf): Data {
  const [users, anonymous] = [column("userId"), column("anonymousId")];
  return utf8Data(Array.from(rows, (row) => identityIdOf(codeAt(users, row), codeAt(anonymous, row))));
}

function instants({ day, times }: DayRows, rows: Uint32Array): Data {
  return makeData({ type: CREATED_AT.type, length: rows.length, nullCount: 0, data: instantsOf(dayStartMs(day), times, rows) });
}
