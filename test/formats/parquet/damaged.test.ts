import { ByteWriter, ParquetWriter } from "hyparquet-writer";
import type { FileMetaData } from "hyparquet";
import { describe, expect, test } from "vitest";
import { eventsOf } from "./files.js";

/** A file of three events, of whose metadata something is changed before it is written. */
function fileWith(change: (metadata: Pick<FileMetaData, "schema" | "row_groups"> & { num_rows: bigint }) => void = () => undefined): Uint8Array {
  const bytes = new ByteWriter();
  const name = { name: "name", type: "BYTE_ARRAY", converted_type: "UTF8", repetition_type: "OPTIONAL" } as const;
  const writer = new ParquetWriter({ writer: bytes, schema: [{ name: "events", num_children: 1 }, name] });
  writer.write({ columnData: [{ name: "name", data: ["a", "b", "c"] }], rowGroupSize: 1_000 });
  change(writer as never);
  writer.finish();
  return new Uint8Array(bytes.getBytes());
}

const DAMAGED = { code: "invalid_parameter", details: { param: "file", reason: expect.stringMatching(/^expected a whole Parquet file: /) as string } };

describe("a damaged Parquet file", () => {
  test.each<[string, Parameters<typeof fileWith>[0]]>([
    ["more rows than its values", (file) => file.row_groups.forEach((group) => ((group.num_rows = 10n ** 12n), (file.num_rows = group.num_rows)))],
    ["more rows than its groups", (file) => (file.num_rows = 10n ** 12n)],
    ["more rows and values than its pages", (file) => file.row_groups.forEach((group) => {
      group.num_rows = file.num_rows = 10n ** 12n;
      for (const { meta_data: chunk } of group.columns) if (chunk !== undefined) chunk.num_values = group.num_rows;
    })],
    ["fewer rows than none", (file) => file.row_groups.forEach((group) => ((group.num_rows = -5n), (file.num_rows = -5n)))],
    ["pages beyond its end", (file) => file.row_groups.forEach(({ columns }) => columns.forEach(({ meta_data: chunk }) => chunk && (chunk.data_page_offset = 10n ** 9n)))],
    ["a chunk longer than it is", (file) => file.row_groups.forEach(({ columns }) => columns.forEach(({ meta_data: chunk }) => chunk && (chunk.total_compressed_size = 10n ** 11n)))],
    ["rows and no columns", (file) => {
      file.schema.length = 1;
      Object.assign(file.schema[0] ?? {}, { num_children: 0 });
      for (const group of file.row_groups) group.columns = [];
    }],
  ])("that declares %s is refused before it is read", async (_, change) => {
    await expect(eventsOf(fileWith(change))).rejects.toMatchObject(DAMAGED);
  });

  test("with any of its bytes changed it is read to the end or refused, never for ever", async () => {
    const whole = fileWith();
    expect(await eventsOf(whole)).toEqual([{ name: "a" }, { name: "b" }, { name: "c" }]);
    for (let at = 4; at < whole.length; at += 1)
      for (const byte of [0, 127, 255]) {
        const changed = whole.with(at, byte);
        const read = await eventsOf(changed).catch((error: unknown) => (expect(error, `byte ${at} is ${byte}`).toMatchObject({ code: "invalid_parameter" }), null));
        if (read !== null) expect(read, `byte ${at} is ${byte}`).toHaveLength(3);
      }
  });

  test("bytes that are no text are refused by the name of their column", async () => {
    const bytes = new ByteWriter();
    const columns = ["name", "blob"].map((name) => ({ name, type: "BYTE_ARRAY", repetition_type: "OPTIONAL" }) as const);
    const writer = new ParquetWriter({ writer: bytes, schema: [{ name: "events", num_children: 2 }, ...columns] });
    writer.write({ columnData: [{ name: "name", data: ["a"] }, { name: "blob", data: [Uint8Array.of(0xff, 0xfe)] }], rowGroupSize: 1_000 });
    writer.finish();
    await expect(eventsOf(new Uint8Array(bytes.getBytes()))).rejects.toMatchObject({ code: "invalid_parameter", message: expect.stringMatching(/^file: column blob: expected text in UTF-8/) as string });
  });
});
