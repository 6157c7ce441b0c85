import { Field, RecordBatch, Schema, Struct, makeData } from "apache-arrow";
import { isoOfDay } from "../../core/base/time.js";
import { yieldToEventLoop } from "../../core/base/turn.js";
import type { Dictionaries } from "../../storage/column/dictionaries.js";
import { ID_COLUMN, SEQUENCE_COLUMN, TIME_COLUMN } from "../../core/schema/fields.js";
import type { Rows } from "../../storage/segment/rows.js";
import { whilePinned } from "../../storage/segment/while-pinned.js";
import { batchColumn, batchColumnNames } from "./batch-columns.js";
import { Cut } from "./cut.js";
import { asDayRows, daysOf, rowsInRange } from "./day-rows.js";
import type { EventRange } from "./day-rows.js";

export type { RecordBatch };

/**
 * The rows of a range as record batches with one schema, one for each segment and head that has some, days ascending. The metadata of a
 * batch's own schema names its day. Reading on loads the next batch; the rows of the former one may then be dropped from memory, while its
 * arrays stay valid.
 * @param rows of a snapshot that stays valid until the end
 * @param names of columns; null: all
 * @param pause yields between batches; what it throws ends the export
 * @throws corruption, invalid_parameter (a name that is no column)
 */
export async function* recordBatches(
  rows: readonly Rows[],
  dictionaries: Dictionaries,
  range: EventRange,
  names: readonly string[] | null,
  pause: () => Promise<void> = yieldToEventLoop,
): AsyncGenerator<RecordBatch> {
  const projectCode = range.project === null ? null : dictionaries.named("project").codeOf(range.project);
  const parts = daysOf(rows, range, projectCode).flat();
  const columns = (names ?? batchColumnNames(parts, dictionaries)).map((name) => batchColumn(name, parts, dictionaries));
  const fields = columns.map(({ name, type, isNullable }) => new Field(name, type, isNullable));
  const loaded = [TIME_COLUMN, ID_COLUMN, SEQUENCE_COLUMN, "project", ...columns.flatMap(({ column }) => column ?? [])];
  for (const part of parts) {
    await pause();
    const batch = await whilePinned([part], async () => {
      await part.load(loaded);
      const selected = rowsInRange(asDayRows(part, loaded), range, projectCode);
      if (selected.length === 0) return null;
      const cut = new Cut(selected);
      const children = columns.map(({ data }) => data(part, cut));
      const day = new Map([["day", isoOfDay(part.day).slice(0, 10)]]);
      return new RecordBatch(new Schema(fields, day), makeData({ type: new Struct(fields), length: cut.length, nullCount: 0, children }));
    });
    if (batch !== null) yield batch;
  }
}
