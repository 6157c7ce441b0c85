import { MessageReader, tableFromIPC, type Table } from "apache-arrow";
import { memoryStorage, type EventInput } from "daybook";
import { generateTraffic, seededRandom } from "daybook/testing";
import { describe, expect, test } from "vitest";
import type { EventRange } from "../../../src/formats/arrow/day-rows.js";
import { eventsFromIpc } from "../../../src/formats/arrow/events-from-ipc.js";
import { eventsToIpc, type IpcFormat } from "../../../src/formats/arrow/events-to-ipc.js";
import { hostileHistory } from "../../support/random/hostile-history.js";
import { longTest } from "../../long-test.js";
import { baseSeed, caseCount, sliceOf } from "../../oracle/settings.js";
import { allAnswers, openAt } from "../../property/law.js";
import { daybookOf, storedRows } from "./stored-rows.js";

const everything: EventRange = { fromMs: 0, toMs: Infinity, project: null };

async function ipcOf(
  events: readonly EventInput[],
  format: IpcFormat,
  range: Partial<EventRange> = {},
  memoryBudgetBytes = 1e9,
): Promise<Uint8Array> {
  const { storage } = await daybookOf(events, Math.floor(events.length / 2));
  const { rows, dictionaries } = await storedRows(storage, memoryBudgetBytes);
  const pieces: Uint8Array[] = [];
  for await (const piece of eventsToIpc(rows, dictionaries, { ...everything, ...range }, format)) pieces.push(piece);
  return Buffer.concat(pieces);
}

function column(table: Table, name: string): unknown[] {
  return Array.from(table.getChild(name) ?? []);
}

const traffic = [...generateTraffic({ seed: 5, eventCount: 600, dayCount: 4, startMs: Date.UTC(2026, 1, 1), projects: ["web", "app"] })];

describe("export to Arrow IPC", () => {
  test.each(sliceOf(["file", "stream"] as const, 2))("an exported %s imported into an empty store gives identical answers", async (format) => {
    const random = seededRandom(baseSeed);
    for (let round = 0; round < caseCount(1, 3); round += 1) {
      const events = hostileHistory(random, 120);
      const { daybook } = await daybookOf(events, 60);
      const copy = await openAt(memoryStorage());
      const { rejected, duplicates } = await copy.ingest([...eventsFromIpc(await ipcOf(events, format))]);
      expect({ rejected, duplicates }).toEqual({ rejected: [], duplicates: 0 });
      expect(await allAnswers(copy)).toBe(await allAnswers(daybook));
    }
  });

  test.each(["file", "stream"] as const)("another reader sees the events of a %s in order, null where nothing is set", async (format) => {
    const table = tableFromIPC(await ipcOf(traffic, format));
    expect(table.numRows).toBe(traffic.length);
    const byTime = [...traffic].sort((a, b) => (a.createdAt as number) - (b.createdAt as number));
    expect(column(table, "createdAt").map(Number)).toEqual(byTime.map((event) => event.createdAt));
    expect(column(table, "id")).toEqual(byTime.map((event) => event.id));
    expect(column(table, "userId")).toEqual(byTime.map((event) => event.userId ?? null));
    expect(column(table, "referrer")).toEqual(byTime.map((event) => event.referrer ?? null));
    expect(column(table, "notify")).toEqual(byTime.map(() => false));
    expect(column(table, "value")).toEqual(byTime.map((event) => event.value ?? null));
    expect(column(table, "metadata").map((text) => JSON.parse((text as string | null) ?? "{}"))).toEqual(byTime.map((event) => event.metadata));
    expect(String(table.schema.fields.find((field) => field.name === "createdAt")?.type)).toBe("Timestamp<MILLISECOND, UTC>");
  });

  longTest("each dictionary is written once, whole, however many batches there are", async () => {
    const many = [...generateTraffic({ seed: 6, eventCount: 40_000, dayCount: 2, startMs: Date.UTC(2026, 1, 1) })];
    const bytes = await ipcOf(many, "stream");
    const reader = new MessageReader(bytes);
    const ids: number[] = [];
    let batchCount = 0;
    for (const message of reader) {
      if (message.isDictionaryBatch()) {
        const header = message.header();
        ids.push(header.id);
        expect(header.isDelta).toBe(false);
      }
      if (message.isRecordBatch()) batchCount += 1;
      reader.readMessageBody(message.bodyLength);
    }
    expect(batchCount).toBeGreaterThan(2);
    expect(ids.length).toBeGreaterThan(15);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test("the bytes begin and end as the formats say", async () => {
    const file = Buffer.from(await ipcOf(traffic.slice(0, 10), "file"));
    expect(file.subarray(0, 8).toString("latin1")).toBe("ARROW1\0\0");
    expect(file.subarray(-6).toString("latin1")).toBe("ARROW1");
    const stream = Buffer.from(await ipcOf(traffic.slice(0, 10), "stream"));
    expect(stream.subarray(0, 4).toString("hex")).toBe("ffffffff");
    expect(stream.subarray(-8).toString("hex")).toBe("ffffffff00000000");
  });

  test("an instant is 64 bits of epoch ms", async () => {
    const at = Date.UTC(2026, 2, 1, 9, 30);
    const bytes = Buffer.from(await ipcOf([{ name: "a", createdAt: at }], "stream"));
    const expected = Buffer.alloc(8);
    expected.writeBigInt64LE(BigInt(at));
    expect(bytes.includes(expected)).toBe(true);
  });

  test("an export of one project holds no value of another", async () => {
    const events = [
      { id: "1", name: "open", project: "ours", userId: "ann", createdAt: new Date(1_000), metadata: { a: "our-secret" } },
      { id: "2", name: "hidden-name", project: "theirs", userId: "their-user", createdAt: new Date(2_000), metadata: { b: "their-secret" } },
    ];
    const bytes = Buffer.from(await ipcOf(events, "file", { project: "ours" }));
    expect(bytes.includes("our-secret")).toBe(true);
    for (const text of ["hidden-name", "theirs", "their-user", "their-secret"]) expect(bytes.includes(text), text).toBe(false);
    expect(tableFromIPC(bytes).numRows).toBe(1);
  });

  test("a range takes its first millisecond and leaves out its last", async () => {
    const events = [0, 1, 2, 3].map((ms) => ({ name: "a", createdAt: new Date(86_400_000 + ms) }));
    const table = tableFromIPC(await ipcOf(events, "file", { fromMs: 86_400_001, toMs: 86_400_003 }));
    expect(column(table, "createdAt").map(Number)).toEqual([86_400_001, 86_400_002]);
  });

  test.each(["file", "stream"] as const)("a %s of no events is whole and has every column", async (format) => {
    const bytes = await ipcOf(traffic, format, { project: "none" });
    const table = tableFromIPC(bytes);
    expect(table.numRows).toBe(0);
    expect(table.schema.fields.length).toBe(26);
    expect([...eventsFromIpc(bytes)]).toEqual([]);
  });

  test("a store that may hold almost nothing in memory exports the same", async () => {
    const bytes = await ipcOf(traffic, "file", {}, 1);
    expect(Buffer.compare(bytes, await ipcOf(traffic, "file"))).toBe(0);
  });
});
