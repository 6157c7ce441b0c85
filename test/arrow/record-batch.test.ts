/* eslint-disable @typescript-eslint/no-non-null-assertion -- rows found are asserted by what follows */
import type { RecordBatch } from "apache-arrow";
import { generateTraffic } from "daybook/testing";
import { describe, expect, test } from "vitest";
import { recordBatchOf } from "../../src/arrow/record-batch.js";
import { isoOf, dayStartMs } from "../../src/base/time.js";
import { uuidText } from "../../src/base/uuid.js";
import { allPages } from "../oracle/answers.js";
import { daybookOf, storedRows } from "./stored-rows.js";

const events = [...generateTraffic({ seed: 3, eventCount: 2_000, dayCount: 3, startMs: Date.UTC(2026, 1, 1) })];
const rare = { name: "rare", createdAt: "2026-02-02T10:00:00Z", metadata: { "odd key": { deep: ["ü"] } } };

function memoryOf(view: ArrayBufferView): unknown[] {
  return [view.byteOffset, view.byteLength];
}

function textOf(batch: RecordBatch, column: string, row: number): string {
  return (batch.getChild(column)?.get(row) as string | undefined) ?? "";
}

describe("a segment or head as a record batch", () => {
  test("every column is the array of the rows itself, sealed or not", async () => {
    const { storage } = await daybookOf([...events], 1_500);
    const { rows, dictionaries } = await storedRows(storage);
    expect(new Set(rows.map((one) => one.sealed))).toEqual(new Set([true, false]));
    let sharedCount = 0;
    for (const one of rows) {
      const batch = recordBatchOf(one, dictionaries);
      const stored: [string, ArrayBufferView][] = [["ms", one.times()], ["id", one.ids()], ["sequence", one.sequences()]];
      for (const name of one.columnNames()) {
        const column = one.column(name);
        if (column.kind === "dense") stored.push([name, column.codes]);
      }
      for (const [name, array] of stored) {
        const values = batch.getChild(name)?.data[0]?.values as ArrayBufferView;
        expect(values.buffer, name).toBe(array.buffer);
        expect(memoryOf(values), name).toEqual(memoryOf(array));
        sharedCount += 1;
      }
    }
    expect(sharedCount).toBeGreaterThan(rows.length * 15);
  });

  test("its values are those of the records, row by row", async () => {
    const { daybook, storage } = await daybookOf([...events, rare], 1_500);
    const records = new Map((await allPages(daybook, {}, 1_000)).map((record) => [record.id, record]));
    const { rows, dictionaries } = await storedRows(storage);
    let rowCount = 0;
    for (const one of rows) {
      const batch = recordBatchOf(one, dictionaries);
      const dayMs = Date.parse(batch.schema.metadata.get("day") ?? "");
      expect(dayMs).toBe(dayStartMs(one.day));
      for (let row = 0; row < batch.numRows; row += 1) {
        const record = records.get(uuidText(batch.getChild("id")?.get(row) as Uint8Array));
        const text = (column: string) => textOf(batch, column, row);
        expect({
          createdAt: isoOf(dayMs + (batch.getChild("ms")?.get(row) as number)),
          name: text("name"),
          userId: text("userId"),
          city: text("location_city"),
          device: text("device"),
          referrer: text("referrer"),
          url: text("url"),
        }).toEqual({
          createdAt: record?.createdAt,
          name: record?.name,
          userId: record?.userId,
          city: record?.locationCity,
          device: record?.device,
          referrer: record?.referrer ?? "",
          url: record?.url,
        });
        rowCount += 1;
      }
    }
    expect(rowCount).toBe(records.size);
  });

  test("a sparse column is spread out, with the texts of its dictionary", async () => {
    const { storage } = await daybookOf([...events, rare], 2_001);
    const { rows, dictionaries } = await storedRows(storage);
    const column = `m${dictionaries.knownKeyCode("odd key")}`;
    const one = rows.find((candidate) => candidate.zone(column) !== null);
    expect(one?.column(column).kind).toBe("sparse");
    const batch = recordBatchOf(one!, dictionaries);
    const texts = Array.from({ length: batch.numRows }, (_, row) => textOf(batch, column, row));
    expect(texts.filter((text) => text !== "")).toEqual(['{"deep":["ü"]}']);
    expect(texts.findIndex((text) => text !== "")).toBe(
      Array.from({ length: batch.numRows }, (_, row) => textOf(batch, "name", row)).indexOf("rare"),
    );
  });

  test("one dictionary per column serves all batches, and keeps its id when it has grown", async () => {
    const { storage } = await daybookOf([...events], 2_000);
    const { rows, dictionaries } = await storedRows(storage);
    const batches = rows.map((one) => recordBatchOf(one, dictionaries));
    const dictionary = (batch: RecordBatch | undefined) => batch?.getChild("url")?.data[0]?.dictionary;
    expect(new Set(batches.map(dictionary)).size).toBe(1);
    const idOf = (batch: RecordBatch | undefined) => (batch?.schema.fields.find((field) => field.name === "url")?.type as { id?: number }).id;
    const [before] = batches;
    dictionaries.named("url").intern("/brand-new");
    const after = recordBatchOf(rows[0]!, dictionaries);
    expect(dictionary(after)?.length).toBe((dictionary(before)?.length ?? 0) + 1);
    expect(idOf(after)).toBe(idOf(before));
    const ids = after.schema.fields.map((field) => (field.type as { id?: number }).id).filter((id) => id !== undefined);
    expect(new Set(ids).size).toBe(ids.length);
  });
});
