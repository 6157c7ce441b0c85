import { ByteWriter, ParquetWriter } from "hyparquet-writer";
import { daysOf, inOrder, rowsInRange, whileLoaded } from "../arrow/day-rows.js";
import type { EventRange, IdentityIdOf } from "../arrow/day-rows.js";
import { nextTurn } from "../base/turn.js";
import type { Dictionaries } from "../column/dictionaries.js";
import type { Rows } from "../segment/rows.js";
import { parquetSchema } from "./parquet-schema.js";
import { rowGroupColumns } from "./row-group.js";

/** Rows of one row group, which is in memory as a whole where it is read. More of them are garbage that outlives the young generation of a heap. */
const GROUP_ROW_COUNT = 16_384;

/**
 * Every event of a range in (createdAt, event id) order as a Parquet file, in pieces. The columns are those of an Arrow export: texts
 * dictionary-encoded, `createdAt` a timestamp of UTC milliseconds, `metadata` JSON text; null is not set. Row groups hold rows of one day, and at
 * most `GROUP_ROW_COUNT` of them; they are compressed with Snappy, and tell the smallest and largest value of each column but `metadata`.
 * @param rows of a snapshot that is kept until the end
 * @param identityIdOf for a last column `identityId`; null: none
 * @param pause gives others a turn between row groups; what it throws ends the export
 * @throws corruption
 */
export async function* eventsToParquet(
  rows: readonly Rows[],
  dictionaries: Dictionaries,
  range: EventRange,
  identityIdOf: IdentityIdOf | null = null,
  pause: () => Promise<void> = nextTurn,
): AsyncGenerator<Uint8Array> {
  const projectCode = range.project === null ? null : dictionaries.named("project").codeOf(range.project);
  const bytes = new ByteWriter();
  const writer = new ParquetWriter({ writer: bytes, schema: parquetSchema(identityIdOf !== null), createdBy: "daybook" });
  for (const sources of daysOf(rows, range, projectCode)) {
    await pause();
    const day = await whileLoaded(sources, () => inOrder(sources));
    for (const group of groupsOf(rowsInRange(day, range, projectCode))) {
      await pause();
      await writer.write({ columnData: rowGroupColumns(day, group, dictionaries, identityIdOf), rowGroupSize: GROUP_ROW_COUNT });
      copyBounds(writer);
      yield taken(bytes);
    }
  }
  // Readers that go by the older mark need it in the file; the writer, told of it before, would take the texts for values and quote them.
  for (const element of writer.schema) if (element.logical_type?.type === "JSON") element.converted_type = "JSON";
  await writer.finish();
  yield taken(bytes);
}

/** As few groups as hold them, of about the same length. */
function* groupsOf(rows: Uint32Array): Generator<Uint32Array> {
  const length = Math.ceil(rows.length / Math.ceil(rows.length / GROUP_ROW_COUNT));
  for (let from = 0; from < rows.length; from += length) yield rows.subarray(from, from + length);
}

/** The smallest and largest id of a row group are kept to the end, and as views they would keep the bytes of all its ids. */
function copyBounds({ row_groups }: ParquetWriter): void {
  const statistics = row_groups.at(-1)?.columns[0]?.meta_data?.statistics;
  if (statistics === undefined) return;
  for (const bound of ["min_value", "max_value"] as const) {
    const id = statistics[bound];
    if (id instanceof Uint8Array) statistics[bound] = id.slice();
  }
}

/** What was written since the last time. */
function taken(bytes: ByteWriter): Uint8Array {
  const piece = bytes.getBytes().slice();
  bytes.index = 0;
  return piece;
}
