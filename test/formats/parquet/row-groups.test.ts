import { ByteWriter, ParquetWriter } from "hyparquet-writer";
import { expect, test } from "vitest";
import { eventsOf } from "./files.js";

test("Events come in the order of a file, row group by row group, and one without rows ends nothing.", async () => {
  const bytes = new ByteWriter();
  const writer = new ParquetWriter({ writer: bytes, schema: [{ name: "root", num_children: 1 }, { name: "name", type: "BYTE_ARRAY", converted_type: "UTF8" }] });
  writer.write({ columnData: [{ name: "name", data: ["a", "b"] }] });
  writer.write({ columnData: [{ name: "name", data: ["c"] }] });
  writer.write({ columnData: [{ name: "name", data: ["d"] }] });
  // A group of no rows has the place of the one before, as some writers leave it.
  const [first] = writer.row_groups;
  if (first === undefined) throw new Error("expected a row group");
  const columns = first.columns.map((column) => ({ ...column, ...(column.meta_data && { meta_data: { ...column.meta_data, num_values: 0n } }) }));
  writer.row_groups.splice(1, 0, { ...first, num_rows: 0n, columns });
  writer.finish();
  expect((await eventsOf(new Uint8Array(bytes.getBuffer()))).map(({ name }) => name)).toEqual(["a", "b", "c", "d"]);
});
