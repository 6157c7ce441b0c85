/* eslint-disable @typescript-eslint/no-non-null-assertion -- rows found are asserted by what follows */
import { Table, tableFromIPC, tableToIPC } from "apache-arrow";
import type { RecordBatch } from "apache-arrow";
import type { Daybook, EventInput, RecordBatchesInput } from "daybook";
import { generateTraffic } from "daybook/testing";
import { describe, expect, test } from "vitest";
import { uuidText } from "../../../src/core/base/uuid.js";
import { storeOf } from "../../../src/engine/open-daybook.js";
import { FIELDS } from "../../../src/core/schema/fields.js";
import type { Rows } from "../../../src/storage/segment/rows.js";
import { daybookOf } from "./stored-rows.js";

const startMs = Date.UTC(2026, 1, 1);
const events = [...generateTraffic({ seed: 3, eventCount: 900, dayCount: 3, startMs })] as EventInput[];
const rare = { name: "rare", createdAt: startMs + 1, notify: true, value: 0.1, metadata: { "odd key": { deep: ["ü"] } } };

async function batchesOf(daybook: Daybook, input?: RecordBatchesInput): Promise<RecordBatch[]> {
  const batches: RecordBatch[] = [];
  for await (const batch of daybook.recordBatches(input)) batches.push(batch);
  return batches;
}

/** Segments and heads in the order of the batches. */
function partsOf(daybook: Daybook): Rows[] {
  const snapshot = storeOf(daybook)!.snapshot();
  snapshot.release();
  return [...snapshot.rows].sort((a, b) => a.day - b.day);
}

function arrayOf(batch: RecordBatch, name: string): ArrayBufferView & { readonly length: number } {
  return batch.getChild(name)!.data[0]!.values as never;
}

function rowsOf(batches: readonly RecordBatch[]): Record<string, unknown>[] {
  const rows = batches.flatMap((batch) => batch.toArray().map((row) => Object.entries((row as { toJSON: () => Record<string, unknown> }).toJSON())));
  const told = rows.map((row) => Object.fromEntries(row.filter(([, value]) => value !== null && value !== false)) as Record<string, unknown>);
  return told.map(({ id, ...row }) => ({ ...row, id: uuidText(id as Uint8Array) })).sort((a, b) => (a.id < b.id ? -1 : 1));
}

async function expectedRows(daybook: Daybook, input: RecordBatchesInput = {}): Promise<Record<string, unknown>[]> {
  const rows: (Record<string, unknown> & { id: string })[] = [];
  for await (const { metadata = {}, createdAt, ...event } of daybook.exportEvents(input)) {
    const keys = Object.entries(metadata).map(([key, value]) => [`metadata.${key}`, JSON.stringify(value)]);
    rows.push({ ...event, createdAt: Date.parse(createdAt), ...(Object.fromEntries(keys) as object) });
  }
  return rows.sort((a, b) => (a.id < b.id ? -1 : 1));
}

