/* eslint-disable @typescript-eslint/no-non-null-assertion -- every column has one array */
import {
  Bool, Dictionary, Field, Int32, Int8, LargeUtf8, List, Null, RecordBatch, Schema, Struct, Table, TimestampMicrosecond, TimestampMillisecond, Utf8, Vector,
  makeData, tableToIPC, vectorFromArray,
} from "apache-arrow";
import type { Data } from "apache-arrow";
import { memoryStorage, openDaybook } from "daybook";
import { afterEach, describe, expect, it, vi } from "vitest";
import { LIMITS } from "../../../src/core/base/limits.js";
import { eventsOfArrow } from "../../../src/engine/exports/to-arrow.js";
import { eventsFromIpc } from "../../../src/formats/arrow/events-from-ipc.js";

const MIB = 1024 * 1024;

/** An IPC stream of arrays as they are, good or bad. */
function streamOf(columns: Readonly<Record<string, Data>>, length: number): Uint8Array {
  const fields = Object.entries(columns).map(([name, { type }]) => new Field(name, type, true));
  const batch = new RecordBatch(new Schema(fields), makeData({ type: new Struct(fields), length, nullCount: 0, children: Object.values(columns) }));
  return tableToIPC(new Table(batch), "stream");
}

function textData(texts: readonly string[]): Data {
  return vectorFromArray([...texts], new Utf8()).data[0]!;
}

/** The same text in each row, by a dictionary. */
function repeated(text: string, length: number, id: number): Data {
  const type = new Dictionary(new Utf8(), new Int32(), id);
  return makeData({ type, length, nullCount: 0, data: new Int32Array(length), dictionary: new Vector([textData([text])]) } as never);
}

function metadataRows(text: string, length: number): Uint8Array {
  return streamOf({ name: repeated("a", length, 1), metadata: repeated(text, length, 2) }, length);
}

describe("the events of an Arrow body", () => {
  afterEach(() => vi.restoreAllMocks());

  it("a value of a dictionary is parsed once, however many rows have it", () => {
    const parse = vi.spyOn(JSON, "parse");
    const events = [...eventsFromIpc(metadataRows('{"a":[1,2]}', 1_000))];
    expect(events).toHaveLength(1_000);
    expect(events.at(-1)).toEqual({ name: "a", metadata: { a: [1, 2] } });
    expect(parse.mock.calls.filter(([text]) => text === '{"a":[1,2]}')).toHaveLength(1);
  });

  it("metadata of more text than it may have is not parsed, and its row rejected", async () => {
    const text = JSON.stringify({ a: Array.from({ length: LIMITS.metadataBytes }, () => []) });
    const parse = vi.spyOn(JSON, "parse");
    const events = await eventsOfArrow(streamOf({ name: textData(["a", "b"]), metadata: textData([text, "{}"]) }, 2), 16 * MIB, Infinity);
    expect(parse.mock.calls.filter(([parsed]) => parsed === text)).toEqual([]);
    const { accepted, rejected } = await (await openDaybook({ storage: memoryStorage() })).ingest(events);
    expect([accepted, rejected.map(({ index, code }) => [index, code])]).toEqual([1, [[0, "invalid_event"]]]);
  });

  it("rows that share a long value take its bytes each, of those that a body may have", async () => {
    const bytes = metadataRows(JSON.stringify({ a: "x".repeat(30_000) }), 1_000);
    await expect(eventsOfArrow(bytes, 16 * MIB, Infinity)).rejects.toMatchObject({ code: "body_too_large", message: expect.stringMatching(/at most 16777216 bytes as JSON, got 1\d{7} bytes or more/) as string });
    expect(await eventsOfArrow(bytes, 64 * MIB, Infinity)).toHaveLength(1_000);
  });

  it("columns that have no value take something of it in each row, told before any row is read", async () => {
    const rowCount = 100_000;
    const none = Array.from({ length: 200 }, (_, at) => [`n${at}`, makeData({ type: new Null(), length: rowCount, nullCount: rowCount })] as const);
    const bytes = streamOf({ x: makeData({ type: new Int8(), length: rowCount, nullCount: 0, data: new Int8Array(rowCount) }), ...Object.fromEntries(none) }, rowCount);
    const wanted = rowCount * (LIMITS.arrowEventBytes + 201 * LIMITS.arrowCellBytes);
    const get = vi.spyOn(Vector.prototype, "get");
    await expect(eventsOfArrow(bytes, 16 * MIB, Infinity)).rejects.toThrow(`got ${wanted} bytes or more`);
    expect(get).not.toHaveBeenCalled();
  });

  it("lists whose offsets go back and forth over the same items end at the bound", async () => {
    const item = new Field("item", new Bool(), true);
    const child = makeData({ type: new Bool(), length: 100_000, nullCount: 0, data: new Uint8Array(12_500) });
    const valueOffsets = Int32Array.from({ length: 1_001 }, (_, at) => (at % 2 === 0 ? 0 : 100_000));
    const lists = makeData({ type: new List(item), length: 1_000, nullCount: 0, valueOffsets, child });
    const bytes = streamOf({ name: repeated("a", 1_000, 1), lists }, 1_000);
    await expect(eventsOfArrow(bytes, MIB, Infinity)).rejects.toMatchObject({ code: "body_too_large" });
  });

  it("others have a turn each time so much was read as is parsed of JSON in one", async () => {
    const bytes = metadataRows(JSON.stringify({ a: "x".repeat(1_000) }), 4_000);
    let [turnCount, isDone] = [0, false];
    const count = () => void (isDone || ((turnCount += 1), setImmediate(count)));
    setImmediate(count);
    await eventsOfArrow(bytes, 16 * MIB, Infinity).finally(() => (isDone = true));
    expect(turnCount).toBeGreaterThanOrEqual(Math.floor((4_000 * 1_000) / LIMITS.parsedBytesPerTurn));
  });
});

describe("values that the library throws at", () => {
  const far = 2n ** 63n - 1n;

  it.each([
    ["microseconds", new TimestampMicrosecond("UTC"), [1_700_000_000_000_000n, far]],
    ["milliseconds", new TimestampMillisecond("UTC"), [1_700_000_000_000n, -far]],
  ])("an instant in %s that is out of range costs its own row alone", async (_, type, values) => {
    const instants = () => makeData({ type, length: 2, nullCount: 0, data: BigInt64Array.from(values) });
    const events = await eventsOfArrow(streamOf({ name: textData(["a", "b"]), createdAt: instants(), seenAt: instants() }, 2), MIB, Infinity);
    expect(events.map(({ metadata }) => metadata)).toEqual([{ seenAt: "2023-11-14T22:13:20.000Z" }, { seenAt: String(values[1]) }]);
    const { accepted, rejected } = await (await openDaybook({ storage: memoryStorage() })).ingest(events);
    expect([accepted, rejected.map(({ index, code }) => [index, code])]).toEqual([1, [[1, "invalid_event"]]]);
  });

  it("whatever else cannot be read is the fault of the bytes", async () => {
    const offset = Buffer.from("offset\0\0", "latin1");
    const valueOffsets = BigInt64Array.from([0n, offset.readBigInt64LE()]);
    const x = makeData({ type: new LargeUtf8(), length: 1, nullCount: 0, valueOffsets, data: new Uint8Array([65]) });
    const bytes = Buffer.from(streamOf({ name: textData(["a"]), x }, 1));
    bytes.writeBigInt64LE(2n ** 60n, bytes.indexOf(offset));
    await expect(eventsOfArrow(bytes, MIB, Infinity)).rejects.toMatchObject({ code: "invalid_parameter", details: { param: "bytes" } });
  });
});
