/* eslint-disable @typescript-eslint/no-non-null-assertion -- every column has one array */
import {
  Binary, Bool, CompressionType, Decimal, Dictionary, Field, Float64, Int32, Int64, LargeUtf8, List, RecordBatch, Schema, Struct, Table,
  TimestampMicrosecond, TimestampSecond, Utf8, compressionRegistry, makeData, tableToIPC, vectorFromArray,
} from "apache-arrow";
import type { DataType } from "apache-arrow";
import { DaybookError, memoryStorage, openDaybook, type EventInput } from "daybook";
import { describe, expect, test } from "vitest";
import { eventsFromIpc } from "../../../src/formats/arrow/events-from-ipc.js";

type Column = readonly [name: string, type: DataType, values: readonly unknown[], metadata?: ReadonlyMap<string, string>];

/** An IPC stream as another tool would write it. */
function streamOf(columns: readonly Column[], format: "file" | "stream" = "stream"): Uint8Array {
  const fields = columns.map(([name, type, , metadata]) => new Field(name, type, true, new Map(metadata ?? [])));
  const children = columns.map(([, type, values]) => vectorFromArray([...values], type).data[0]);
  const schema = new Schema(fields);
  const length = columns[0]?.[2].length ?? 0;
  const data = makeData({ type: new Struct(fields), length, nullCount: 0, children: children.map((child) => child!) });
  return tableToIPC(new Table([new RecordBatch(schema, data)]), format);
}

function eventsOf(columns: readonly Column[]): EventInput[] {
  return [...eventsFromIpc(streamOf(columns))];
}

function faultOf(act: () => unknown): DaybookError {
  try {
    act();
  } catch (error) {
    if (error instanceof DaybookError) return error;
    throw error;
  }
  throw new Error("expected an error");
}

const name: Column = ["name", new Utf8(), ["a", "b"]];