describe("recordBatches", () => {
  test("ids, sequences and codes are the arrays of segments and heads; times, flags, numbers and rare keys are made", async () => {
    const { daybook } = await daybookOf([...events, rare], 600);
    const batches = await batchesOf(daybook);
    const parts = partsOf(daybook);
    expect(new Set(parts.map(({ sealed }) => sealed))).toEqual(new Set([true, false]));
    expect(batches.length).toBe(parts.length);
    const shared = new Map<string, boolean[]>();
    parts.forEach((rows, at) => {
      const batch = batches[at]!;
      const stored: [string, ArrayBufferView][] = [["id", rows.ids()], ["sequence", rows.sequences()], ["createdAt", rows.times()]];
      for (const { camel, column } of FIELDS) if (rows.zone(column) !== null) stored.push([camel, rows.column(column).codes]);
      for (const [name, array] of stored) {
        const values = arrayOf(batch, name);
        const isShared = values.buffer === array.buffer && values.byteOffset === array.byteOffset;
        shared.set(name, [...(shared.get(name) ?? []), isShared]);
      }
    });
    const always = [...shared].filter(([, all]) => all.every(Boolean)).map(([name]) => name);
    const never = [...shared].filter(([, all]) => !all.some(Boolean)).map(([name]) => name);
    expect(always.sort()).toEqual(["anonymousId", "browser", "device", "hostname", "id", "language", "locationCity", "locationCountry", "name", "os", "project", "referrer", "screen", "sequence", "slug", "url", "userId"]);
    expect(never.sort()).toEqual(["createdAt", "notify", "value"]);
  });

  test("codes narrower than those of another batch are widened, so that all have one schema", async () => {
    const many = Array.from({ length: 600 }, (_, at) => ({ name: "a", userId: `user-${at < 100 ? at : 1_000 + at}`, createdAt: startMs + (at < 100 ? 0 : 86_400_000) + at }));
    const { daybook } = await daybookOf(many, 600);
    const batches = await batchesOf(daybook, { columns: ["userId"] });
    expect(partsOf(daybook).map((rows) => rows.column("userId").codes.BYTES_PER_ELEMENT)).toEqual([1, 2]);
    expect(batches.map((batch) => arrayOf(batch, "userId").constructor)).toEqual([Uint16Array, Uint16Array]);
    const table = new Table(batches);
    expect([table.numRows, new Set(table.getChild("userId")!.toArray() as string[]).size]).toEqual([600, 600]);
    expect(tableFromIPC(tableToIPC(table)).getChild("userId")!.get(599)).toBe(table.getChild("userId")!.get(599));
  });

  test.each<[string, RecordBatchesInput]>([
    ["all", {}],
    ["a project", { project: "app" }],
    ["a time", { startDate: "2026-02-01T11:00:00Z", endDate: "2026-02-02" }],
    ["a time of a project", { project: "web", startDate: "2026-02-01T11:00:00Z" }],
  ])("the rows of %s are those of an export, null where nothing is set", async (_, input) => {
    const mixed = events.map((event, at) => ({ ...event, project: at % 5 === 0 ? "app" : "web" }));
    const { daybook } = await daybookOf([...mixed, rare], 600);
    const batches = await batchesOf(daybook, input);
    expect(rowsOf(batches).map(({ sequence, ...row }) => (expect(sequence).toBeTypeOf("number"), row))).toEqual(await expectedRows(daybook, input));
    expect(new Table(batches).numRows).toBe((await expectedRows(daybook, input)).length);
  });

  test("a run of sorted rows is a view, rows apart are a copy", async () => {
    const { daybook } = await daybookOf(events.slice(0, 600).map((event, at) => ({ ...event, project: at % 2 === 0 ? "app" : "web" })), 600);
    const [run] = await batchesOf(daybook, { startDate: "2026-02-01T05:00:00Z", endDate: "2026-02-01T15:00:00Z", columns: ["id", "url"] });
    const [apart] = await batchesOf(daybook, { project: "app", columns: ["id", "url"] });
    const [first] = partsOf(daybook);
    expect([run!.numRows < first!.rowCount, arrayOf(run!, "id").buffer === first!.ids().buffer, arrayOf(run!, "url").buffer === first!.column("url").codes.buffer]).toEqual([true, true, true]);
    expect([arrayOf(apart!, "id").buffer === first!.ids().buffer, arrayOf(apart!, "url").buffer === first!.column("url").codes.buffer]).toEqual([false, false]);
  });

  test("what comes, is sealed or erased meanwhile changes nothing of it, and the erasure waits", async () => {
    const { daybook } = await daybookOf(events, 600);
    const expected = await expectedRows(daybook);
    const iterator = daybook.recordBatches()[Symbol.asyncIterator]();
    const batches = [(await iterator.next()).value as RecordBatch];
    await daybook.ingest([{ name: "late", createdAt: startMs + 5 }]);
    await daybook.seal();
    const { id } = await daybook.privacyRequests.create({ type: "erasure", subject: { userId: events.find(({ userId }) => typeof userId === "string")!.userId as string } });
    await daybook.privacyRequests.verify(id);
    await daybook.privacyRequests.acknowledge(id);
    let isErased = false;
    const erasing = daybook.privacyRequests.resolve(id, "completed").then(() => (isErased = true));
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(isErased).toBe(false);
    for (let next = await iterator.next(); next.done !== true; next = await iterator.next()) batches.push(next.value);
    expect(rowsOf(batches).map(({ sequence, ...row }) => (expect(sequence).toBeTypeOf("number"), row))).toEqual(expected);
    await erasing;
    expect(isErased).toBe(true);
  });

  test("a column by a name that is none is refused, one that no event has is null", async () => {
    const { daybook } = await daybookOf(events.slice(0, 10), 10);
    for (const columns of [["plan"], ["id", "id"], [], [1], "id"])
      await expect(batchesOf(daybook, { columns } as never)).rejects.toMatchObject({ code: "invalid_parameter", details: { param: expect.stringMatching(/^columns/) as string } });
    const [batch] = await batchesOf(daybook, { columns: ["metadata.nobody", "companyId", "name"] });
    expect(batch!.schema.fields.map(({ name }) => name)).toEqual(["metadata.nobody", "companyId", "name"]);
    expect([batch!.getChild("metadata.nobody")!.get(0), batch!.getChild("companyId")!.get(0), batch!.getChild("name")!.get(0)]).toEqual([null, null, expect.any(String)]);
  });
});