describe("import from Arrow IPC", () => {
  test("columns called like members in any case, with any separators, fill the members of events, null leaves them out", () => {
    const events = eventsOf([
      name,
      ["User_ID", new Utf8(), ["u1", null]],
      ["anonymousId", new Dictionary(new Utf8(), new Int32()), [null, "d2"]],
      ["Location Country", new Dictionary(new Utf8(), new Int32()), ["DE", "FR"]],
      ["notify", new Bool(), [true, null]],
      ["value", new Float64(), [null, 2.5]],
    ]);
    expect(events).toEqual([
      { name: "a", userId: "u1", locationCountry: "DE", notify: true },
      { name: "b", anonymousId: "d2", locationCountry: "FR", value: 2.5 },
    ]);
  });

  test.each([
    ["seconds", new TimestampSecond(), [1_772_323_200_000], 1_772_323_200_000],
    ["microseconds", new TimestampMicrosecond("UTC"), [1_772_323_200_000.5], 1_772_323_200_000.5],
    ["epoch ms in 64 bits", new Int64(), [1_772_323_200_000n], 1_772_323_200_000],
    ["epoch ms as a number", new Float64(), [1_772_323_200_000], 1_772_323_200_000],
    ["text", new Utf8(), ["2026-03-01T00:00:00Z"], "2026-03-01T00:00:00Z"],
  ] as const)("createdAt may be %s", (_, type, values, createdAt) => {
    for (const member of ["createdAt", "created_at", "timestamp", "Created At", "TIME"])
      expect(eventsOf([["name", new Utf8(), ["a"]], [member, type, values]])).toEqual([{ name: "a", createdAt }]);
  });

  test.each([
    [["name", "usrId"], 'bytes: the column "usrId" looks like userId: rename it to that, or to metadata.usrId for a metadata key'],
    [["name", "user_id", "UserId"], 'bytes: the columns "user_id" and "UserId" both fill userId: keep one, or rename the other to metadata.NAME'],
  ])("columns %j are refused, for they would be lost in metadata", (names, message) => {
    expect(faultOf(() => eventsOf(names.map((column): Column => [column, new Utf8(), ["a"]])))).toMatchObject({ code: "invalid_parameter", message });
  });

  test("metadata is JSON text, a struct, or flattened", () => {
    const struct = new Struct([new Field("plan", new Utf8(), true), new Field("tags", new List(new Field("item", new Utf8(), true)), true)]);
    expect(eventsOf([name, ["metadata", new Utf8(), ['{"plan":"pro"}', null]]])).toEqual([
      { name: "a", metadata: { plan: "pro" } },
      { name: "b" },
    ]);
    expect(eventsOf([name, ["metadata", struct, [{ plan: "pro", tags: ["x", "y"] }, null]]])).toEqual([
      { name: "a", metadata: { plan: "pro", tags: ["x", "y"] } },
      { name: "b" },
    ]);
    expect(
      eventsOf([
        name,
        ["metadata.plan", new Utf8(), ["pro", null]],
        ["metadata.seats", new Int64(), [3n, null]],
        ["metadata.at", new TimestampSecond(), [1_772_323_200_000, null]],
        ["metadata.deep", new Utf8(), ['{"a":[1]}', null], new Map([["ARROW:extension:name", "arrow.json"]])],
        ["anything", new Utf8(), ["else", null]],
        ["__proto__", new Utf8(), ["own", null]],
      ]).map((event) => JSON.stringify(event)),
    ).toEqual([
      '{"name":"a","metadata":{"plan":"pro","seats":3,"at":"2026-03-01T00:00:00.000Z","deep":{"a":[1]},"anything":"else","__proto__":"own"}}',
      '{"name":"b"}',
    ]);
  });

  test("JSON text and flattened keys of one event go together", () => {
    const events = eventsOf([name, ["metadata", new Utf8(), ['{"a":1}', "{}"]], ["metadata.b", new Int32(), [2, null]]]);
    expect(events).toEqual([{ name: "a", metadata: { a: 1, b: 2 } }, { name: "b", metadata: {} }]);
  });

  test("integers beyond 2^53 become text, which an id may be", () => {
    expect(eventsOf([["name", new Utf8(), ["a"]], ["userId", new Int64(), [9_007_199_254_740_993n]]])).toEqual([
      { name: "a", userId: "9007199254740993" },
    ]);
  });

  test("such integers in JSON text do too", () => {
    expect(eventsOf([["name", new Utf8(), ["a"]], ["metadata", new Utf8(), ['{"n":9007199254740993,"deep":[9007199254740992,-9007199254740993]}']]])).toEqual([
      { name: "a", metadata: { n: "9007199254740993", deep: [9007199254740992, "-9007199254740993"] } },
    ]);
  });

  test("a byte order mark at the start of a text is part of it, so that two ids stay two, wherever texts stand", () => {
    const marked = ["\ufeffa", "a", "\ufeff", null, "a\ufeff"];
    const nested = marked.map((text) => ({ deep: [text], own: text }));
    const events = eventsOf([
      ["name", new Utf8(), marked.map(() => "x")],
      ["userId", new Dictionary(new Utf8(), new Int32()), marked],
      ["anonymousId", new LargeUtf8(), marked],
      ["plain", new Utf8(), marked],
      ["nested", new Struct([new Field("deep", new List(new Field("item", new Utf8(), true)), true), new Field("own", new Utf8(), true)]), nested],
    ]);
    expect(events.map(({ userId, anonymousId, metadata }) => [userId ?? null, anonymousId ?? null, metadata])).toEqual(
      marked.map((text) => [text, text, { ...(text === null ? {} : { plain: text }), nested: { deep: [text], own: text } }]));
  });

  test("the key of a column metadata.KEY is that key, with the blanks and marks at its end", () => {
    const [event] = eventsOf([["name", new Utf8(), ["a"]], ["metadata.k", new Utf8(), ["1"]], ["metadata.k ", new Utf8(), ["2"]], [" metadata.k\ufeff", new Utf8(), ["3"]]]);
    expect(event?.metadata).toEqual({ k: "1", "k ": "2", "k\ufeff": "3" });
  });

  test("bytes that are no UTF-8 are refused, so that no two texts become one", () => {
    const bytes = streamOf([["name", new Utf8(), ["abcd"]]]);
    const at = Buffer.from(bytes).indexOf("abcd");
    bytes[at] = 0xff;
    expect(faultOf(() => [...eventsFromIpc(bytes)])).toMatchObject({ code: "invalid_parameter" });
  });

  test("what is no event is rejected by ingest, row by row", async () => {
    const daybook = await openDaybook({ storage: memoryStorage() });
    const events = eventsOf([["name", new Utf8(), ["a", null, "c"]], ["metadata", new Utf8(), ["{}", "{}", "no JSON"]]]);
    const { accepted, rejected } = await daybook.ingest(events);
    expect(accepted).toBe(1);
    expect(rejected.map(({ index, code }) => [index, code])).toEqual([[1, "invalid_event"], [2, "invalid_event"]]);
  });

  test("a column of a type that events cannot have is named", () => {
    const error = faultOf(() => eventsOf([name, ["price", new Decimal(2, 10), [null, null]]]));
    expect(error.code).toBe("invalid_parameter");
    expect(error.message).toMatch(/column price: events cannot have values of type Decimal/);
    expect(faultOf(() => eventsOf([name, ["device", new Binary(), [null, null]]])).message).toMatch(/column device/);
  });

  test("compressed bodies are refused with a word about it", () => {
    const frame = Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd, 0, 0, 1, 0, 0);
    compressionRegistry.set(CompressionType.ZSTD, { encode: () => frame });
    const bytes = tableToIPC(new Table({ name: vectorFromArray(["a".repeat(100)], new Utf8()) }), "stream", CompressionType.ZSTD);
    const error = faultOf(() => [...eventsFromIpc(bytes)]);
    expect(error.code).toBe("invalid_parameter");
    expect(error.message).toMatch(/uncompressed/);
  });

  test.each(["file", "stream"] as const)("a %s cut at any length is refused, never read in part", (format) => {
    const bytes = streamOf([name, ["metadata", new Utf8(), ['{"a":1}', "{}"]]], format);
    expect([...eventsFromIpc(bytes)].length).toBe(2);
    for (let end = 0; end < bytes.length; end += 1)
      expect(faultOf(() => [...eventsFromIpc(bytes.subarray(0, end))]).code, `cut at ${end}`).toBe("invalid_parameter");
  });

  test("other bytes are refused", () => {
    const texts = ["", "name,createdAt\na,1\n", "ARROW1", '{"name":"a"}', "PAR1".repeat(20)];
    for (const text of texts) expect(faultOf(() => [...eventsFromIpc(Buffer.from(text))]).code, text).toBe("invalid_parameter");
    const ends = Uint8Array.of(9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 255, 255, 255, 255, 0, 0, 0, 0);
    expect(faultOf(() => [...eventsFromIpc(ends)]).code).toBe("invalid_parameter");
  });
});
